// Structured control flow, nested both ways.
#include "core/support/Diagnostic.h"
#include "tests/vulkan/Kernels.h"
#include "tests/vulkan/SpirvTools.h"

#include <gmock/gmock.h>

namespace tegula::vulkan::test {
namespace {

using spirv::Builder;
using spirv::Id;
using spirv::Module;
using Ids = Builder::Ids;

std::vector<uint32_t> moduleOfThread(const std::function<void(Module &, Builder &, Id)> &body) {
  KernelShape shape{.entry = "main", .params = {pointer("out", ScalarType::I32)}, .hidden = {}};
  return writeModule(shape, [&](Builder &b, KernelFrame &frame) { body(b.module(), b, frame.threadId()); });
}

TEST(SpirvControl, LoopsInBranchesInLoops) {
  auto words = moduleOfThread([](Module &m, Builder &b, Id thread) {
    Id zero = m.constantU32(0), one = m.constantU32(1), ten = m.constantU32(10);
    Id start[] = {zero};
    Ids outer = b.forLoop(zero, ten, one, start, [&](Id i, const Ids &carried) {
      return b.ifThenElse(
          b.compare(spv::Op::OpULessThan, i, thread),
          [&] {
            return b.forLoop(i, ten, one, carried, [&](Id j, const Ids &inner) {
              b.ifThen(b.compare(spv::Op::OpIEqual, j, thread), [&] { b.workgroupBarrier(); });
              return Ids{b.binary(spv::Op::OpIAdd, inner[0], j)};
            });
          },
          [&] { return Ids{b.binary(spv::Op::OpISub, carried[0], one)}; });
    });
    EXPECT_EQ(outer.size(), 1u);
    b.ifThen(b.compare(spv::Op::OpIEqual, outer[0], zero), [&] { b.workgroupBarrier(); }, [&] { b.subgroupBarrier(); });
  });
  EXPECT_EQ(validate(words), "");
}

TEST(SpirvControl, ALoopForwardsOtherValuesThanItCarries) {
  auto words = moduleOfThread([](Module &m, Builder &b, Id thread) {
    Id start[] = {thread, m.constantF32(1)};
    Ids results = b.loop(
        start,
        [&](const Ids &carried, Ids &forwarded) {
          Id twice = b.binary(spv::Op::OpIAdd, carried[0], carried[0]);
          forwarded = {twice};
          return b.compare(spv::Op::OpULessThan, twice, m.constantU32(100));
        },
        [&](const Ids &forwarded) { return Ids{forwarded[0], m.constantF32(2)}; });
    ASSERT_EQ(results.size(), 1u);
    b.binary(spv::Op::OpIAdd, results[0], thread);
  });
  EXPECT_EQ(validate(words), "");
}

TEST(SpirvControl, SwappedLoopValuesKeepTheirPlaces) {
  // Each iteration exchanges two values: each phi must take the other's previous value.
  auto words = moduleOfThread([](Module &m, Builder &b, Id thread) {
    Id start[] = {m.constantU32(1), thread};
    b.forLoop(m.constantU32(0), thread, m.constantU32(1), start,
              [&](Id, const Ids &carried) { return Ids{carried[1], carried[0]}; });
  });
  EXPECT_EQ(validate(words), "");
}

TEST(SpirvControl, UnevenBranchesAndLoopsAreRefused) {
  EXPECT_THROW(moduleOfThread([](Module &m, Builder &b, Id thread) {
                 b.ifThenElse(m.constantBool(true), [&] { return Ids{thread}; }, [] { return Ids{}; });
               }),
               InternalError);
  EXPECT_THROW(moduleOfThread([](Module &m, Builder &b, Id thread) {
                 Id start[] = {thread};
                 b.forLoop(thread, thread, thread, start, [](Id, const Ids &) { return Ids{}; });
               }),
               InternalError);
}

} // namespace
} // namespace tegula::vulkan::test
