// Operations that only rearrange, on elements, on symbolic tiles and on masks: all forms must give the same elements.
#include "tests/cpu/Harness.h"

#include <cmath>
#include <numeric>

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

enum class ShapeForm { Elements, Affine, Mask };

/// A tile with known elements: 7 * i + 2 * j + k.., or as a mask whether this is below 20 (as a box: along one axis).
class Source {
public:
  Source(FunctionBuilder &f, Register input, const Shape &shape, ShapeForm form) : shape_(shape), form_(form) {
    int64_t count = 1;
    for (int64_t n : shape)
      count *= n;
    for (int64_t i = 0; i < count; ++i)
      values_.push_back(valueAt(i));
    switch (form) {
    case ShapeForm::Elements: reg = f.load(f.rowMajorPointers(input, shape)); break;
    case ShapeForm::Affine:
      reg = f.constInt(ElementKind::I32, 0, shape);
      for (size_t d = 0; d < shape.size(); ++d)
        reg = f.like(Opcode::Add,
                     {reg, f.along(f.like(Opcode::Mul,
                                          {f.range(shape[d]), f.constInt(ElementKind::I32, kFactor[d], {shape[d]})}),
                                   d, shape)});
      break;
    case ShapeForm::Mask:
      reg = f.constInt(ElementKind::I1, 1, shape);
      for (size_t d = 0; d < shape.size(); ++d)
        reg = f.like(Opcode::And, {reg, f.along(f.compare(IntPredicate::GeS, f.range(shape[d]),
                                                          f.constInt(ElementKind::I32, shape[d] / 3, {shape[d]})),
                                                d, shape)});
      break;
    }
  }
  const std::vector<int32_t> &values() const { return values_; }
  ElementKind kind() const { return form_ == ShapeForm::Mask ? ElementKind::I1 : ElementKind::I32; }
  Register reg;

private:
  int32_t valueAt(int64_t element) const {
    int64_t sum = 0;
    bool inside = true;
    for (size_t d = shape_.size(); d-- > 0;) {
      sum += element % shape_[d] * kFactor[d];
      inside = inside && element % shape_[d] >= shape_[d] / 3;
      element /= shape_[d];
    }
    return static_cast<int32_t>(form_ == ShapeForm::Mask ? inside : sum);
  }
  static constexpr int64_t kFactor[] = {7, 2, 1, 5};
  Shape shape_;
  ShapeForm form_;
  std::vector<int32_t> values_;
};

/// Applies `change` to a source and compares with the expected elements in row-major order.
template <class Change, class Expected>
void check(const Shape &shape, const Shape &result, Change change, Expected expected) {
  for (ShapeForm form : {ShapeForm::Elements, ShapeForm::Affine, ShapeForm::Mask}) {
    Module m = emptyModule();
    FunctionBuilder f(m, "k");
    const Register in = f.param(pointerTo(ElementKind::I32)), out = f.param(pointerTo(ElementKind::I32));
    Source source(f, in, shape, form);
    Register r = change(f, source.reg, source.kind());
    if (form == ShapeForm::Mask)
      r = f.op(Opcode::ExtU, tile(ElementKind::I32, result), {r});
    f.store(f.rowMajorPointers(out, result), r);
    f.finish();
    std::vector<int32_t> input = source.values();
    const std::vector<int32_t> wanted = expected(source.values());
    std::vector<int32_t> output(wanted.size(), -1);
    run(std::move(m), {}, input.data(), output.data());
    EXPECT_EQ(output, wanted) << "form " << static_cast<int>(form);
  }
}

using Values = std::vector<int32_t>;

TEST(Shape, Transpose) {
  const Shape shape = {3, 4, 5};
  std::vector<int64_t> order = {0, 1, 2};
  do {
    Shape result;
    for (int64_t d : order)
      result.push_back(shape[static_cast<size_t>(d)]);
    check(
        shape, result,
        [&](FunctionBuilder &f, Register x, ElementKind kind) {
          return f.op(Opcode::Transpose, tile(kind, result), {x}, order);
        },
        [&](const Values &v) {
          Values r;
          for (int64_t i = 0; i < result[0]; ++i)
            for (int64_t j = 0; j < result[1]; ++j)
              for (int64_t k = 0; k < result[2]; ++k) {
                int64_t at[3];
                at[order[0]] = i;
                at[order[1]] = j;
                at[order[2]] = k;
                r.push_back(v[static_cast<size_t>((at[0] * 4 + at[1]) * 5 + at[2])]);
              }
          return r;
        });
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Shape, ReshapeKeepsRowMajorOrder) {
  for (const Shape &to :
       {Shape{60}, Shape{12, 5}, Shape{3, 20}, Shape{5, 4, 3}, Shape{1, 3, 4, 1}, Shape{3, 1, 4, 5}, Shape{2, 30}}) {
    const bool squeeze = to == Shape{1, 3, 4, 1};
    const Shape from = squeeze ? Shape{3, 4} : Shape{3, 4, 5};
    check(
        from, to,
        [&](FunctionBuilder &f, Register x, ElementKind kind) { return f.op(Opcode::Reshape, tile(kind, to), {x}); },
        [](const Values &v) { return v; });
  }
}

TEST(Shape, ReshapeOfATransposedTile) {
  check(
      {4, 6}, {24},
      [](FunctionBuilder &f, Register x, ElementKind kind) {
        return f.op(Opcode::Reshape, tile(kind, {24}), {f.op(Opcode::Transpose, tile(kind, {6, 4}), {x}, {1, 0})});
      },
      [](const Values &v) {
        Values r;
        for (size_t j = 0; j < 6; ++j)
          for (size_t i = 0; i < 4; ++i)
            r.push_back(v[i * 6 + j]);
        return r;
      });
}

TEST(Shape, ExpandAndBroadcastEveryAxis) {
  for (int64_t axis = 0; axis < 3; ++axis) {
    Shape expanded = {3, 4}, wide = {3, 4};
    expanded.insert(expanded.begin() + axis, 1);
    wide.insert(wide.begin() + axis, 5);
    check(
        {3, 4}, wide,
        [&](FunctionBuilder &f, Register x, ElementKind kind) {
          return f.op(Opcode::Broadcast, tile(kind, wide),
                      {f.op(Opcode::ExpandDims, tile(kind, expanded), {x}, {axis})});
        },
        [&](const Values &v) {
          Values r;
          for (int64_t i = 0; i < wide[0]; ++i)
            for (int64_t j = 0; j < wide[1]; ++j)
              for (int64_t k = 0; k < wide[2]; ++k)
                r.push_back(v[static_cast<size_t>(axis == 0 ? j * 4 + k : axis == 1 ? i * 4 + k : i * 4 + j)]);
          return r;
        });
  }
}

TEST(Shape, JoinSplitConcat) {
  check(
      {3, 4}, {3, 4, 2},
      [](FunctionBuilder &f, Register x, ElementKind kind) {
        const Register none = f.constInt(kind, 0, {3, 4});
        return f.op(Opcode::Join, tile(kind, {3, 4, 2}), {x, none});
      },
      [](const Values &v) {
        Values r;
        for (int32_t x : v) {
          r.push_back(x);
          r.push_back(0);
        }
        return r;
      });
  for (int half = 0; half < 2; ++half)
    check(
        {3, 4, 2}, {3, 4},
        [&](FunctionBuilder &f, Register x, ElementKind kind) {
          const Register a = f.makeRegister(tile(kind, {3, 4})), b = f.makeRegister(tile(kind, {3, 4}));
          f.emit(Opcode::Split, {a, b}, {x});
          return half ? b : a;
        },
        [&](const Values &v) {
          Values r;
          for (size_t i = static_cast<size_t>(half); i < v.size(); i += 2)
            r.push_back(v[i]);
          return r;
        });
  check(
      {6}, {9},
      [](FunctionBuilder &f, Register x, ElementKind kind) {
        return f.op(Opcode::Concat, tile(kind, {9}), {x, f.constInt(kind, 1, {3})});
      },
      [](Values v) {
        v.insert(v.end(), 3, 1);
        return v;
      });
}

TEST(Shape, ElementwiseOnMixedLayouts) {
  // transposed a + b repeated along one axis: the result overwrites neither operand, and all kinds of strides meet.
  const int64_t M = 37, N = 18;
  std::vector<float> a(M * N), b(M), c(N), out(M * N);
  std::iota(a.begin(), a.end(), 0.0f);
  std::iota(b.begin(), b.end(), 1000.0f);
  std::iota(c.begin(), c.end(), 5.0f);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register pa = f.param(pointerTo(ElementKind::F32)), pb = f.param(pointerTo(ElementKind::F32)),
                 pc = f.param(pointerTo(ElementKind::F32)), po = f.param(pointerTo(ElementKind::F32));
  const Register ta = f.op(Opcode::Transpose, tile(ElementKind::F32, {M, N}),
                           {f.load(f.rowMajorPointers(pa, {N, M})) | kLastUse}, {1, 0});
  const Register tb = f.along(f.load(f.rowMajorPointers(pb, {M})), 0, {M, N}),
                 tc = f.along(f.load(f.rowMajorPointers(pc, {N})), 1, {M, N});
  const Register bc = f.like(Opcode::MulF, {tb | kLastUse, tc | kLastUse});
  const Register sum = f.like(Opcode::AddF, {ta | kLastUse, bc | kLastUse});
  const Register twice = f.like(Opcode::AddF, {sum, sum | kLastUse});
  f.store(f.rowMajorPointers(po, {M, N}), twice | kLastUse);
  f.finish();
  run(std::move(m), {}, a.data(), b.data(), c.data(), out.data());
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j)
      ASSERT_EQ(out[static_cast<size_t>(i * N + j)],
                2 * (a[static_cast<size_t>(j * M + i)] + b[static_cast<size_t>(i)] * c[static_cast<size_t>(j)]));
}

TEST(Shape, ConstantsAndProgramIds) {
  Module m = emptyModule();
  for (int16_t v : {3, -1, 700, 4})
    for (int byte = 0; byte < 2; ++byte)
      m.data.push_back(static_cast<uint8_t>(static_cast<uint16_t>(v) >> (8 * byte)));
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::I16)), q = f.param(pointerTo(ElementKind::I32));
  f.store(f.rowMajorPointers(p, {2, 2}), f.op(Opcode::ConstDense, tile(ElementKind::I16, {2, 2}), {}, {8, 0}));
  Register id = f.constInt(ElementKind::I32, 0);
  for (int64_t axis : {2, 1, 0}) { // id = (z * ny + y) * nx + x
    id = f.like(Opcode::Mul, {id, f.op(Opcode::NumPrograms, tile(ElementKind::I32), {}, {axis})});
    id = f.like(Opcode::Add, {id, f.op(Opcode::ProgramId, tile(ElementKind::I32), {}, {axis})});
  }
  f.store(f.addPtr(q, id), f.like(Opcode::Add, {f.load(f.addPtr(q, id)), f.constInt(ElementKind::I32, 1)}));
  f.finish();
  std::vector<int16_t> dense(4);
  std::vector<int32_t> ids(3 * 5 * 7);
  LaunchOptions options;
  options.grid = {3, 5, 7};
  run(std::move(m), options, dense.data(), ids.data());
  EXPECT_EQ(dense, (std::vector<int16_t>{3, -1, 700, 4}));
  EXPECT_EQ(ids, std::vector<int32_t>(105, 1));
}

TEST(Tile, Gather) {
  for (int64_t axis : {0, 1}) {
    std::vector<float> x(12), out(20);
    std::iota(x.begin(), x.end(), 0.0f);
    const Shape indexShape = axis == 0 ? Shape{5, 4} : Shape{3, 5};
    const int64_t n = indexShape[0] * indexShape[1];
    std::vector<int64_t> index(static_cast<size_t>(n));
    for (size_t i = 0; i < index.size(); ++i)
      index[i] = static_cast<int64_t>(i * 5 % (axis == 0 ? 3 : 4));
    Module m = emptyModule();
    FunctionBuilder f(m, "k");
    const Register p = f.param(pointerTo(ElementKind::F32)), pi = f.param(pointerTo(ElementKind::I64)),
                   o = f.param(pointerTo(ElementKind::F32));
    f.at(5, 5);
    const Register r =
        f.op(Opcode::Gather, tile(ElementKind::F32, indexShape),
             {f.load(f.rowMajorPointers(p, {3, 4})), f.load(f.rowMajorPointers(pi, indexShape))}, {axis});
    f.store(f.rowMajorPointers(o, indexShape), r);
    f.finish();
    run(m, {}, x.data(), index.data(), out.data());
    for (int64_t i = 0; i < n; ++i) {
      const int64_t row = i / indexShape[1], column = i % indexShape[1], at = index[static_cast<size_t>(i)];
      EXPECT_EQ(out[static_cast<size_t>(i)], x[static_cast<size_t>(axis == 0 ? at * 4 + column : row * 4 + at)]);
    }
    index[7] = 4;
    EXPECT_EQ(errorOf([&] { run(m, {}, x.data(), index.data(), out.data()); }), "");
    EXPECT_EQ(out[7], axis == 0 ? x[static_cast<size_t>(1 * 4 + 7 % indexShape[1])]
                                : x[static_cast<size_t>(7 / indexShape[1] * 4)]);
  }
}

TEST(Tile, HistogramCountsWhatIsInRange) {
  std::vector<int32_t> x = {0, 3, 3, -1, 4, 7, 2, 3}, all(4), some(4);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::I32)), a = f.param(pointerTo(ElementKind::I32)),
                 s = f.param(pointerTo(ElementKind::I32));
  const Register t = f.load(f.rowMajorPointers(p, {8}));
  f.store(f.rowMajorPointers(a, {4}), f.op(Opcode::Histogram, tile(ElementKind::I32, {4}), {t}));
  f.store(f.rowMajorPointers(s, {4}),
          f.op(Opcode::Histogram, tile(ElementKind::I32, {4}),
               {t, f.compare(IntPredicate::LtS, f.range(8), f.constInt(ElementKind::I32, 7, {8}))}));
  f.finish();
  run(std::move(m), {}, x.data(), all.data(), some.data());
  EXPECT_EQ(all, (std::vector<int32_t>{1, 0, 1, 3}));
  EXPECT_EQ(some, (std::vector<int32_t>{1, 0, 1, 2}));
}

TEST(Tile, SortRows) {
  for (bool descending : {false, true}) {
    std::vector<float> x = {3, -1, NAN, 2, 5, 0, -INFINITY, 7}, out(8);
    std::vector<int8_t> y = {3, -1, 100, -128, 5, 0, 6, 7}, si(8), ui(8);
    Module m = emptyModule();
    FunctionBuilder f(m, "k");
    const Register p = f.param(pointerTo(ElementKind::F32)), o = f.param(pointerTo(ElementKind::F32)),
                   q = f.param(pointerTo(ElementKind::I8)), s = f.param(pointerTo(ElementKind::I8)),
                   u = f.param(pointerTo(ElementKind::I8));
    f.store(f.rowMajorPointers(o, {2, 4}),
            f.like(Opcode::Sort, {f.load(f.rowMajorPointers(p, {2, 4}))}, {descending, 1}));
    const Register ints = f.load(f.rowMajorPointers(q, {8}));
    f.store(f.rowMajorPointers(s, {8}), f.like(Opcode::Sort, {ints}, {descending, 1}));
    f.store(f.rowMajorPointers(u, {8}), f.like(Opcode::Sort, {ints}, {descending, 0}));
    f.finish();
    run(std::move(m), {}, x.data(), out.data(), y.data(), si.data(), ui.data());
    const size_t nan = descending ? 0 : 3;
    EXPECT_TRUE(std::isnan(out[nan]));
    const std::vector<float> first = descending ? std::vector<float>{3, 2, -1} : std::vector<float>{-1, 2, 3};
    EXPECT_EQ(std::vector<float>(out.begin() + (descending ? 1 : 0), out.begin() + (descending ? 4 : 3)), first);
    EXPECT_EQ(out[4], descending ? 7 : -INFINITY);
    std::vector<int8_t> expected = y;
    std::sort(expected.begin(), expected.end());
    std::vector<int8_t> expectedUnsigned = y;
    std::sort(expectedUnsigned.begin(), expectedUnsigned.end(),
              [](int8_t a, int8_t b) { return static_cast<uint8_t>(a) < static_cast<uint8_t>(b); });
    if (descending) {
      std::reverse(expected.begin(), expected.end());
      std::reverse(expectedUnsigned.begin(), expectedUnsigned.end());
    }
    EXPECT_EQ(si, expected);
    EXPECT_EQ(ui, expectedUnsigned);
  }
}

} // namespace
