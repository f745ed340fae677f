// The file form: exact round trip; damaged bytes only throw.
#include "tests/cpu/Harness.h"
#include "tests/cpu/Kernels.h"

using namespace tegula;
using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

std::vector<Module> modules() {
  std::vector<Module> list = {matmulModule(16, 32, 16), softmaxModule(256), addModule(64)};
  Module m = emptyModule();
  m.strings = {" x: ", "message with \"quotes\""};
  m.data = {1, 0, 1, 1};
  FunctionBuilder f(m, "mixed");
  const Register d = f.param({ElementKind::Descriptor, ElementKind::F16, {8, 16}}, "desc");
  f.at(3, 4);
  const Register zero = f.constInt(ElementKind::I32, 0);
  const Register t = f.op(Opcode::DescLoad, tile(ElementKind::F16, {8, 16}), {d, zero, zero});
  f.emit(Opcode::Print, {}, {t, zero}, {0, 0, 1, 0});
  f.emit(Opcode::Assert, {}, {f.op(Opcode::ConstDense, tile(ElementKind::I1, {4}), {}, {4, 0})}, {1});
  f.op(Opcode::Transpose, tile(ElementKind::F16, {16, 8}), {t}, {1, 0});
  f.finish();
  list.push_back(m);
  return list;
}

TEST(Serialize, RoundTrip) {
  for (const Module &m : modules()) {
    const std::vector<uint8_t> bytes = serialize(m);
    const Module again = deserialize(bytes);
    EXPECT_EQ(serialize(again), bytes);
    EXPECT_EQ(print(again), print(m));
    EXPECT_EQ(again.file, m.file);
    EXPECT_EQ(again.paramNames, m.paramNames);
    EXPECT_EQ(again.strings, m.strings);
    EXPECT_EQ(again.data, m.data);
    EXPECT_EQ(again.locations, m.locations);
  }
}

TEST(Serialize, EveryTruncationIsRefused) {
  for (const Module &m : modules()) {
    const std::vector<uint8_t> bytes = serialize(m);
    for (size_t n = 0; n < bytes.size(); ++n)
      EXPECT_THROW(deserialize(std::span(bytes).first(n)), Error) << n;
    std::vector<uint8_t> longer = bytes;
    longer.push_back(0);
    EXPECT_THROW(deserialize(longer), Error);
  }
}

TEST(Serialize, ForeignFiles) {
  EXPECT_THAT(errorOf([] { deserialize({}); }), testing::HasSubstr("not CPU bytecode"));
  std::vector<uint8_t> bytes = serialize(addModule(64));
  bytes[4] ^= 1;
  EXPECT_THAT(errorOf([&] { deserialize(bytes); }), testing::HasSubstr("version"));
  bytes[0] ^= 1;
  EXPECT_THAT(errorOf([&] { deserialize(bytes); }), testing::HasSubstr("not CPU bytecode"));
}

TEST(Serialize, CorruptionThrowsOrVerifies) {
  // An accepted module must at least be listed and serialised; sanitizers watch. It is not run, because it might loop.
  std::mt19937 random(1);
  for (const Module &m : modules()) {
    const std::vector<uint8_t> bytes = serialize(m);
    int accepted = 0;
    for (int round = 0; round < 4000; ++round) {
      std::vector<uint8_t> damaged = bytes;
      for (unsigned i = 0, n = 1 + random() % 3; i < n; ++i) {
        uint8_t &byte = damaged[8 + random() % (damaged.size() - 8)];
        byte = random() % 2 ? static_cast<uint8_t>(random()) : static_cast<uint8_t>(byte ^ 1u << random() % 8);
      }
      try {
        const Module read = deserialize(damaged);
        EXPECT_FALSE(print(read).empty());
        EXPECT_EQ(serialize(read), damaged);
        ++accepted;
      } catch (const Error &) {
      }
    }
    EXPECT_LT(accepted, 4000);
  }
}

TEST(Serialize, AcceptedStraightLineModulesRunWithoutLeavingTheirMemory) {
  // Damaged modules that are run: kernels without loads and stores, which could access any memory, and without jumps.
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register a = f.op(Opcode::Reshape, tile(ElementKind::I32, {4, 8}), {f.range(32)});
  const Register b = f.op(Opcode::Transpose, tile(ElementKind::I32, {8, 4}), {a}, {1, 0});
  const Register c = f.op(Opcode::SIToF, tile(ElementKind::F32, {4, 8}), {a});
  const Register d = f.op(Opcode::SIToF, tile(ElementKind::F32, {8, 4}), {b | kLastUse});
  const Register e = f.op(Opcode::Dot, tile(ElementKind::F32, {4, 4}),
                          {c, d | kLastUse, f.constFloat(ElementKind::F32, 1, {4, 4})}, {0});
  const Register r = f.op(Opcode::Reduce, tile(ElementKind::F32, {4}), {e}, {1, 1});
  f.op(Opcode::Scan, tile(ElementKind::F32, {4, 4}), {e | kLastUse}, {0, 1, 0});
  f.like(Opcode::Sort, {r}, {0, 1});
  f.op(Opcode::Gather, tile(ElementKind::F32, {4, 8}),
       {c, f.like(Opcode::RemS, {a, f.constInt(ElementKind::I32, 4, {4, 8})})}, {1});
  f.op(Opcode::Select, tile(ElementKind::F32, {4, 8}),
       {f.compare(IntPredicate::LtS, a, f.constInt(ElementKind::I32, 9, {4, 8})), c, f.like(Opcode::Exp, {c})});
  f.op(Opcode::Histogram, tile(ElementKind::I32, {8}), {a});
  f.op(Opcode::Join, tile(ElementKind::I32, {4, 8, 2}), {a, a});
  f.finish();
  addRegion(m, Opcode::AddF, ElementKind::F32);
  const std::vector<uint8_t> bytes = serialize(m);
  std::mt19937 random(3);
  int ran = 0;
  for (int round = 0; round < 30000; ++round) {
    std::vector<uint8_t> damaged = bytes;
    for (unsigned i = 0, n = 1 + random() % 2; i < n; ++i)
      damaged[8 + random() % (damaged.size() - 8)] = static_cast<uint8_t>(random() % 3 ? random() % 24 : random());
    try {
      Module read = deserialize(damaged);
      bool safe = true;
      int64_t elements = 0;
      for (const Function &function : read.functions) {
        for (const Instruction &i : function.code)
          safe &= i.opcode < Opcode::AddPtr || (i.opcode >= Opcode::Dot && i.opcode <= Opcode::Assume) ||
                  i.opcode == Opcode::Return;
        for (const TileType &type : function.types) {
          int64_t n = 1;
          for (int64_t extent : type.shape)
            n *= extent;
          elements = std::max(elements, n);
        }
      }
      if (!safe || elements > 100000 || !read.functions[0].params.empty())
        continue;
      ++ran;
      Program(std::move(read)).run({}, {});
    } catch (const Error &) {
    }
  }
  EXPECT_GT(ran, 100);
}

} // namespace
