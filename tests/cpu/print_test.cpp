// device_print and device_assert texts.
#include "tests/cpu/Harness.h"

#include <cmath>

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

template <class Emit> std::string printed(Emit emit, std::array<uint32_t, 3> grid = {1, 1, 1}) {
  Module m = emptyModule();
  m.strings = {" value: ", "\n"};
  FunctionBuilder f(m, "k");
  emit(f);
  f.finish();
  std::string text;
  LaunchOptions options;
  options.grid = grid;
  options.threads = 1;
  options.print = [&](std::string_view piece) { text += piece; };
  run(std::move(m), options);
  return text;
}

TEST(Print, Scalars) {
  EXPECT_EQ(
      printed([](FunctionBuilder &f) { f.emit(Opcode::Print, {}, {f.constFloat(ElementKind::F32, 1.5)}, {0, 0, 1}); }),
      "pid (0, 0, 0) idx () value: 1.500000\n");
  EXPECT_EQ(
      printed([](FunctionBuilder &f) { f.emit(Opcode::Print, {}, {f.constInt(ElementKind::I8, -3)}, {0, 0, 1}); }),
      "pid (0, 0, 0) idx () value: -3\n");
  EXPECT_EQ(
      printed([](FunctionBuilder &f) { f.emit(Opcode::Print, {}, {f.constInt(ElementKind::I8, -3)}, {0, 0, 0}); }),
      "pid (0, 0, 0) idx () value: 253\n");
  EXPECT_EQ(
      printed([](FunctionBuilder &f) { f.emit(Opcode::Print, {}, {f.constInt(ElementKind::I64, -1)}, {0, 0, 0}); }),
      "pid (0, 0, 0) idx () value: 18446744073709551615\n");
  EXPECT_EQ(
      printed([](FunctionBuilder &f) { f.emit(Opcode::Print, {}, {f.constInt(ElementKind::I32, 255)}, {0, 1, 1}); }),
      "pid (0, 0, 0) idx () value: 0x000000ff\n");
  EXPECT_EQ(
      printed([](FunctionBuilder &f) { f.emit(Opcode::Print, {}, {f.constFloat(ElementKind::F16, 1)}, {0, 1, 1}); }),
      "pid (0, 0, 0) idx () value: 0x3c00\n");
  EXPECT_EQ(printed([](FunctionBuilder &f) { f.emit(Opcode::Print, {}, {f.constInt(ElementKind::I1, 1)}, {0, 0, 1}); }),
            "pid (0, 0, 0) idx () value: 1\n");
  EXPECT_EQ(printed([](FunctionBuilder &f) {
              f.emit(Opcode::Print, {}, {f.op(Opcode::ConstInt, pointerTo(ElementKind::F32), {}, {4096})}, {0, 0, 0});
            }),
            "pid (0, 0, 0) idx () value: 0x1000\n");
}

TEST(Print, WithoutOperands) {
  EXPECT_EQ(printed([](FunctionBuilder &f) { f.emit(Opcode::Print, {}, {}, {0, 0}); }), "pid (0, 0, 0) value: \n");
}

TEST(Print, TilesPadTheirIndices) {
  const std::string text = printed([](FunctionBuilder &f) { f.emit(Opcode::Print, {}, {f.range(12)}, {0, 0, 1}); });
  EXPECT_THAT(text, testing::StartsWith("pid (0, 0, 0) idx ( 0) value: 0\npid (0, 0, 0) idx ( 1) value: 1\n"));
  EXPECT_THAT(text, testing::EndsWith("pid (0, 0, 0) idx (11) value: 11\n"));
  const std::string plane =
      printed([](FunctionBuilder &f) { f.emit(Opcode::Print, {}, {f.along(f.range(11), 1, {2, 11})}, {0, 0, 1}); });
  EXPECT_THAT(plane, testing::HasSubstr("idx (1,  3) value: 3\n"));
}

TEST(Print, SeveralOperandsAreNumbered) {
  EXPECT_EQ(printed([](FunctionBuilder &f) {
              f.emit(Opcode::Print, {}, {f.constInt(ElementKind::I32, -1), f.constFloat(ElementKind::BF16, 2)},
                     {0, 0, 0, 1});
            }),
            "pid (0, 0, 0) idx () value: (operand 0) 4294967295\npid (0, 0, 0) idx () value: (operand 1) 2.000000\n");
}

TEST(Print, NamesEachProgram) {
  EXPECT_EQ(printed(
                [](FunctionBuilder &f) {
                  f.emit(Opcode::Print, {}, {f.op(Opcode::ProgramId, tile(ElementKind::I32), {}, {1})}, {0, 0, 1});
                },
                {1, 2, 2}),
            "pid (0, 0, 0) idx () value: 0\npid (0, 1, 0) idx () value: 1\npid (0, 0, 1) idx () value: 0\npid (0, 1, "
            "1) idx () value: 1\n");
}

TEST(Print, LinesOfThreadsDoNotMix) {
  Module m = emptyModule();
  m.strings = {" x: "};
  FunctionBuilder f(m, "k");
  f.emit(Opcode::Print, {}, {f.range(16)}, {0, 0, 1});
  f.finish();
  size_t pieces = 0;
  LaunchOptions options;
  options.grid = {200, 1, 1};
  options.print = [&](std::string_view piece) { // never called by two threads at once
    ++pieces;
    EXPECT_EQ(std::count(piece.begin(), piece.end(), '\n'), 16);
  };
  run(std::move(m), options);
  EXPECT_EQ(pieces, 200u);
}

TEST(Assert, NamesElementAndMessage) {
  Module m = emptyModule();
  m.strings = {"", "index in range"};
  FunctionBuilder f(m, "k");
  f.at(4, 2);
  const Register row = f.compare(IntPredicate::LtS, f.range(8), f.constInt(ElementKind::I32, 6, {8}));
  f.emit(Opcode::Assert, {}, {f.along(row, 1, {3, 8})}, {1});
  f.finish();
  EXPECT_EQ(errorOf([&] { run(std::move(m), {}); }),
            "kernel.py:4:2: error: device_assert failed for element [0, 6]: index in range, in program (0, 0, 0)\n");
}

} // namespace
