// Jumps, loops and branches.
#include "tests/cpu/Harness.h"

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

/// Counts the iterations of a loop.
int64_t iterations(ElementKind kind, int64_t start, int64_t bound, int64_t step, bool isUnsigned) {
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register o = f.param(pointerTo(ElementKind::I64)), first = f.param(tile(kind)), last = f.param(tile(kind)),
                 by = f.param(tile(kind));
  const Register iv = f.makeRegister(tile(kind)), count = f.makeRegister(tile(ElementKind::I64));
  f.emit(Opcode::Move, {iv}, {first});
  f.emit(Opcode::Move, {count}, {f.constInt(ElementKind::I64, 0)});
  const size_t head = f.emit(Opcode::ForTest, {}, {iv, last, by}, {0, isUnsigned});
  f.emit(Opcode::Add, {count}, {count, f.constInt(ElementKind::I64, 1)});
  f.emit(Opcode::Add, {iv}, {iv, by});
  f.emit(Opcode::Jump, {}, {}, {static_cast<int64_t>(head)});
  f.setTarget(head, f.here());
  f.store(o, count);
  f.finish();
  int64_t result = -1;
  run(std::move(m), {}, &result, start, bound, step);
  return result;
}

TEST(Control, LoopsCountUpwards) {
  EXPECT_EQ(iterations(ElementKind::I32, 0, 10, 1, false), 10);
  EXPECT_EQ(iterations(ElementKind::I32, 0, 10, 3, false), 4);
  EXPECT_EQ(iterations(ElementKind::I32, 10, 0, -3, false), 0); // steps that are not positive
  EXPECT_EQ(iterations(ElementKind::I32, 0, 10, -3, false), 0);
  EXPECT_EQ(iterations(ElementKind::I32, 0, 10, 0, false), 0);
  EXPECT_EQ(iterations(ElementKind::I64, -5, 5, 5, false), 2);
  EXPECT_EQ(iterations(ElementKind::I32, 5, 5, 1, false), 0);
  EXPECT_EQ(iterations(ElementKind::I32, 7, 5, 1, false), 0);
  EXPECT_EQ(iterations(ElementKind::I32, 0, -1, 1, false), 0);
  EXPECT_EQ(iterations(ElementKind::I32, -4, -1, 1, true), 3);    // 0xfffffffc to 0xffffffff
  EXPECT_EQ(iterations(ElementKind::I32, -1, 1, 1, true), 0);     // 0xffffffff is above 1
  EXPECT_EQ(iterations(ElementKind::I8, 100, -100, 14, true), 4); // 100 to 156
}

TEST(Control, BranchChoosesByTheCondition) {
  for (int64_t n : {3, 8}) {
    Module m = emptyModule();
    FunctionBuilder f(m, "k");
    const Register o = f.param(pointerTo(ElementKind::I32)), x = f.param(tile(ElementKind::I32));
    const Register small = f.compare(IntPredicate::LtS, x, f.constInt(ElementKind::I32, 5));
    const size_t branch = f.emit(Opcode::BranchIfFalse, {}, {small}, {0});
    f.store(o, f.constInt(ElementKind::I32, 1));
    f.finish(); // an early return with more code behind it
    m.functions.pop_back();
    f.setTarget(branch, f.here());
    f.store(o, f.constInt(ElementKind::I32, 2));
    f.finish();
    int32_t result = 0;
    run(std::move(m), {}, &result, n);
    EXPECT_EQ(result, n < 5 ? 1 : 2);
  }
}

TEST(Control, ValuesSurviveInPlaceReuse) {
  // y = x; loop: y = y * 2 (in place), z = z + x. The tile of x is shared by y's first value and must not change.
  std::vector<float> x = {1, 2, 3, 4}, out(8);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const TileType row = tile(ElementKind::F32, {4}), i32 = tile(ElementKind::I32);
  const Register p = f.param(pointerTo(ElementKind::F32)), o = f.param(pointerTo(ElementKind::F32));
  const Register rx = f.load(f.rowMajorPointers(p, {4}));
  const Register y = f.makeRegister(row), z = f.makeRegister(row), iv = f.makeRegister(i32);
  f.emit(Opcode::Move, {y}, {rx});
  f.emit(Opcode::Move, {z}, {f.constFloat(ElementKind::F32, 0, {4})});
  f.emit(Opcode::Move, {iv}, {f.constInt(ElementKind::I32, 0)});
  const size_t head =
      f.emit(Opcode::ForTest, {}, {iv, f.constInt(ElementKind::I32, 0), f.constInt(ElementKind::I32, 1)}, {0, 0});
  f.setTarget(head, f.here());
  const Register three = f.constInt(ElementKind::I32, 3), one = f.constInt(ElementKind::I32, 1),
                 two = f.constFloat(ElementKind::F32, 2, {4});
  const size_t loop = f.emit(Opcode::ForTest, {}, {iv, three, one}, {0, 0});
  f.emit(Opcode::MulF, {y}, {y | kLastUse, two});
  f.emit(Opcode::AddF, {z}, {z | kLastUse, rx});
  f.emit(Opcode::Add, {iv}, {iv, one});
  f.emit(Opcode::Jump, {}, {}, {static_cast<int64_t>(loop)});
  f.setTarget(loop, f.here());
  f.store(f.rowMajorPointers(o, {4}), y);
  f.store(f.rowMajorPointers(f.addPtr(o, f.constInt(ElementKind::I32, 4)), {4}), z);
  f.finish();
  run(std::move(m), {}, x.data(), out.data());
  EXPECT_EQ(out, (std::vector<float>{8, 16, 24, 32, 3, 6, 9, 12}));
}

TEST(Control, ScalarParametersOfAllTypes) {
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register o = f.param(pointerTo(ElementKind::F64));
  const Register a = f.param(tile(ElementKind::F32)), b = f.param(tile(ElementKind::F64)),
                 c = f.param(tile(ElementKind::I8)), d = f.param(tile(ElementKind::I1)),
                 e = f.param(tile(ElementKind::F16));
  const TileType f64 = tile(ElementKind::F64);
  Register sum = f.like(Opcode::AddF, {f.op(Opcode::ConvertF, f64, {a}, {0}), b});
  sum = f.like(Opcode::AddF, {sum, f.op(Opcode::SIToF, f64, {c})});
  sum = f.like(Opcode::AddF, {sum, f.op(Opcode::UIToF, f64, {d})});
  sum = f.like(Opcode::AddF, {sum, f.op(Opcode::ConvertF, f64, {e}, {0})});
  f.store(o, sum);
  f.finish();
  double result = 0;
  const Program program(std::move(m));
  const ArgumentValue values[] = {argument(&result),
                                  {std::bit_cast<uint32_t>(1.5f), nullptr},
                                  {std::bit_cast<uint64_t>(100.25), nullptr},
                                  {0xfe, nullptr},
                                  {1, nullptr},
                                  {0x3800, nullptr}};
  program.run(values, {});
  EXPECT_EQ(result, 1.5 + 100.25 - 2 + 1 + 0.5);
  EXPECT_THAT(errorOf([&] { program.run(std::span(values).first(3), {}); }),
              testing::HasSubstr("takes 6 arguments, got 3"));
}

TEST(Control, EmptyGridRunsNothing) {
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register o = f.param(pointerTo(ElementKind::I32));
  f.store(o, f.constInt(ElementKind::I32, 1));
  f.finish();
  int32_t result = 0;
  LaunchOptions options;
  options.grid = {0, 5, 1};
  run(std::move(m), options, &result);
  EXPECT_EQ(result, 0);
}

} // namespace
