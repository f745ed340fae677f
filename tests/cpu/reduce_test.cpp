// Reductions and scans: known operations in rows and slices, general regions on slices and element by element.
#include "tests/cpu/Harness.h"
#include "tests/cpu/Kernels.h"

#include <cmath>
#include <numeric>

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

enum class ReduceForm { RowMajor, ColumnMajor, Affine, Uniform };

struct Case {
  Shape shape;
  unsigned axis;
};
const Case kCases[] = {{{1}, 0},      {{5}, 0},      {{64}, 0},      {{1000}, 0},    {{4, 6}, 0},
                       {{4, 6}, 1},   {{7, 3}, 0},   {{3, 4, 5}, 0}, {{3, 4, 5}, 1}, {{3, 4, 5}, 2},
                       {{2, 129}, 1}, {{129, 2}, 0}, {{16, 1}, 1}};

int64_t countOf(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

/// For each line along the axis the row-major positions of its elements.
std::vector<std::vector<size_t>> linesOf(const Case &c) {
  int64_t inner = 1;
  for (size_t d = c.axis + 1; d < c.shape.size(); ++d)
    inner *= c.shape[d];
  const int64_t n = c.shape[c.axis];
  std::vector<std::vector<size_t>> lines;
  for (int64_t o = 0; o < countOf(c.shape) / n; ++o) {
    std::vector<size_t> line;
    for (int64_t i = 0; i < n; ++i)
      line.push_back(static_cast<size_t>(o / inner * inner * n + i * inner + o % inner));
    lines.push_back(line);
  }
  return lines;
}

Register makeTile(FunctionBuilder &f, Register base, ElementKind kind, const Shape &shape, ReduceForm form) {
  switch (form) {
  case ReduceForm::RowMajor: return f.load(f.rowMajorPointers(base, shape));
  case ReduceForm::ColumnMajor: { // the same elements with the axes in reverse order in memory
    Shape reversed(shape.rbegin(), shape.rend());
    std::vector<int64_t> order(shape.size());
    for (size_t d = 0; d < shape.size(); ++d)
      order[d] = static_cast<int64_t>(shape.size() - 1 - d);
    const Register pointers = f.rowMajorPointers(base, shape);
    const Register turned = f.op(Opcode::Transpose, pointerTo(kind, reversed), {pointers}, order);
    const Register loaded = f.op(Opcode::Load, tile(kind, reversed), {turned});
    return f.op(Opcode::Transpose, tile(kind, shape), {f.like(Opcode::Move, {loaded})}, order);
  }
  case ReduceForm::Affine: {
    Register sum = f.constInt(kind, 3, shape);
    for (size_t d = 0; d < shape.size(); ++d)
      sum = f.like(Opcode::Add, {sum, f.along(f.range(shape[d], -1, kind), d, shape)});
    return sum;
  }
  default: return f.splat(f.load(base), shape);
  }
}

std::vector<int64_t> valuesOf(Array &in, const Shape &shape, ReduceForm form) {
  std::vector<int64_t> v;
  for (int64_t i = 0; i < countOf(shape); ++i) {
    int64_t affine = 3, rest = i;
    for (size_t d = shape.size(); d-- > 0;) {
      affine += rest % shape[d] - 1;
      rest /= shape[d];
    }
    v.push_back(form == ReduceForm::Affine ? wrap(affine, 8 * byteSize(in.kind()))
                                           : in.integer(form == ReduceForm::Uniform ? 0 : static_cast<size_t>(i)));
  }
  return v;
}

TEST(Reduce, IntegersInAllForms) {
  for (Opcode op : {Opcode::Add, Opcode::Mul, Opcode::And, Opcode::Or, Opcode::Xor, Opcode::MinS, Opcode::MaxS,
                    Opcode::MinU, Opcode::MaxU})
    for (ElementKind kind : kIntegerKinds)
      for (const Case &c : kCases)
        for (ReduceForm form :
             {ReduceForm::RowMajor, ReduceForm::ColumnMajor, ReduceForm::Affine, ReduceForm::Uniform}) {
          if (form == ReduceForm::Affine && kind == ElementKind::I8 && countOf(c.shape) > 100)
            continue; // the range exceeds i8
          const auto lines = linesOf(c);
          Array in(kind, static_cast<size_t>(countOf(c.shape))), out(kind, lines.size()), scanned(kind, in.size()),
              back(kind, in.size());
          std::mt19937_64 random(9);
          for (size_t i = 0; i < in.size(); ++i)
            in.setBits(i, random());
          Module m = emptyModule();
          FunctionBuilder f(m, "k");
          const Register p = f.param(pointerTo(kind)), o = f.param(pointerTo(kind)), s = f.param(pointerTo(kind)),
                         b = f.param(pointerTo(kind));
          const Register x = makeTile(f, p, kind, c.shape, form);
          Shape reduced = c.shape;
          reduced.erase(reduced.begin() + c.axis);
          f.store(f.rowMajorPointers(s, c.shape), f.op(Opcode::Scan, tile(kind, c.shape), {x}, {c.axis, 1, 0}));
          f.store(f.rowMajorPointers(b, c.shape), f.op(Opcode::Scan, tile(kind, c.shape), {x}, {c.axis, 1, 1}));
          f.store(f.rowMajorPointers(o, reduced),
                  f.op(Opcode::Reduce, tile(kind, reduced), {x | kLastUse}, {c.axis, 1}));
          f.finish();
          addRegion(m, op, kind);
          run(std::move(m), {}, in, out, scanned, back);
          const std::vector<int64_t> values = valuesOf(in, c.shape, form);
          for (size_t l = 0; l < lines.size(); ++l) {
            const std::string where = std::string(name(op)) + " " + std::string(name(kind)) + " case " +
                                      std::to_string(&c - kCases) + " form " + std::to_string(static_cast<int>(form));
            int64_t total = values[lines[l][0]];
            for (size_t i = 0; i < lines[l].size(); ++i) {
              if (i)
                total = referenceInteger(op, total, values[lines[l][i]], 8 * byteSize(kind));
              ASSERT_EQ(scanned.integer(lines[l][i]), total) << "scan " << where;
            }
            ASSERT_EQ(out.integer(l), total) << "reduce " << where;
            for (size_t i = lines[l].size(); i-- > 0;) {
              total = i + 1 == lines[l].size() ? values[lines[l][i]]
                                               : referenceInteger(op, total, values[lines[l][i]], 8 * byteSize(kind));
              ASSERT_EQ(back.integer(lines[l][i]), total) << "reverse scan " << where;
            }
          }
        }
}

TEST(Reduce, FloatSumsAreAtLeastAsGoodAsSequentialOnes) {
  for (const Case &c : {Case{{100000}, 0}, Case{{4096, 3}, 0}, Case{{3, 4096}, 1}, Case{{2, 999, 3}, 1}}) {
    std::vector<float> in(static_cast<size_t>(countOf(c.shape)));
    std::mt19937 random(3);
    for (float &x : in)
      x = static_cast<float>(random() % 1000003) / 1e5f + 0.001f;
    const auto lines = linesOf(c);
    std::vector<float> out(lines.size());
    Module m = emptyModule();
    FunctionBuilder f(m, "k");
    const Register p = f.param(pointerTo(ElementKind::F32)), o = f.param(pointerTo(ElementKind::F32));
    Shape reduced = c.shape;
    reduced.erase(reduced.begin() + c.axis);
    f.store(f.rowMajorPointers(o, reduced), f.op(Opcode::Reduce, tile(ElementKind::F32, reduced),
                                                 {f.load(f.rowMajorPointers(p, c.shape)) | kLastUse}, {c.axis, 1}));
    f.finish();
    addRegion(m, Opcode::AddF, ElementKind::F32);
    run(std::move(m), {}, in.data(), out.data());
    for (size_t l = 0; l < lines.size(); ++l) {
      double exact = 0;
      float sequential = 0;
      for (size_t i : lines[l]) {
        exact += in[i];
        sequential += in[i];
      }
      const double allowed = std::max(std::fabs(sequential - exact), exact * 2e-7);
      EXPECT_LE(std::fabs(out[l] - exact), allowed) << "sequential " << sequential << " exact " << exact;
    }
  }
}

TEST(Reduce, SmallFloatsAreSummedInF32) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16}) {
    Array in(kind, 4096), out(kind, 1);
    for (size_t i = 0; i < in.size(); ++i)
      in.setNumber(i, 0.5); // larger values would stop the growth of a running sum in f16 or bf16
    Module m = emptyModule();
    FunctionBuilder f(m, "k");
    const Register p = f.param(pointerTo(kind)), o = f.param(pointerTo(kind));
    f.store(o, f.op(Opcode::Reduce, tile(kind), {f.load(f.rowMajorPointers(p, {4096}))}, {0, 1}));
    f.finish();
    addRegion(m, Opcode::AddF, kind);
    run(std::move(m), {}, in, out);
    EXPECT_EQ(out.number(0), 2048);
  }
}

TEST(Reduce, MaximumVariantsTreatNan) {
  std::vector<float> in = {1, NAN, 3, 2};
  std::vector<float> out(4);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::F32)), o = f.param(pointerTo(ElementKind::F32));
  const Register x = f.load(f.rowMajorPointers(p, {4}));
  for (int i = 0; i < 4; ++i)
    f.store(f.addPtr(o, f.constInt(ElementKind::I32, i)),
            f.op(Opcode::Reduce, tile(ElementKind::F32), {x}, {0, 1 + i}));
  f.finish();
  for (Opcode op : {Opcode::MaxNumF, Opcode::MinNumF, Opcode::MaximumF, Opcode::MinimumF})
    addRegion(m, op, ElementKind::F32);
  run(std::move(m), {}, in.data(), out.data());
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(out[1], 1);
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_TRUE(std::isnan(out[3]));
}

/// Reduces (value, index) pairs to the larger value, for equal values the lower index. `branches`: with jumps.
uint32_t addArgmax(Module &m, bool branches) {
  FunctionBuilder f(m, "argmax");
  const TileType f32 = tile(ElementKind::F32), i32 = tile(ElementKind::I32);
  const Register v0 = f.param(f32), i0 = f.param(i32), v1 = f.param(f32), i1 = f.param(i32);
  const Register greater = f.compare(FloatPredicate::OGt, v0, v1), equal = f.compare(FloatPredicate::OEq, v0, v1);
  const Register first =
      f.like(Opcode::Or, {greater, f.like(Opcode::And, {equal, f.compare(IntPredicate::LtS, i0, i1)})});
  if (branches) {
    const Register v = f.makeRegister(f32), i = f.makeRegister(i32);
    const size_t test = f.emit(Opcode::BranchIfFalse, {}, {first}, {0});
    f.emit(Opcode::Move, {v}, {v0});
    f.emit(Opcode::Move, {i}, {i0});
    const size_t skip = f.emit(Opcode::Jump, {}, {}, {0});
    f.setTarget(test, f.here());
    f.emit(Opcode::Move, {v}, {v1});
    f.emit(Opcode::Move, {i}, {i1});
    f.setTarget(skip, f.here());
    f.finish({v, i});
  } else {
    f.finish({f.op(Opcode::Select, f32, {first, v0, v1}), f.op(Opcode::Select, i32, {first, i0, i1})});
  }
  return static_cast<uint32_t>(m.functions.size() - 1);
}

TEST(Reduce, ArgmaxOnSlicesAndByElements) {
  for (bool branches : {false, true})
    for (const Case &c : kCases) {
      const auto lines = linesOf(c);
      std::vector<float> in(static_cast<size_t>(countOf(c.shape))), best(lines.size()), running(in.size());
      std::vector<int32_t> at(lines.size()), runningAt(in.size());
      std::mt19937 random(4);
      for (float &x : in)
        x = static_cast<float>(random() % 20);
      Module m = emptyModule();
      FunctionBuilder f(m, "k");
      const Register p = f.param(pointerTo(ElementKind::F32)), pb = f.param(pointerTo(ElementKind::F32)),
                     pi = f.param(pointerTo(ElementKind::I32));
      const Register sb = f.param(pointerTo(ElementKind::F32)), si = f.param(pointerTo(ElementKind::I32));
      Shape reduced = c.shape;
      reduced.erase(reduced.begin() + c.axis);
      const Register x = f.load(f.rowMajorPointers(p, c.shape)),
                     index = f.along(f.range(c.shape[c.axis]), c.axis, c.shape);
      const Register b = f.makeRegister(tile(ElementKind::F32, reduced)),
                     i = f.makeRegister(tile(ElementKind::I32, reduced));
      const Register rb = f.makeRegister(tile(ElementKind::F32, c.shape)),
                     ri = f.makeRegister(tile(ElementKind::I32, c.shape));
      f.emit(Opcode::Scan, {rb, ri}, {x, index}, {c.axis, 1, 0});
      f.emit(Opcode::Reduce, {b, i}, {x | kLastUse, index | kLastUse}, {c.axis, 1});
      f.store(f.rowMajorPointers(pb, reduced), b);
      f.store(f.rowMajorPointers(pi, reduced), i);
      f.store(f.rowMajorPointers(sb, c.shape), rb);
      f.store(f.rowMajorPointers(si, c.shape), ri);
      f.finish();
      addArgmax(m, branches);
      run(std::move(m), {}, in.data(), best.data(), at.data(), running.data(), runningAt.data());
      for (size_t l = 0; l < lines.size(); ++l) {
        size_t expected = 0;
        for (size_t k = 0; k < lines[l].size(); ++k) {
          if (in[lines[l][k]] > in[lines[l][expected]])
            expected = k;
          ASSERT_EQ(runningAt[lines[l][k]], static_cast<int32_t>(expected)) << "case " << &c - kCases << branches;
          ASSERT_EQ(running[lines[l][k]], in[lines[l][expected]]);
        }
        ASSERT_EQ(at[l], static_cast<int32_t>(expected)) << "case " << &c - kCases << " branches " << branches;
        ASSERT_EQ(best[l], in[lines[l][expected]]);
      }
    }
}

TEST(Reduce, RegionsNeedNotCommute) {
  // Composition of functions x -> a x + b, associative but not commutative: (a1, b1) then (a2, b2) is (a1 a2, a2 b1 +
  // b2).
  for (int64_t n : {1, 2, 3, 7, 8, 13, 64}) {
    std::vector<int32_t> a(static_cast<size_t>(n)), b(a.size()), out(2), scanned(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<int32_t>(i * 7 % 5) - 2;
      b[i] = static_cast<int32_t>(i * 3 % 11) - 4;
    }
    Module m = emptyModule();
    FunctionBuilder f(m, "k");
    const TileType i32 = tile(ElementKind::I32), row = tile(ElementKind::I32, {n});
    const Register pa = f.param(pointerTo(ElementKind::I32)), pb = f.param(pointerTo(ElementKind::I32)),
                   po = f.param(pointerTo(ElementKind::I32)), ps = f.param(pointerTo(ElementKind::I32));
    const Register ra = f.load(f.rowMajorPointers(pa, {n})), rb = f.load(f.rowMajorPointers(pb, {n}));
    const Register x = f.makeRegister(i32), y = f.makeRegister(i32), sx = f.makeRegister(row), sy = f.makeRegister(row);
    f.emit(Opcode::Reduce, {x, y}, {ra, rb}, {0, 1});
    f.emit(Opcode::Scan, {sx, sy}, {ra, rb}, {0, 1, 0});
    f.store(po, x);
    f.store(f.addPtr(po, f.constInt(ElementKind::I32, 1)), y);
    f.store(f.rowMajorPointers(ps, {n}), sy);
    f.finish();
    FunctionBuilder g(m, "compose");
    const Register a1 = g.param(i32), b1 = g.param(i32), a2 = g.param(i32), b2 = g.param(i32);
    const Register product = g.like(Opcode::Mul, {a1, a2});
    g.finish({product, g.like(Opcode::Add, {g.like(Opcode::Mul, {a2, b1}), b2})});
    run(std::move(m), {}, a.data(), b.data(), out.data(), scanned.data());
    uint32_t ea = static_cast<uint32_t>(a[0]), eb = static_cast<uint32_t>(b[0]);
    EXPECT_EQ(scanned[0], static_cast<int32_t>(eb));
    for (size_t i = 1; i < a.size(); ++i) {
      ea *= static_cast<uint32_t>(a[i]);
      eb = static_cast<uint32_t>(a[i]) * eb + static_cast<uint32_t>(b[i]);
      EXPECT_EQ(scanned[i], static_cast<int32_t>(eb));
    }
    EXPECT_EQ(out[0], static_cast<int32_t>(ea));
    EXPECT_EQ(out[1], static_cast<int32_t>(eb));
  }
}

TEST(Reduce, RegionThatReturnsAConstantAndAMask) {
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register o = f.param(pointerTo(ElementKind::I32)), q = f.param(pointerTo(ElementKind::I1));
  const TileType i32 = tile(ElementKind::I32), bit = tile(ElementKind::I1);
  const Register below = f.compare(IntPredicate::LtS, f.range(9), f.constInt(ElementKind::I32, 4, {9}));
  f.store(o, f.op(Opcode::Reduce, i32, {f.range(9)}, {0, 1}));
  f.store(q, f.op(Opcode::Reduce, bit, {below}, {0, 2}));
  f.store(f.addPtr(q, f.constInt(ElementKind::I32, 1)), f.op(Opcode::Reduce, bit, {below}, {0, 3}));
  f.finish();
  {
    FunctionBuilder g(m, "constant");
    g.param(i32);
    g.param(i32);
    g.finish({g.constInt(ElementKind::I32, 42)});
  }
  addRegion(m, Opcode::Or, ElementKind::I1);
  addRegion(m, Opcode::And, ElementKind::I1);
  int32_t out = 0;
  std::vector<uint8_t> bits(2, 7);
  run(std::move(m), {}, &out, bits.data());
  EXPECT_EQ(out, 42);
  EXPECT_EQ(bits, (std::vector<uint8_t>{1, 0}));
}

TEST(MapElements, BranchesOnEachElement) {
  // The number of Collatz steps to 1: a loop of different length for each element.
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register o = f.param(pointerTo(ElementKind::I32));
  f.store(f.rowMajorPointers(o, {4, 5}),
          f.op(Opcode::MapElements, tile(ElementKind::I32, {4, 5}),
               {f.op(Opcode::Reshape, tile(ElementKind::I32, {4, 5}), {f.range(20, 1)})}, {1}));
  f.finish();
  FunctionBuilder g(m, "collatz");
  const TileType i32 = tile(ElementKind::I32);
  const Register start = g.param(i32), x = g.makeRegister(i32), steps = g.makeRegister(i32);
  const Register one = g.constInt(ElementKind::I32, 1), two = g.constInt(ElementKind::I32, 2),
                 three = g.constInt(ElementKind::I32, 3);
  g.emit(Opcode::Move, {x}, {start});
  g.emit(Opcode::Move, {steps}, {g.constInt(ElementKind::I32, 0)});
  const size_t head = g.here();
  const Register more = g.compare(IntPredicate::Ne, x, one);
  const size_t leave = g.emit(Opcode::BranchIfFalse, {}, {more}, {0});
  const Register even = g.compare(IntPredicate::Eq, g.like(Opcode::RemS, {x, two}), g.constInt(ElementKind::I32, 0));
  const size_t isOdd = g.emit(Opcode::BranchIfFalse, {}, {even}, {0});
  g.emit(Opcode::DivS, {x}, {x, two});
  const size_t join = g.emit(Opcode::Jump, {}, {}, {0});
  g.setTarget(isOdd, g.here());
  g.emit(Opcode::Mul, {x}, {x, three});
  g.emit(Opcode::Add, {x}, {x, one});
  g.setTarget(join, g.here());
  g.emit(Opcode::Add, {steps}, {steps, one});
  g.emit(Opcode::Jump, {}, {}, {static_cast<int64_t>(head)});
  g.setTarget(leave, g.here());
  g.finish({steps});
  std::vector<int32_t> out(20);
  run(std::move(m), {}, out.data());
  for (int i = 0; i < 20; ++i) {
    int expected = 0;
    for (int v = i + 1; v != 1; v = v % 2 ? 3 * v + 1 : v / 2)
      ++expected;
    EXPECT_EQ(out[static_cast<size_t>(i)], expected);
  }
}

} // namespace
