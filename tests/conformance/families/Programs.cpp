// Whole kernels.
#include "tests/conformance/families/Families.h"
#include "tests/conformance/families/References.h"

namespace tegula::conformance {

namespace programs_family {

const std::string kFamily = "programs", kFile = "programs.py";

/// softmax along columns, of rows of `columns` elements of buffer `k`.
Reference softmaxColumns(size_t k, int64_t columns) {
  return each([=](const Inputs &in, int64_t i) {
    Number total = 0;
    for (size_t j = size_t(i % columns); j < in.all(k).size(); j += size_t(columns))
      total += std::exp(in.all(k)[j] - in(k, i));
    return 1 / total;
  });
}

void addRows(Cases &cases) {
  for (auto [rows, columns] : {std::pair{8, 781}, {3, 1024}, {1, 1}, {20, 33}, {2, 4000}}) {
    int64_t block = nextPowerOf2(columns), count = rows * columns;
    int warps = columns < 64 ? 1 : columns < 2048 ? 4 : 8;
    auto add = [&, rows = rows, columns = columns](const char *kernel, const std::string &tag = "") -> Case & {
      return cases.add(kFamily, kFile, kernel, tag + by(rows, columns)).with("BLOCK", block).grid(rows).warps(warps);
    };
    add("softmax_rows")
        .in(DType::F32, count, reals(-10, 10))
        .out(DType::F32, count, near(1e-9, 4e-6), softmaxRows(0, columns))
        .value(columns)
        .value(columns);
    add("softmax_online")
        .in(DType::F32, count, reals(-10, 10))
        .out(DType::F32, count, near(1e-9, 6e-6), softmaxRows(0, columns))
        .value(columns)
        .with("BLOCK", std::min<int64_t>(block, 256));
    for (DType type : {DType::F32, DType::F16, DType::BF16})
      add("layernorm", named(type) + ",")
          .in(type, count, reals(-3, 3))
          .in(type, columns, reals(0.5, 1.5))
          .in(type, columns, reals(-1, 1))
          .out(type, count, near(1e-5, 1e-5), layernormRows(0, 1, 2, columns, 1e-5))
          .value(columns)
          .real(1e-5);
    add("rmsnorm")
        .in(DType::F32, count, reals(-3, 3))
        .in(DType::F32, columns, reals(0.5, 1.5))
        .out(DType::F32, count, near(1e-6, 4e-6), each([columns = columns](const Inputs &in, int64_t i) {
               Number squares = 0;
               for (int64_t j = 0; j < columns; ++j)
                 squares += in(0, i / columns * columns + j) * in(0, i / columns * columns + j);
               return in(0, i) / std::sqrt(squares / columns + 1e-5L) * in(1, i % columns);
             }))
        .value(columns)
        .real(1e-5);
    add("cross_entropy")
        .in(DType::F32, count, reals(-5, 5))
        .in(DType::I32, rows, whole(0, columns - 1))
        .out(DType::F32, rows, near(4e-6, 4e-6), each([columns = columns](const Inputs &in, int64_t row) {
               Number total = 0;
               for (int64_t j = 0; j < columns; ++j)
                 total += std::exp(in(0, row * columns + j));
               return std::log(total) - in(0, row * columns + static_cast<int64_t>(in(1, row)));
             }))
        .value(columns);
    cases.add(kFamily, kFile, "matvec", by(rows, columns))
        .in(DType::F32, count, whole(-9, 9))
        .in(DType::F32, columns, whole(-9, 9))
        .out(DType::F32, rows, exactAnyZero(), each([columns = columns](const Inputs &in, int64_t row) {
               Number total = 0;
               for (int64_t j = 0; j < columns; ++j)
                 total += in(0, row * columns + j) * in(1, j);
               return total;
             }))
        .value(columns)
        .with("BLOCK", 128)
        .grid(rows)
        .warps(4);
  }
  for (auto [m, n, warps] : {std::tuple{8, 64, 4}, {64, 8, 2}, {1, 256, 8}})
    for (bool columns : {false, true})
      cases.add(kFamily, kFile, columns ? "softmax_columns" : "softmax_tile", by(m, n))
          .in(DType::F32, m * n, reals(-10, 10))
          .out(DType::F32, m * n, near(1e-9, 4e-6), columns ? softmaxColumns(0, n) : softmaxRows(0, n))
          .with("M", m)
          .with("N", n)
          .warps(warps);
}

void addVectors(Cases &cases) {
  for (int64_t half : {16, 64})
    cases.add(kFamily, kFile, "rotary", "half=" + std::to_string(half))
        .in(DType::F32, 5 * 2 * half, whole(-20, 20))
        .in(DType::F32, 5 * half, listed({1, 0.5L, 0, -0.25L}))
        .in(DType::F32, 5 * half, listed({0, 0.5L, -1, 0.75L}))
        .out(DType::F32, 5 * 2 * half, exactAnyZero(), each([half](const Inputs &in, int64_t i) {
               int64_t row = i / (2 * half), j = i % half;
               Number a = in(0, row * 2 * half + j), b = in(0, row * 2 * half + half + j), c = in(1, row * half + j),
                      s = in(2, row * half + j);
               return i % (2 * half) < half ? a * c - b * s : b * c + a * s;
             }))
        .with("HALF", half)
        .grid(5)
        .warps(2);
  for (int64_t n : {100, 1000})
    cases.add(kFamily, kFile, "dropout", "n=" + std::to_string(n))
        .in(DType::F32, n, reals(-4, 4))
        .in(DType::F32, n, reals(0, 1))
        .out(DType::F32, n, ofFunction("div", DType::F32),
             each([](const Inputs &in, int64_t i) { return in(1, i) > 0.25L ? in(0, i) / 0.75L : 0; }))
        .value(n)
        .real(0.25)
        .with("BLOCK", 128)
        .grid(cdiv(n, 128))
        .warps(4);
  for (DType index : {DType::I32, DType::I64})
    for (DType type : {DType::F16, DType::F32})
      cases.add(kFamily, kFile, "embedding", named(type) + "[" + named(index) + "]")
          .in(type, 50 * 64, anyBits())
          .in(index, 9, shuffled(50))
          .out(type, 9 * 64, exact(), each([](const Inputs &in, int64_t i) {
                 return in(0, static_cast<int64_t>(in(1, i / 64)) * 64 + i % 64);
               }))
          .with("WIDTH", 64)
          .grid(9)
          .warps(2);
  for (DType type : {DType::F32, DType::I32})
    cases.add(kFamily, kFile, "segment_sum", named(type))
        .in(type, 1000, whole(-9, 9))
        .in(DType::I32, 1000, byIndex([](int64_t i) { return i / 37; }))
        .inOut(type, 28, constant(0), exactAnyZero(),
               [](const Inputs &in, int64_t count) {
                 std::vector<Number> sums(static_cast<size_t>(count), 0);
                 for (int64_t i = 0; i < 1000; ++i)
                   sums[static_cast<size_t>(in(1, i))] += in(0, i);
                 return Expected(sums.begin(), sums.end());
               })
        .value(1000)
        .with("BLOCK", 256)
        .grid(4)
        .warps(4);
  for (int64_t taps : {1, 3, 7})
    cases.add(kFamily, kFile, "convolve", "taps=" + std::to_string(taps))
        .in(DType::F32, 500, whole(-9, 9))
        .in(DType::F32, taps, whole(-9, 9))
        .out(DType::F32, 500, exactAnyZero(), each([taps](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t t = 0; t < taps; ++t)
                 if (int64_t at = i + t - taps / 2; at >= 0 && at < 500)
                   total += in(1, t) * in(0, at);
               return total;
             }))
        .value(500)
        .with("TAPS", taps)
        .with("BLOCK", 128)
        .grid(4)
        .warps(4);
}

void addAttentions(Cases &cases) {
  for (auto [n, d, block, warps] : {std::tuple{64, 32, 32, 4}, {50, 16, 16, 2}, {100, 64, 32, 4}})
    for (DType type : {DType::F32, DType::F16})
      for (bool causal : {false, true}) {
        double error = type == DType::F16 ? 4e-3 : 2e-3; // the weights are rounded to f16, or the inputs to tf32
        addAttention(cases, kFamily, type, {n, d, block, warps, causal, 0.25}, error);
      }
}

/// The backward pass; in the last case gradients of keys and values do not fit a thread's registers.
void addGradients(Cases &cases) {
  for (auto [n, d, block, step, warps] : {std::tuple{64, 32, 32, 32, 4},
                                          {64, 16, 32, 32, 2},
                                          {128, 64, 64, 32, 4},
                                          {128, 32, 128, 64, 8},
                                          {128, 128, 128, 32, 4}})
    for (bool causal : {false, true}) {
      int64_t count = int64_t(n) * d;
      Case &made = cases.add(kFamily, kFile, "attention_gradients",
                             by(n, d) + "," + by(block, step) + (causal ? ",causal" : ""));
      for (int i = 0; i < 4; ++i)
        made.in(DType::F16, count, reals(-0.5, 0.5));
      made.in(DType::F32, n, reals(4, 8)).in(DType::F32, n, reals(-1, 1));
      for (unsigned operand : {0U, 1U, 2U})
        made.out(DType::F32, count, near(4e-3), gradientsOf(operand, n, d, causal));
      made.value(n)
          .with("D", d)
          .with("BLOCK", block)
          .with("STEP", step)
          .with("CAUSAL", causal)
          .grid(cdiv(n, block))
          .warps(warps);
    }
}

} // namespace programs_family

void addAttention(Cases &cases, const std::string &family, DType type, const Attention &a, double error) {
  using namespace programs_family;
  int64_t count = a.length * a.width;
  cases.add(family, kFile, "attention", named(type) + "," + by(a.length, a.width) + (a.causal ? ",causal" : ""))
      .in(type, count, reals(-1, 1))
      .in(type, count, reals(-1, 1))
      .in(type, count, reals(-1, 1))
      .out(DType::F32, count, near(error), attentionOf(a.length, a.length, a.width, a.scale, a.causal))
      .value(a.length)
      .real(a.scale)
      .with("D", a.width)
      .with("BLOCK", a.block)
      .with("CAUSAL", a.causal)
      .grid(cdiv(a.length, a.block))
      .warps(a.warps);
}

void addPrograms(Cases &cases) {
  using namespace programs_family;
  addRows(cases);
  addVectors(cases);
  addAttentions(cases);
  addGradients(cases);
}

} // namespace tegula::conformance
