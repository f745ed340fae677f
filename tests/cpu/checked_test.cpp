// Checked mode: the texts of its faults; nothing outside a buffer is touched.
#include "tests/cpu/Harness.h"
#include "tests/cpu/Kernels.h"

using namespace tegula;
using namespace tegula::cpu;
using namespace tegula::cpu::test;
using testing::HasSubstr;

namespace {

/// Three arrays of `n` floats with guards on both sides.
struct Arrays {
  explicit Arrays(size_t n) : n(n), x(n + 2 * kGuard, 1.0f), y(n + 2 * kGuard, 2.0f), z(n + 2 * kGuard, -7.0f) {
    options.checked = true;
    const char *names[] = {"x_ptr", "y_ptr", "z_ptr"};
    std::vector<float> *all[] = {&x, &y, &z};
    for (int i = 0; i < 3; ++i)
      ranges.push_back({all[i]->data() + kGuard, n * 4, names[i], ElementKind::F32, nullptr});
    options.buffers = ranges;
  }
  bool guardsIntact() const {
    for (size_t i = 0; i < kGuard; ++i)
      if (z[i] != -7.0f || z[z.size() - 1 - i] != -7.0f)
        return false;
    return true;
  }
  float *data(std::vector<float> &v) { return v.data() + kGuard; }

  static constexpr size_t kGuard = 5000;
  size_t n;
  std::vector<float> x, y, z;
  std::vector<BufferRange> ranges;
  LaunchOptions options;
};

std::string runAdd(Arrays &a, bool masked, uint32_t programs) {
  a.options.grid = {programs, 1, 1};
  return errorOf([&] {
    run(addModule(1024, masked), a.options, a.data(a.x), a.data(a.y), a.data(a.z), static_cast<int64_t>(a.n));
  });
}

TEST(Checked, MaskedKernelIsClean) {
  Arrays a(10000);
  EXPECT_EQ(runAdd(a, true, 10), "");
  for (size_t i = 0; i < a.n; ++i)
    ASSERT_EQ(a.data(a.z)[i], 3.0f);
  EXPECT_TRUE(a.guardsIntact());
}

TEST(Checked, UnmaskedLoadPastTheEnd) {
  Arrays a(10000);
  a.options.sourceLine = [](uint32_t line) { return line == 8 ? "    x = tl.load(x_ptr + offsets)" : ""; };
  EXPECT_EQ(runAdd(a, false, 10), "kernel.py:8:9: error: load of element [784] reads x_ptr[10000], past its end (10000 "
                                  "elements of f32), in program (9, 0, 0)\n"
                                  "        x = tl.load(x_ptr + offsets)\n"
                                  "            ^\n");
  EXPECT_TRUE(a.guardsIntact());
}

TEST(Checked, StorePastTheEndWritesNothingOutside) {
  Arrays a(10000);
  a.ranges[2].size = 9500 * 4; // z is shorter than the mask allows
  EXPECT_THAT(runAdd(a, true, 10), HasSubstr("kernel.py:11:5: error: store of element [284] writes z_ptr[9500], past "
                                             "its end (9500 elements of f32), in program (9, 0, 0)"));
  for (size_t i = 9500; i < 10000; ++i)
    ASSERT_EQ(a.data(a.z)[i], -7.0f);
}

/// The fault of one load of `shape` with `strides` from an offset in a buffer of 100 floats.
std::string loadFault(const Shape &shape, const std::vector<int64_t> &strides, int64_t offset,
                      ElementKind element = ElementKind::F32, bool tracked = false) {
  std::vector<float> in(100), out(1000);
  std::vector<uint8_t> written(400, 1);
  for (int i = 20; i < 24; ++i)
    written[static_cast<size_t>(i)] = 0; // in[5]
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(element)), o = f.param(pointerTo(element));
  f.at(3, 7);
  const Register x = f.load(f.stridedPointers(f.addPtr(p, f.constInt(ElementKind::I64, offset)), shape, strides));
  f.store(f.rowMajorPointers(o, shape), x);
  f.finish();
  const BufferRange ranges[] = {{in.data(), 400, "a_ptr", ElementKind::F32, tracked ? written.data() : nullptr},
                                {out.data(), 4000, "out", ElementKind::F32, nullptr}};
  LaunchOptions options;
  options.checked = true;
  options.buffers = ranges;
  return errorOf([&] { run(std::move(m), options, in.data(), out.data()); });
}

TEST(Checked, NamesTheFirstElementInRowMajorOrder) {
  EXPECT_EQ(loadFault({10, 10}, {10, 1}, 0), "");
  EXPECT_THAT(loadFault({10, 10}, {10, 1}, 3), HasSubstr("3:7: error: load of element [9, 7] reads a_ptr[100], past "
                                                         "its end (100 elements of f32), in program (0, 0, 0)"));
  // Column-major in memory: the first invalid element in row-major order is not the first in memory.
  EXPECT_THAT(loadFault({4, 30}, {1, 4}, 0), HasSubstr("load of element [0, 25] reads a_ptr[100]"));
  EXPECT_THAT(loadFault({2, 8}, {-8, 1}, 4),
              HasSubstr("load of element [1, 0] reads a_ptr[-4], before its start (100 elements of f32)"));
  EXPECT_THAT(loadFault({}, {}, -1), HasSubstr("error: load reads a_ptr[-1], before its start"));
  EXPECT_THAT(loadFault({4}, {1}, 1000000), HasSubstr("load of element [0] reads a_ptr[1000000], past its end"));
}

TEST(Checked, AccessAcrossTheEnd) {
  // 8-byte elements through a pointer into 4-byte ones: half of the last element is outside.
  EXPECT_THAT(loadFault({51}, {1}, 0, ElementKind::F64),
              HasSubstr("load of element [50] reads a_ptr[100], past its end"));
  EXPECT_EQ(loadFault({50}, {1}, 0, ElementKind::F64), "");
  EXPECT_THAT(loadFault({10}, {50}, 1, ElementKind::I8),
              HasSubstr("load of element [8] reads a_ptr at byte 401, past its end (100 elements of f32)"));
}

TEST(Checked, ReadsBeforeWrites) {
  EXPECT_THAT(loadFault({10}, {1}, 0, ElementKind::F32, true),
              HasSubstr("load of element [5] reads a_ptr[5], which was never written, in program (0, 0, 0)"));
  EXPECT_EQ(loadFault({5}, {1}, 0, ElementKind::F32, true), "");
  EXPECT_EQ(loadFault({50}, {1}, 6, ElementKind::F32, true), "");
}

TEST(Checked, StoresMarkAsWritten) {
  std::vector<float> buffer(16);
  std::vector<uint8_t> written(64, 0);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::F32));
  const Register first = f.rowMajorPointers(p, {8});
  f.store(first, f.constFloat(ElementKind::F32, 2.5, {8}));
  f.store(f.addPtr(first, f.constInt(ElementKind::I32, 8, {8})), f.load(first),
          {f.compare(IntPredicate::LtS, f.range(8), f.constInt(ElementKind::I32, 3, {8}))});
  f.finish();
  const BufferRange ranges[] = {{buffer.data(), 64, "p", ElementKind::F32, written.data()}};
  LaunchOptions options;
  options.checked = true;
  options.buffers = ranges;
  run(std::move(m), options, buffer.data());
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(written[i], i < 44) << i;
}

/// The fault of the code that `emit` writes, for pointers p and q to 100 floats each, q's behind p's in memory.
template <class Emit> std::string fault(Emit emit) {
  std::vector<float> p(100), q(100);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register rp = f.param(pointerTo(ElementKind::F32)), rq = f.param(pointerTo(ElementKind::F32));
  f.at(6, 2);
  emit(f, rp, rq);
  f.finish();
  const BufferRange ranges[] = {{p.data(), 400, "p", ElementKind::F32, nullptr},
                                {q.data(), 400, "q", ElementKind::F32, nullptr}};
  LaunchOptions options;
  options.checked = true;
  options.buffers = ranges;
  return errorOf([&] { run(std::move(m), options, p.data(), q.data()); });
}

TEST(Checked, PointersOfNoBuffer) {
  EXPECT_THAT(fault([](FunctionBuilder &f, Register, Register) {
                f.load(f.op(Opcode::ConstInt, pointerTo(ElementKind::F32), {}, {0}));
              }),
              HasSubstr("load reads through a null pointer"));
  EXPECT_THAT(fault([](FunctionBuilder &f, Register, Register) {
                const Register null = f.op(Opcode::ConstInt, pointerTo(ElementKind::F32), {}, {0});
                f.store(f.addPtr(f.splat(null, {4}), f.range(4, -2)), f.constFloat(ElementKind::F32, 1, {4}));
              }),
              HasSubstr("store of element [0] writes through a null pointer"));
  EXPECT_THAT(
      fault([](FunctionBuilder &f, Register, Register) {
        f.load(f.op(Opcode::IntToPtr, pointerTo(ElementKind::F32), {f.constInt(ElementKind::I64, 0x123456789ab0)}));
      }),
      HasSubstr("load reads through a pointer that points into no live buffer"));
}

TEST(Checked, ArithmeticCannotReachAnotherBuffer) {
  // p + (q - p): in unchecked mode this is q.
  EXPECT_THAT(fault([](FunctionBuilder &f, Register p, Register q) {
                const Register a = f.op(Opcode::PtrToInt, tile(ElementKind::I64), {p}),
                               b = f.op(Opcode::PtrToInt, tile(ElementKind::I64), {q});
                const Register bytes = f.like(Opcode::Sub, {b, a});
                f.load(f.addPtr(p, f.like(Opcode::DivS, {bytes, f.constInt(ElementKind::I64, 4)})));
              }),
              HasSubstr("reads p["));
  const std::string far = fault([](FunctionBuilder &f, Register p, Register) {
    f.load(f.addPtr(f.splat(p, {8}), f.like(Opcode::Mul, {f.range(8, 0, ElementKind::I64),
                                                          f.constInt(ElementKind::I64, int64_t{1} << 46, {8})})),
           {});
  });
  EXPECT_THAT(far,
              HasSubstr("load of element [1] uses a pointer whose pointer arithmetic left the buffer's address space"));
}

TEST(Checked, MaskedOffLanesAreNotTouched) {
  EXPECT_EQ(fault([](FunctionBuilder &f, Register p, Register) {
              const Register offsets = f.like(
                  Opcode::Mul, {f.range(8, 0, ElementKind::I64), f.constInt(ElementKind::I64, int64_t{1} << 46, {8})});
              const Register mask = f.compare(IntPredicate::LtS, f.range(8), f.constInt(ElementKind::I32, 1, {8}));
              const Register pointers = f.addPtr(f.splat(p, {8}), offsets);
              f.store(pointers, f.load(pointers, {mask}), {mask});
              f.emit(Opcode::AtomicRmw, {kNoRegister}, {pointers, f.constFloat(ElementKind::F32, 1, {8}), mask},
                     {static_cast<int64_t>(AtomicKind::FAdd), 0, 0});
            }),
            "");
}

TEST(Checked, Atomics) {
  EXPECT_THAT(fault([](FunctionBuilder &f, Register p, Register) {
                f.emit(Opcode::AtomicRmw, {kNoRegister},
                       {f.addPtr(f.splat(p, {8}), f.range(8, 96)), f.constFloat(ElementKind::F32, 1, {8})},
                       {static_cast<int64_t>(AtomicKind::FAdd), 0, 0});
              }),
              HasSubstr("atomic of element [4] updates p[100], past its end (100 elements of f32)"));
}

TEST(Checked, AssumeIsTested) {
  EXPECT_THAT(fault([](FunctionBuilder &f, Register, Register) {
                f.emit(Opcode::Assume, {},
                       {f.compare(IntPredicate::LtS, f.range(4), f.constInt(ElementKind::I32, 2, {4}))});
              }),
              HasSubstr("assumption does not hold for element [2]"));
}

TEST(Checked, NotesNameTheCallers) {
  std::vector<float> x(4);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::F32));
  f.at(30, 3);
  const auto outer = static_cast<int32_t>(f.location());
  f.at(20, 5, outer);
  const auto inner = static_cast<int32_t>(f.location());
  f.at(10, 7, inner);
  f.load(f.addPtr(p, f.constInt(ElementKind::I32, 4)));
  f.finish();
  const BufferRange ranges[] = {{x.data(), 16, "x_ptr", ElementKind::F32, nullptr}};
  LaunchOptions options;
  options.checked = true;
  options.buffers = ranges;
  EXPECT_EQ(errorOf([&] { run(std::move(m), options, x.data()); }),
            "kernel.py:10:7: error: load reads x_ptr[4], past its end (4 elements of f32), in program (0, 0, 0)\n"
            "kernel.py:20:5: note: called from here\n"
            "kernel.py:30:3: note: called from here\n");
}

TEST(Checked, ProgramsRunInOrder) {
  // Each program reads the result of the previous one.
  std::vector<int32_t> x(50);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::I32));
  const Register here = f.addPtr(p, f.op(Opcode::ProgramId, tile(ElementKind::I32), {}, {1}));
  f.store(f.addPtr(here, f.constInt(ElementKind::I32, 1)),
          f.like(Opcode::Add, {f.load(here), f.constInt(ElementKind::I32, 1)}));
  f.finish();
  const BufferRange ranges[] = {{x.data(), 200, "x", ElementKind::I32, nullptr}};
  LaunchOptions options;
  options.checked = true;
  options.buffers = ranges;
  options.grid = {1, 49, 1};
  run(std::move(m), options, x.data());
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(x[static_cast<size_t>(i)], i);
}

TEST(Checked, MatmulEqualsUnchecked) {
  const int64_t M = 70, N = 45, K = 33;
  std::vector<float> a(M * K), b(K * N), c(M * N), d(M * N);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i % 17) - 8;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>(i % 13) - 6;
  LaunchOptions options;
  options.grid = {3, 2, 1};
  run(matmulModule(32, 32, 16), options, a.data(), b.data(), c.data(), M, N, K, K, 1, N, 1, N, 1);
  const BufferRange ranges[] = {{a.data(), a.size() * 4, "a", ElementKind::F32, nullptr},
                                {b.data(), b.size() * 4, "b", ElementKind::F32, nullptr},
                                {d.data(), d.size() * 4, "c", ElementKind::F32, nullptr}};
  options.checked = true;
  options.buffers = ranges;
  run(matmulModule(32, 32, 16), options, a.data(), b.data(), d.data(), M, N, K, K, 1, N, 1, N, 1);
  EXPECT_EQ(c, d);
}

TEST(Unchecked, AssertTrapsInTheLowestProgram) {
  Module m = emptyModule();
  m.strings = {"pid must stay below 5"};
  FunctionBuilder f(m, "k");
  const Register pid = f.op(Opcode::ProgramId, tile(ElementKind::I32), {}, {0});
  f.at(2, 3);
  f.emit(Opcode::Assert, {}, {f.compare(IntPredicate::LtS, pid, f.constInt(ElementKind::I32, 5))}, {0});
  f.finish();
  LaunchOptions options;
  options.grid = {1000, 1, 1};
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(errorOf([&] { run(m, options); }),
              "kernel.py:2:3: error: device_assert failed: pid must stay below 5, in program (5, 0, 0)\n");
}

} // namespace
