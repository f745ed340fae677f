// Dot against sums in double: types, odd sizes, operands in every layout, the kernels of every instruction set.
#include "backends/cpu/kernels/KernelTable.h"
#include "tests/cpu/Harness.h"

#include <cmath>

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

struct Size {
  int64_t m, n, k;
};
const Size kSizes[] = {{1, 1, 1},    {2, 3, 5},      {16, 16, 16}, {17, 15, 33}, {14, 32, 8}, {15, 48, 7},
                       {64, 64, 32}, {100, 36, 300}, {1, 128, 64}, {128, 1, 16}, {29, 95, 2}};

template <class T> void checkKernel(DotKernel kernel, const char *table, const Size &s, bool columnMajorA, bool zero) {
  const auto m = static_cast<size_t>(s.m), n = static_cast<size_t>(s.n), k = static_cast<size_t>(s.k);
  const size_t padding = 3; // rows of b and c are longer than the tile
  std::vector<T> a(m * k), b(k * (n + padding)), c(m * (n + padding), T(5));
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<T>(static_cast<int>(i * 7 % 11) - 5);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<T>(static_cast<int>(i * 5 % 13) - 6);
  std::vector<char> scratch(dotScratchBytes(k) + 64);
  DotTile tile;
  tile.m = m;
  tile.n = n;
  tile.k = k;
  tile.a = a.data();
  tile.aRow = columnMajorA ? 1 : static_cast<ptrdiff_t>(k);
  tile.aColumn = columnMajorA ? static_cast<ptrdiff_t>(m) : 1;
  tile.b = b.data();
  tile.bRow = tile.cRow = static_cast<ptrdiff_t>(n + padding);
  tile.c = c.data();
  tile.startFromZero = zero;
  tile.scratch = reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) & ~uintptr_t{63});
  kernel(tile);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n + padding; ++j) {
      double expected = 5;
      if (j < n) {
        expected = zero ? 0 : 5;
        for (size_t p = 0; p < k; ++p)
          expected += static_cast<double>(columnMajorA ? a[p * m + i] : a[i * k + p]) *
                      static_cast<double>(b[p * (n + padding) + j]);
      }
      ASSERT_EQ(static_cast<double>(c[i * (n + padding) + j]), expected)
          << table << " " << m << "x" << n << "x" << k << " at " << i << ", " << j;
    }
}

TEST(Dot, KernelsAreExactOnSmallIntegers) {
  const KernelTables tables = availableKernels();
  for (size_t t = 0; t < tables.count; ++t)
    for (const Size &s : kSizes)
      for (bool columnMajor : {false, true})
        for (bool zero : {false, true}) {
          checkKernel<float>(tables.tables[t]->dotF32, tables.tables[t]->name, s, columnMajor, zero);
          checkKernel<double>(tables.tables[t]->dotF64, tables.tables[t]->name, s, columnMajor, zero);
          checkKernel<int32_t>(tables.tables[t]->dotI32, tables.tables[t]->name, s, columnMajor, zero);
        }
}

enum class DotForm { RowMajor, Transposed, Broadcast };

Register operand(FunctionBuilder &f, Register base, ElementKind kind, int64_t rows, int64_t columns, DotForm form) {
  switch (form) {
  case DotForm::RowMajor: return f.load(f.rowMajorPointers(base, {rows, columns}));
  case DotForm::Transposed:
    return f.op(Opcode::Transpose, tile(kind, {rows, columns}), {f.load(f.rowMajorPointers(base, {columns, rows}))},
                {1, 0});
  default: return f.along(f.load(f.rowMajorPointers(base, {columns})), 1, {rows, columns});
  }
}
/// The operand's elements in row-major order.
std::vector<double> elements(Array &x, int64_t rows, int64_t columns, DotForm form) {
  std::vector<double> v;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const auto at = static_cast<size_t>(form == DotForm::RowMajor     ? i * columns + j
                                          : form == DotForm::Transposed ? j * rows + i
                                                                        : j);
      v.push_back(x.kind() == ElementKind::I8 ? static_cast<double>(x.integer(at)) : x.number(at));
    }
  return v;
}

TEST(Dot, TypesAndLayouts) {
  struct Types {
    ElementKind a, b, c;
  };
  const Types types[] = {{ElementKind::F32, ElementKind::F32, ElementKind::F32},
                         {ElementKind::F16, ElementKind::F16, ElementKind::F32},
                         {ElementKind::F16, ElementKind::F16, ElementKind::F16},
                         {ElementKind::BF16, ElementKind::BF16, ElementKind::F32},
                         {ElementKind::F8E4M3, ElementKind::F8E5M2, ElementKind::F32},
                         {ElementKind::F64, ElementKind::F64, ElementKind::F64},
                         {ElementKind::I8, ElementKind::I8, ElementKind::I32}};
  for (const Types &t : types)
    for (const Size &s : kSizes)
      for (DotForm fa : {DotForm::RowMajor, DotForm::Transposed, DotForm::Broadcast})
        for (DotForm fb : {DotForm::RowMajor, DotForm::Transposed, DotForm::Broadcast})
          for (bool zero : {false, true}) {
            const bool integers = t.a == ElementKind::I8;
            Array a(t.a, static_cast<size_t>(s.m * s.k)), b(t.b, static_cast<size_t>(s.k * s.n)),
                c(t.c, static_cast<size_t>(s.m * s.n)), out(t.c, c.size());
            std::mt19937 random(1);
            auto fill = [&](Array &x) {
              for (size_t i = 0; i < x.size(); ++i) {
                const int v = static_cast<int>(random() % 33) - 16;
                if (integers)
                  x.setBits(i, static_cast<uint64_t>(v * 7));
                else
                  x.setNumber(i, v / 8.0);
              }
            };
            fill(a);
            fill(b);
            fill(c);
            Module m = emptyModule();
            FunctionBuilder f(m, "k");
            const Register pa = f.param(pointerTo(t.a)), pb = f.param(pointerTo(t.b)), pc = f.param(pointerTo(t.c)),
                           po = f.param(pointerTo(t.c));
            const Register ra = operand(f, pa, t.a, s.m, s.k, fa), rb = operand(f, pb, t.b, s.k, s.n, fb);
            const Register rc = !zero      ? f.load(f.rowMajorPointers(pc, {s.m, s.n}))
                                : integers ? f.constInt(t.c, 0, {s.m, s.n})
                                           : f.constFloat(t.c, 0, {s.m, s.n});
            f.store(f.rowMajorPointers(po, {s.m, s.n}),
                    f.op(Opcode::Dot, tile(t.c, {s.m, s.n}), {ra | kLastUse, rb, rc | kLastUse}, {0}));
            f.finish();
            run(std::move(m), {}, a, b, c, out);
            const std::vector<double> va = elements(a, s.m, s.k, fa), vb = elements(b, s.k, s.n, fb);
            for (int64_t i = 0; i < s.m; ++i)
              for (int64_t j = 0; j < s.n; ++j) {
                double sum =
                    zero       ? 0
                    : integers ? static_cast<double>(static_cast<int32_t>(c.integer(static_cast<size_t>(i * s.n + j))))
                               : c.number(static_cast<size_t>(i * s.n + j));
                for (int64_t p = 0; p < s.k; ++p)
                  sum += va[static_cast<size_t>(i * s.k + p)] * vb[static_cast<size_t>(p * s.n + j)];
                const auto at = static_cast<size_t>(i * s.n + j);
                if (integers) {
                  ASSERT_EQ(out.integer(at), static_cast<int64_t>(sum));
                } else { // multiples of 1/8 of small size: every sum is exact in f32
                  const tegula::FloatFormat &format = tegula::floatFormat(scalarType(t.c));
                  ASSERT_EQ(out.number(at), tegula::decodeFloat(format, tegula::encodeFloat(format, sum)))
                      << name(t.a) << " size " << &s - kSizes << " at " << i << ", " << j;
                }
              }
          }
}

TEST(Dot, BatchesOfThree) {
  const int64_t B = 3, M = 5, N = 18, K = 6;
  std::vector<float> a(B * M * K), b(B * K * N), out(B * M * N);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i % 9) - 4;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>(i % 7) - 3;
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register pa = f.param(pointerTo(ElementKind::F32)), pb = f.param(pointerTo(ElementKind::F32)),
                 po = f.param(pointerTo(ElementKind::F32));
  const Register ra = f.load(f.rowMajorPointers(pa, {B, M, K})), rb = f.load(f.rowMajorPointers(pb, {B, K, N}));
  f.store(f.rowMajorPointers(po, {B, M, N}), f.op(Opcode::Dot, tile(ElementKind::F32, {B, M, N}),
                                                  {ra, rb, f.constFloat(ElementKind::F32, 1.5, {B, M, N})}, {0}));
  f.finish();
  run(std::move(m), {}, a.data(), b.data(), out.data());
  for (int64_t q = 0; q < B; ++q)
    for (int64_t i = 0; i < M; ++i)
      for (int64_t j = 0; j < N; ++j) {
        float sum = 1.5f;
        for (int64_t p = 0; p < K; ++p)
          sum += a[static_cast<size_t>((q * M + i) * K + p)] * b[static_cast<size_t>((q * K + p) * N + j)];
        EXPECT_EQ(out[static_cast<size_t>((q * M + i) * N + j)], sum);
      }
}

TEST(Dot, AccumulatorThatIsStillReadIsKept) {
  std::vector<float> x(64), out(128);
  for (size_t i = 0; i < 64; ++i)
    x[i] = static_cast<float>(i);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::F32)), o = f.param(pointerTo(ElementKind::F32));
  const Register t = f.load(f.rowMajorPointers(p, {8, 8}));
  const Register r = f.op(Opcode::Dot, tile(ElementKind::F32, {8, 8}), {t, t, t}, {0});
  f.store(f.rowMajorPointers(o, {8, 8}), t);
  f.store(f.rowMajorPointers(f.addPtr(o, f.constInt(ElementKind::I32, 64)), {8, 8}), r);
  f.finish();
  run(std::move(m), {}, x.data(), out.data());
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i], x[i]);
    float sum = x[i];
    for (size_t k = 0; k < 8; ++k)
      sum += x[i / 8 * 8 + k] * x[k * 8 + i % 8];
    EXPECT_EQ(out[64 + i], sum);
  }
}

} // namespace
