// Atomics: results and old values one by one, and sums computed by many threads.
#include "tests/cpu/Harness.h"

#include <cmath>

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

TEST(Atomic, KindsOneByOne) {
  struct Row {
    AtomicKind kind;
    ElementKind element;
    int64_t old, operand, result;
  };
  const Row rows[] = {{AtomicKind::Add, ElementKind::I32, INT32_MAX, 2, INT32_MIN + 1},
                      {AtomicKind::Add, ElementKind::I8, 127, 1, -128},
                      {AtomicKind::Add, ElementKind::I64, 5, -7, -2},
                      {AtomicKind::Min, ElementKind::I32, -3, 2, -3},
                      {AtomicKind::Min, ElementKind::I16, 4, -2, -2},
                      {AtomicKind::Max, ElementKind::I32, -3, 2, 2},
                      {AtomicKind::UMin, ElementKind::I32, -3, 2, 2},
                      {AtomicKind::UMax, ElementKind::I32, -3, 2, -3},
                      {AtomicKind::And, ElementKind::I32, 12, 10, 8},
                      {AtomicKind::Or, ElementKind::I64, 12, 10, 14},
                      {AtomicKind::Xor, ElementKind::I8, 12, 10, 6},
                      {AtomicKind::Exchange, ElementKind::I32, 1, 9, 9}};
  for (const Row &row : rows) {
    Array memory(row.element, 1), old(row.element, 1);
    memory.setBits(0, static_cast<uint64_t>(row.old));
    Module m = emptyModule();
    FunctionBuilder f(m, "k");
    const Register p = f.param(pointerTo(row.element)), o = f.param(pointerTo(row.element));
    f.store(o, f.op(Opcode::AtomicRmw, tile(row.element), {p, f.constInt(row.element, row.operand)},
                    {static_cast<int64_t>(row.kind), 3, 1}));
    f.finish();
    run(std::move(m), {}, memory, old);
    EXPECT_EQ(old.integer(0), row.old);
    EXPECT_EQ(memory.integer(0), row.result) << static_cast<int>(row.kind);
  }
}

TEST(Atomic, Floats) {
  struct Row {
    AtomicKind kind;
    double old, operand, result;
  };
  const Row rows[] = {{AtomicKind::FAdd, 1.5, 2.25, 3.75}, {AtomicKind::FMin, 1, -2, -2}, {AtomicKind::FMin, -2, 1, -2},
                      {AtomicKind::FMax, 1, -2, 1},        {AtomicKind::FMax, NAN, 3, 3}, {AtomicKind::FMin, 3, NAN, 3},
                      {AtomicKind::Exchange, 1, 7, 7}};
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16, ElementKind::F32, ElementKind::F64})
    for (const Row &row : rows) {
      Array memory(kind, 1), old(kind, 1);
      memory.setNumber(0, row.old);
      Module m = emptyModule();
      FunctionBuilder f(m, "k");
      const Register p = f.param(pointerTo(kind)), o = f.param(pointerTo(kind));
      f.store(o, f.op(Opcode::AtomicRmw, tile(kind), {p, f.constFloat(kind, row.operand)},
                      {static_cast<int64_t>(row.kind), 3, 1}));
      f.finish();
      run(std::move(m), {}, memory, old);
      EXPECT_EQ(memory.number(0), row.result) << name(kind) << static_cast<int>(row.kind);
    }
}

TEST(Atomic, HistogramOfManyPrograms) {
  const int64_t block = 256, bins = 16;
  const uint32_t programs = 2000;
  for (ElementKind kind : {ElementKind::I32, ElementKind::I64, ElementKind::F32, ElementKind::F64}) {
    Array counts(kind, bins);
    Module m = emptyModule();
    FunctionBuilder f(m, "k");
    const Register p = f.param(pointerTo(kind));
    const Register pid = f.op(Opcode::ProgramId, tile(ElementKind::I32), {}, {0});
    const Register bin = f.like(Opcode::RemS, {f.like(Opcode::Add, {f.range(block), f.splat(pid, {block})}),
                                               f.constInt(ElementKind::I32, bins, {block})});
    const Register mask = f.compare(IntPredicate::Ne, bin, f.constInt(ElementKind::I32, 3, {block}));
    const bool floats = kind == ElementKind::F32 || kind == ElementKind::F64;
    const Register one = floats ? f.constFloat(kind, 1, {block}) : f.constInt(kind, 1, {block});
    f.emit(Opcode::AtomicRmw, {kNoRegister}, {f.addPtr(f.splat(p, {block}), bin), one, mask},
           {static_cast<int64_t>(floats ? AtomicKind::FAdd : AtomicKind::Add), 0, 1});
    f.finish();
    LaunchOptions options;
    options.grid = {programs, 1, 1};
    run(std::move(m), options, counts);
    for (size_t b = 0; b < bins; ++b) {
      const double count = floats ? counts.number(b) : static_cast<double>(counts.integer(b));
      EXPECT_EQ(count, b == 3 ? 0 : programs * block / bins) << name(kind);
    }
  }
}

TEST(Atomic, CompareAndSwapAsALock) {
  // Each program adds to an unprotected counter under a spin lock.
  std::vector<int32_t> memory(2);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::I32));
  const Register zero = f.constInt(ElementKind::I32, 0), one = f.constInt(ElementKind::I32, 1);
  const Register counter = f.addPtr(p, one);
  const size_t head = f.here();
  const Register old = f.op(Opcode::AtomicCas, tile(ElementKind::I32), {p, zero, one}, {3, 1});
  const Register taken = f.compare(IntPredicate::Eq, old, zero);
  f.emit(Opcode::BranchIfFalse, {}, {taken}, {static_cast<int64_t>(head)});
  f.store(counter, f.like(Opcode::Add, {f.load(counter), one}));
  f.emit(Opcode::AtomicRmw, {kNoRegister}, {p, zero}, {static_cast<int64_t>(AtomicKind::Exchange), 2, 1});
  f.finish();
  LaunchOptions options;
  options.grid = {3000, 1, 1};
  run(std::move(m), options, memory.data());
  EXPECT_EQ(memory[1], 3000);
  EXPECT_EQ(memory[0], 0);
}

TEST(Atomic, MisalignedAddressIsAFault) {
  std::vector<int32_t> memory(4);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::I8));
  const Register odd =
      f.op(Opcode::PtrCast, pointerTo(ElementKind::I32), {f.addPtr(p, f.constInt(ElementKind::I32, 2))});
  f.emit(Opcode::AtomicRmw, {kNoRegister}, {odd, f.constInt(ElementKind::I32, 1)}, {0, 0, 0});
  f.finish();
  EXPECT_THAT(errorOf([&] { run(std::move(m), {}, memory.data()); }),
              testing::HasSubstr("not a multiple of its 4 bytes"));
}

} // namespace
