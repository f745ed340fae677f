// The layout of argument blocks, and the form of binaries.
#include "backends/vulkan/Arguments.h"
#include "core/support/Diagnostic.h"
#include "tests/vulkan/Kernels.h"

#include <gmock/gmock.h>

namespace tegula::vulkan::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Arguments, SlotsHaveTheirNaturalAlignment) {
  using enum ScalarType;
  std::vector<ArtifactParam> params = {scalar("a", I8),  pointer("p", F32), scalar("b", F16),
                                       scalar("c", F32), scalar("d", I64),  scalar("e", I1)};
  std::vector<HiddenArgument> hidden = {HiddenArgument::GridBase, HiddenArgument::Scratch};
  ArgumentLayout layout(params, hidden);
  std::vector<ArgumentSlot> expected = {{0, 4},  {8, 8},  {16, 4}, {20, 4}, {24, 8},
                                        {32, 4}, {36, 4}, {40, 4}, {44, 4}, {48, 8}};
  EXPECT_EQ(layout.slots, expected);
  EXPECT_THAT(layout.first, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 9));
  EXPECT_EQ(layout.bytes, 56u);
}

TEST(Arguments, ADescriptorIsAddressExtentsStridesPadding) {
  std::vector<ArtifactParam> params = {{"d", ArtifactParam::Kind::Descriptor, ScalarType::F16, {64, 64, 8}}};
  ArgumentLayout layout(params, {});
  ASSERT_EQ(layout.slots.size(), 8u);
  EXPECT_EQ(layout.slots[6], (ArgumentSlot{48, 8}));
  EXPECT_EQ(layout.slots[7], (ArgumentSlot{56, 4}));
  EXPECT_EQ(layout.bytes, 64u);
}

TEST(Arguments, NothingTakesNothing) { EXPECT_EQ(ArgumentLayout({}, {}).bytes, 0u); }

TEST(Binary, GoesThroughBytes) {
  std::vector<uint8_t> bytes = vectorAdd().binary;
  KernelBinary binary = decodeBinary(bytes);
  EXPECT_EQ(binary.passing, KernelBinary::Passing::Push);
  EXPECT_EQ(encode(binary), bytes);
}

TEST(Binary, DamageIsNamed) {
  std::vector<uint8_t> good = vectorAdd().binary;
  auto message = [](std::vector<uint8_t> bytes) {
    try {
      decodeBinary(bytes);
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message({}), HasSubstr("not a kernel for Vulkan"));
  for (size_t size : {8, 12, 17, 20, 40, 200})
    EXPECT_THAT(message({good.begin(), good.begin() + static_cast<long>(size)}),
                ::testing::AnyOf(HasSubstr("truncated"), HasSubstr("damaged")))
        << size;
  std::vector<uint8_t> passing = good;
  passing[8] = 9;
  EXPECT_THAT(message(passing), HasSubstr("damaged"));
  std::vector<uint8_t> magic = good;
  magic[17] ^= 1;
  EXPECT_THAT(message(magic), HasSubstr("no SPIR-V"));
}

} // namespace
} // namespace tegula::vulkan::test
