// Matrix products. Small whole numbers make every product and sum exact, whatever the order, the fusing and the
// narrowing of inputs to tf32; reals are held within the bound of the accumulation's length.
#include "tests/conformance/families/Families.h"
#include "tests/conformance/families/References.h"

namespace tegula::conformance {

namespace dot_family {

const std::string kFamily = "dot", kFile = "dot.py";

struct Size {
  int64_t m, n, k;
  int warps;
  std::string text() const {
    return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + ",w=" + std::to_string(warps);
  }
};
constexpr Size kSizes[] = {{16, 16, 16, 1}, {32, 32, 32, 4},  {64, 32, 16, 4}, {16, 64, 128, 2},
                           {64, 64, 64, 4}, {128, 64, 32, 8}, {32, 128, 16, 8}};
constexpr DType kInputs[] = {DType::F16, DType::BF16, DType::F32, DType::I8, DType::F64};

DType accumulatorOf(DType type) {
  return type == DType::I8 ? DType::I32 : type == DType::F64 ? DType::F64 : DType::F32;
}
/// bf16 and fp8 hold few whole numbers.
Fill smallNumbers() { return whole(-4, 4); }

/// sum over p of a(i, p) b(p, j), with the elements' places in buffers 0 and 1.
struct Product {
  int64_t n, k;
  std::function<int64_t(int64_t, int64_t)> a, b;
  Number operator()(const Inputs &in, int64_t i, int64_t j) const {
    Number total = 0;
    for (int64_t p = 0; p < k; ++p)
      total += in(0, a(i, p)) * in(1, b(p, j));
    return total;
  }
};
Product rowMajor(const Size &s) {
  return {s.n, s.k, [k = s.k](int64_t i, int64_t p) { return i * k + p; },
          [n = s.n](int64_t p, int64_t j) { return p * n + j; }};
}
Reference of(Product product, std::function<Number(const Inputs &, int64_t, Number)> then = {}) {
  return each([product = std::move(product), then = std::move(then)](const Inputs &in, int64_t i) {
    Number value = product(in, i / product.n, i % product.n);
    return then ? then(in, i, value) : value;
  });
}

Case &sized(Case &made, const Size &s) { return made.with("M", s.m).with("N", s.n).with("K", s.k).warps(s.warps); }

void addFew(Cases &cases) {
  for (DType type : {DType::F16, DType::F32, DType::I8})
    for (const Size &s : {Size{8, 16, 32, 1}, {2, 4, 32, 4}, {1, 8, 32, 2}, {16, 1, 32, 1}, {4, 64, 32, 4}}) {
      DType result = accumulatorOf(type);
      Product product = rowMajor(s);
      sized(cases.add(kFamily, kFile, "few", named(type) + "," + s.text()), s)
          .in(type, s.m * s.k, smallNumbers())
          .in(type, s.k * s.n, smallNumbers())
          .out(result, s.m, exactAnyZero(), each([s, product](const Inputs &in, int64_t i) {
                 Number sum = 0;
                 for (int64_t j = 0; j < s.n; ++j)
                   sum += product(in, i, j);
                 return sum;
               }))
          .out(result, s.n, exactAnyZero(), each([s, product](const Inputs &in, int64_t j) {
                 Number sum = 0;
                 for (int64_t i = 0; i < s.m; ++i)
                   sum += product(in, i, j);
                 return sum;
               }))
          .out(result, s.m * s.n, exactAnyZero(), of(product));
    }
}

void addPlain(Cases &cases) {
  for (DType type : kInputs)
    for (const Size &s : kSizes) {
      DType result = accumulatorOf(type);
      sized(cases.add(kFamily, kFile, "dot", named(type) + "," + s.text()), s)
          .in(type, s.m * s.k, smallNumbers())
          .in(type, s.k * s.n, smallNumbers())
          .out(result, s.m * s.n, exactAnyZero(), of(rowMajor(s)));
      if (isFloat(type))
        sized(cases.add(kFamily, kFile, "dot", named(type) + "," + s.text() + ",reals"), s)
            .in(type, s.m * s.k, reals(-1, 1))
            .in(type, s.k * s.n, reals(-1, 1))
            .out(result, s.m * s.n, ofDot(s.k, 1, type, result), of(rowMajor(s)));
    }
  for (const Size &s : kSizes)
    for (DType type : {DType::F8E4M3, DType::F8E5M2})
      sized(cases.add(kFamily, kFile, "dot", named(type) + "," + s.text()), s)
          .in(type, s.m * s.k, smallNumbers())
          .in(type, s.k * s.n, smallNumbers())
          .out(DType::F32, s.m * s.n, exactAnyZero(), of(rowMajor(s)));
  for (const Size &s : kSizes) {
    sized(cases.add(kFamily, kFile, "dot_ieee", s.text()), s)
        .in(DType::F32, s.m * s.k, reals(-1, 1))
        .in(DType::F32, s.k * s.n, reals(-1, 1))
        .out(DType::F32, s.m * s.n, ofPrecision("ieee", s.k, 1), of(rowMajor(s)));
    sized(cases.add(kFamily, kFile, "out_half", s.text()), s)
        .in(DType::F16, s.m * s.k, smallNumbers())
        .in(DType::F16, s.k * s.n, smallNumbers())
        .out(DType::F16, s.m * s.n, exactAnyZero(), of(rowMajor(s)));
  }
  for (const Size &s : {kSizes[0], kSizes[1], kSizes[2]}) // of larger sizes lavapipe compiles two products for minutes
    sized(cases.add(kFamily, kFile, "allow_tf32", s.text()), s)
        .in(DType::F32, s.m * s.k, reals(-1, 1))
        .in(DType::F32, s.k * s.n, reals(-1, 1))
        .out(DType::F32, s.m * s.n, ofDot(s.k, 1, DType::F32), of(rowMajor(s)))
        .out(DType::F32, s.m * s.n, ofPrecision("ieee", s.k, 1), of(rowMajor(s)));
}

void addPrecisions(Cases &cases) {
  for (const char *precision : {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"}) {
    auto add = [&](const char *kernel, const std::string &name, const Size &s) -> Case & {
      return sized(cases.add(kFamily, kFile, kernel, precision + ("," + name) + s.text()), s)
          .with("PRECISION", precision);
    };
    for (const Size &s : {kSizes[0], kSizes[4], Size{16, 8, 32, 1}, Size{32, 64, 8, 2}, Size{16, 16, 4, 1}})
      add("dot_precision", "", s)
          .in(DType::F32, s.m * s.k, reals(-1, 1))
          .in(DType::F32, s.k * s.n, reals(-1, 1))
          .out(DType::F32, s.m * s.n, ofPrecision(precision, s.k, 1), of(rowMajor(s)));
    for (int64_t trips : {1, 4}) {
      Size s{64, 32, 32, 4};
      add("precision_loop", "trips=" + std::to_string(trips) + ",", s)
          .in(DType::F32, trips * s.m * s.k, reals(-1, 1))
          .in(DType::F32, trips * s.k * s.n, reals(-1, 1))
          .out(DType::F32, s.m * s.n, ofPrecision(precision, trips * s.k, 1), each([=](const Inputs &in, int64_t i) {
                 Number total = 0;
                 for (int64_t p = 0; p < trips * s.k; ++p)
                   total += in(0, (p / s.k * s.m + i / s.n) * s.k + p % s.k) * in(1, p * s.n + i % s.n);
                 return total;
               }))
          .value(trips);
    }
    bool isTf32 = precision == std::string("tf32");
    // Between the errors of a number that is rounded and of one that is cut off.
    Policy policy = near(0, isTf32 ? 1.5 * 0x1p-11 : precision == std::string("bf16x3") ? 0x1p-14 : 0x1p-20);
    Fill others = isTf32 ? listed({0.5, -0.25, 0.125, -0.0625}) : powers(-9, -1, true);
    for (const Size &s : {Size{16, 16, 16, 1}, Size{64, 32, 32, 4}}) {
      add("dot_precision", "extremes in A,", s)
          .in(DType::F32, s.m * s.k, extremesOnDiagonal(s.k, !isTf32))
          .in(DType::F32, s.k * s.n, others)
          .out(DType::F32, s.m * s.n, policy, of(rowMajor(s)));
      add("dot_precision", "extremes in B,", s)
          .in(DType::F32, s.m * s.k, others)
          .in(DType::F32, s.k * s.n, extremesOnDiagonal(s.n, !isTf32))
          .out(DType::F32, s.m * s.n, policy, of(rowMajor(s)));
    }
  }
}

void addArrangements(Cases &cases) {
  for (DType type : {DType::F16, DType::F32, DType::I8})
    for (const Size &s : {kSizes[0], kSizes[2], kSizes[5], Size{32, 32, 64, 4}}) {
      DType result = accumulatorOf(type);
      for (int which = 0; which < 4; ++which) {
        bool ta = which & 1, tb = which & 2;
        Product product = rowMajor(s);
        if (ta)
          product.a = [m = s.m](int64_t i, int64_t p) { return p * m + i; };
        if (tb)
          product.b = [k = s.k](int64_t p, int64_t j) { return j * k + p; };
        sized(cases.add(kFamily, kFile, "transposed",
                        named(type) + "," + s.text() + (ta ? ",A^T" : "") + (tb ? ",B^T" : "")),
              s)
            .in(type, s.m * s.k, smallNumbers())
            .in(type, s.k * s.n, smallNumbers())
            .out(result, s.m * s.n, exactAnyZero(), of(product))
            .with("TA", ta)
            .with("TB", tb);
        if (ta && tb)
          sized(cases.add(kFamily, kFile, "column_major", named(type) + "," + s.text()), s)
              .in(type, s.m * s.k, smallNumbers())
              .in(type, s.k * s.n, smallNumbers())
              .out(result, s.m * s.n, exactAnyZero(), of(product));
      }
      sized(cases.add(kFamily, kFile, "accumulate", named(type) + "," + s.text()), s)
          .in(type, s.m * s.k, smallNumbers())
          .in(type, s.k * s.n, smallNumbers())
          .in(result, s.m * s.n, whole(-90, 90))
          .out(result, s.m * s.n, exactAnyZero(),
               of(rowMajor(s), [](const Inputs &in, int64_t i, Number value) { return 2 * value + in(2, i); }));
      sized(cases.add(kFamily, kFile, "computed_operand", named(type) + "," + s.text()), s)
          .in(type, s.m * s.k, whole(-2, 2))
          .in(type, s.k * s.n, whole(-2, 2))
          .out(result, s.m * s.n, exactAnyZero(), each([s](const Inputs &in, int64_t i) {
                 Number total = 0;
                 for (int64_t p = 0; p < s.k; ++p) {
                   Number a = in(0, i / s.n * s.k + p);
                   total += (a > 0 ? a : a * 2) * (in(1, p * s.n + i % s.n) + 1);
                 }
                 return total;
               }));
    }
}

void addComposed(Cases &cases) {
  for (DType type : {DType::F16, DType::BF16, DType::F32})
    for (const Size &s : {kSizes[0], kSizes[1], kSizes[4]})
      // D (M x K) = (A B) C, with the inner product rounded to the inputs' type: few and small numbers keep it exact.
      sized(cases.add(kFamily, kFile, "chained", named(type) + "," + s.text()), s)
          .in(type, s.m * s.k, listed({1, 0, 0, -1, 0, 0, 0, 0, 1, 0, 0}))
          .in(type, s.k * s.n, listed({0, 1, 0, 0, 0, -1, 0, 1, 0, 0, 0, 0, 2}))
          .in(type, s.n * s.k, whole(-2, 2))
          .out(DType::F32, s.m * s.k, exactAnyZero(), each([s](const Inputs &in, int64_t i) {
                 Product product = rowMajor(s);
                 Number total = 0;
                 for (int64_t q = 0; q < s.n; ++q)
                   total += product(in, i / s.k, q) * in(2, q * s.k + i % s.k);
                 return total;
               }));
  for (DType type : {DType::F16, DType::F32})
    for (const Size &s : {kSizes[1], kSizes[5]})
      sized(cases.add(kFamily, kFile, "epilogue", named(type) + "," + s.text()), s)
          .in(type, s.m * s.k, smallNumbers())
          .in(type, s.k * s.n, smallNumbers())
          .in(DType::F32, s.n, whole(-20, 20))
          .out(DType::F32, s.m * s.n, exactAnyZero(), [s](const Inputs &in, int64_t count) {
            Product product = rowMajor(s);
            Expected out;
            for (int64_t i = 0; i < count / s.n; ++i) {
              std::vector<Number> row;
              Number top = 0;
              for (int64_t j = 0; j < s.n; ++j) {
                row.push_back(std::max<Number>(product(in, i, j) + in(2, j), 0));
                top = std::max(top, row.back());
              }
              for (Number value : row)
                out.push_back(value - top);
            }
            return out;
          });
  for (DType type : {DType::F16, DType::F32, DType::I8})
    for (auto [batch, m, n, k, warps] : {std::tuple{2, 16, 16, 16, 4}, {4, 32, 16, 32, 8}, {1, 16, 32, 16, 2}}) {
      int64_t M = m, N = n, K = k;
      cases
          .add(kFamily, kFile, "batched", named(type) + "," + std::to_string(batch) + "x" + Size{m, n, k, warps}.text())
          .in(type, batch * M * K, smallNumbers())
          .in(type, batch * K * N, smallNumbers())
          .out(accumulatorOf(type), batch * M * N, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
                 int64_t b = i / (M * N), row = i / N % M, column = i % N;
                 Number total = 0;
                 for (int64_t p = 0; p < K; ++p)
                   total += in(0, (b * M + row) * K + p) * in(1, (b * K + p) * N + column);
                 return total;
               }))
          .with("B", batch)
          .with("M", M)
          .with("N", N)
          .with("K", K)
          .warps(warps);
    }
}

void addLoops(Cases &cases) {
  struct Problem {
    int64_t m, n, k;
    Size block;
  };
  for (const Problem &p : {Problem{33, 47, 65, {16, 16, 16, 2}}, Problem{64, 64, 64, {32, 32, 16, 4}},
                           Problem{100, 30, 70, {64, 32, 32, 4}}, Problem{1, 1, 1, {16, 16, 16, 1}},
                           Problem{70, 130, 40, {64, 64, 16, 8}}})
    for (DType type : {DType::F16, DType::F32, DType::BF16})
      for (bool columns : {false, true}) {
        int64_t am = columns ? 1 : p.k, ak = columns ? p.m : 1, bk = columns ? 1 : p.n, bn = columns ? p.k : 1;
        Product product{p.n, p.k, [=](int64_t i, int64_t q) { return i * am + q * ak; },
                        [=](int64_t q, int64_t j) { return q * bk + j * bn; }};
        sized(cases.add(kFamily, kFile, "k_loop",
                        named(type) + "," + Size{p.m, p.n, p.k, 0}.text() + " by " + p.block.text() +
                            (columns ? ",columns" : "")),
              p.block)
            .in(type, p.m * p.k, smallNumbers())
            .in(type, p.k * p.n, smallNumbers())
            .out(DType::F32, p.m * p.n, exactAnyZero(), of(product))
            .value(p.m)
            .value(p.n)
            .value(p.k)
            .value(am)
            .value(ak)
            .value(bk)
            .value(bn)
            .grid(cdiv(p.m, p.block.m), cdiv(p.n, p.block.n));
      }
}

/// What the kernel `rows` has for one row.
struct RowState {
  Number top, total = 0;
  std::vector<Number> d, p;
};

RowState rowState(const Inputs &in, const Size &s, int64_t columns, int64_t depth, int64_t i) {
  RowState row{in(4, i), 0, std::vector<Number>(size_t(depth), 0), {}};
  for (int64_t start = 0; start < columns; start += s.n) {
    std::vector<Number> scores;
    for (int64_t j = start; j < start + s.n; ++j) {
      Number score = j < columns ? in(3, j) : 0;
      for (int64_t k = 0; k < s.k && j < columns; ++k)
        score += in(0, i * s.k + k) * in(1, k * columns + j);
      scores.push_back(j < columns && (i + j) % 3 != 0 ? score : -64);
    }
    Number higher = std::max(row.top, *std::max_element(scores.begin(), scores.end()));
    Number least = *std::min_element(scores.begin(), scores.end()), scale = higher > row.top ? 2 : 1;
    row.total *= scale;
    for (Number &value : row.d)
      value *= scale;
    for (int64_t j = 0; j < s.n; ++j) {
      Number p = scores[size_t(j)] == higher ? 2 : scores[size_t(j)] > least ? 1 : 0;
      row.total += p;
      if (start + j >= columns)
        continue;
      row.p.push_back(p);
      for (int64_t n = 0; n < depth; ++n)
        row.d[size_t(n)] += p * in(2, (start + j) * depth + n);
    }
    row.top = higher;
  }
  return row;
}

void addRows(Cases &cases) {
  struct Problem {
    Size block;
    int64_t depth, columns;
  };
  for (DType type : {DType::F16, DType::BF16})
    for (const Problem &problem :
         {Problem{{32, 32, 16, 2}, 16, 90}, Problem{{64, 32, 64, 4}, 32, 70}, Problem{{128, 16, 32, 4}, 64, 33},
          Problem{{16, 32, 32, 4}, 32, 64}, Problem{{16, 16, 16, 1}, 16, 1}})
      for (bool keep : {false, true}) {
        const Size &s = problem.block;
        int64_t depth = problem.depth, columns = problem.columns;
        auto each = [=](auto part) {
          return [=](const Inputs &in, int64_t count) {
            Expected out;
            for (int64_t i = 0; i < s.m; ++i)
              for (Number value : part(rowState(in, s, columns, depth, i)))
                out.push_back(value);
            out.resize(size_t(count), 0);
            return out;
          };
        };
        using Part = std::vector<Number>;
        sized(cases.add(kFamily, kFile, "rows",
                        named(type) + "," + s.text() + ",columns=" + std::to_string(columns) + (keep ? ",kept" : "")),
              s)
            .in(type, s.m * s.k, whole(-2, 2))
            .in(type, s.k * columns, whole(-2, 2))
            .in(type, columns * depth, whole(-3, 3))
            .in(DType::F32, columns, whole(-5, 5))
            .in(DType::F32, s.m, whole(-5, 5))
            .out(DType::F32, s.m, exactAnyZero(), each([](const RowState &row) { return Part{row.top}; }))
            .out(DType::F32, s.m, exactAnyZero(), each([](const RowState &row) { return Part{row.total}; }))
            .out(DType::F32, s.m * depth, exactAnyZero(), each([](const RowState &row) { return row.d; }))
            .inOut(type, s.m * columns, listed({0}), exactAnyZero(),
                   each([keep](const RowState &row) { return keep ? row.p : Part(row.p.size(), 0); }))
            .value(columns)
            .with("D", depth)
            .with("KEEP", keep);
      }
}

} // namespace dot_family

void addDot(Cases &cases) {
  using namespace dot_family;
  addFew(cases);
  addPlain(cases);
  addPrecisions(cases);
  addArrangements(cases);
  addComposed(cases);
  addLoops(cases);
  addRows(cases);
}

} // namespace tegula::conformance
