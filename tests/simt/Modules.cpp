#include "tests/simt/Modules.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace tegula::simt_test {
namespace {

constexpr uint16_t kUntouched = 0x7BCD; // 63,904 as fp16, larger than any result

struct Halves {
  uint32_t rows, columns, stride;
  std::vector<uint16_t> bits;
  Halves(uint32_t rows, uint32_t columns, uint32_t stride)
      : rows(rows), columns(columns), stride(stride), bits(size_t(rows) * stride, kUntouched) {}
  double at(uint32_t row, uint32_t column) const {
    return toDouble(ScalarType::F16, bits[size_t(row) * stride + column]);
  }
};

Halves randomHalves(uint32_t rows, uint32_t columns, uint32_t stride, uint32_t seed) {
  Halves matrix(rows, columns, stride);
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t column = 0; column < columns; ++column)
      matrix.bits[size_t(row) * stride + column] =
          static_cast<uint16_t>(fromDouble(ScalarType::F16, normal(generator)));
  return matrix;
}

/// The error relative to the allowed one, 2^-bits * size.
double excess(double found, double expected, double size, int bits) {
  double part = std::fabs(found - expected) / (size * std::ldexp(1.0, -bits));
  return std::isnan(part) ? std::numeric_limits<double>::infinity() : part;
}

/// Compares rows x columns of `found` with sums over l of a(row, l) * b(l, column). The allowed error is that of fp16
/// results; a larger `bits` allows less.
double compareProduct(Problem problem, const std::function<double(uint32_t, uint32_t)> &a,
                      const std::function<double(uint32_t, uint32_t)> &b,
                      const std::function<double(uint32_t, uint32_t)> &found, int bits) {
  double worst = 0;
  std::vector<double> left(size_t(problem.m) * problem.k), right(size_t(problem.n) * problem.k);
  for (uint32_t l = 0; l < problem.k; ++l) {
    for (uint32_t row = 0; row < problem.m; ++row)
      left[size_t(row) * problem.k + l] = a(row, l);
    for (uint32_t column = 0; column < problem.n; ++column)
      right[size_t(column) * problem.k + l] = b(l, column);
  }
  for (uint32_t row = 0; row < problem.m; ++row)
    for (uint32_t column = 0; column < problem.n; ++column) {
      double sum = 0, size = 1;
      for (uint32_t l = 0; l < problem.k; ++l)
        sum += left[size_t(row) * problem.k + l] * right[size_t(column) * problem.k + l];
      size = std::max(size, std::fabs(sum));
      worst = std::max(worst, excess(found(row, column), sum, size, bits));
    }
  return worst;
}

/// Infinite where an element between the columns and the stride was written.
double checkMargins(const Halves &c) {
  for (uint32_t row = 0; row < c.rows; ++row)
    for (uint32_t column = c.columns; column < c.stride; ++column)
      if (c.bits[size_t(row) * c.stride + column] != kUntouched)
        return std::numeric_limits<double>::infinity();
  return 0;
}

uint32_t tiles(uint32_t extent, uint32_t tile) { return (extent + tile - 1) / tile; }

} // namespace

ModuleRun runMatmulTma(Problem problem, const RunOptions &options, const Replacements &replacements) {
  auto [m, n, k] = problem;
  Kernel kernel = Kernel::file("matmul_tma_wgmma.mlir", replacements);
  Halves a = randomHalves(m, k, k + 8, 1), b = randomHalves(n, k, k + 16, 2), c(m, n, n + 8);
  SimtExecutor executor = kernel.executor();
  executor.descriptor(a.bits, "a", {m, k}, {a.stride, 1}).descriptor(b.bits, "b", {n, k}, {b.stride, 1});
  executor.descriptor(c.bits, "c", {m, n}, {c.stride, 1}).integer(m).integer(n).integer(k);
  // Fewer programs than tiles, so that each computes several.
  uint32_t programs = std::max(1u, tiles(m, 128) * tiles(n, 256) / 2);
  ModuleRun run{executor.run({programs, 1, 1}, options)};
  run.worst = std::max(checkMargins(c), compareProduct(
                                            problem, [&](auto row, auto l) { return a.at(row, l); },
                                            [&](auto l, auto column) { return b.at(column, l); },
                                            [&](auto row, auto column) { return c.at(row, column); }, 10));
  return run;
}

ModuleRun runMatmulMma(Problem problem, const RunOptions &options, const Replacements &replacements) {
  auto [m, n, k] = problem;
  Kernel kernel = Kernel::file("matmul_mma_cp_async.mlir", replacements);
  Halves a = randomHalves(m, k, k + 8, 1), b = randomHalves(k, n, n + 16, 2), c(m, n, n + 8);
  SimtExecutor executor = kernel.executor();
  executor.pointer(a.bits, "a").pointer(b.bits, "b").pointer(c.bits, "c").integer(m).integer(n).integer(k);
  executor.integer(a.stride).integer(b.stride).integer(c.stride);
  ModuleRun run{executor.run({tiles(m, 128) * tiles(n, 128), 1, 1}, options)};
  run.worst = std::max(checkMargins(c), compareProduct(
                                            problem, [&](auto row, auto l) { return a.at(row, l); },
                                            [&](auto l, auto column) { return b.at(l, column); },
                                            [&](auto row, auto column) { return c.at(row, column); }, 10));
  return run;
}

ModuleRun runMatmulMfma(Problem problem, const RunOptions &options, const Replacements &replacements) {
  auto [m, n, k] = problem;
  Kernel kernel = Kernel::file("matmul_mfma.mlir", replacements);
  Halves a = randomHalves(m, k, k + 8, 1), b = randomHalves(n, k, k + 16, 2), c(m, n, n + 8);
  SimtExecutor executor = kernel.executor();
  executor.pointer(a.bits, "a").pointer(b.bits, "b").pointer(c.bits, "c").integer(m).integer(n).integer(k);
  executor.integer(a.stride).integer(b.stride).integer(c.stride);
  ModuleRun run{executor.run({tiles(m, 128), tiles(n, 128), 1}, options)};
  run.worst = std::max(checkMargins(c), compareProduct(
                                            problem, [&](auto row, auto l) { return a.at(row, l); },
                                            [&](auto l, auto column) { return b.at(column, l); },
                                            [&](auto row, auto column) { return c.at(row, column); }, 10));
  return run;
}

ModuleRun runMatmulCooperative(Problem problem, const RunOptions &options, const Replacements &replacements) {
  auto [m, n, k] = problem;
  Kernel kernel = Kernel::file("matmul_cooperative.mlir", replacements);
  Halves a = randomHalves(m, k, k + 8, 1), b = randomHalves(k, n, n + 16, 2);
  uint32_t stride = n + 8;
  std::vector<float> c(size_t(m) * stride, -1e30f);
  SimtExecutor executor = kernel.executor();
  executor.pointer(a.bits, "a").pointer(b.bits, "b").pointer(c, "c").integer(m).integer(n).integer(k);
  executor.integer(a.stride).integer(b.stride).integer(stride);
  ModuleRun run{executor.run({tiles(m, 32), tiles(n, 32), 1}, options)};
  run.worst = compareProduct(
      problem, [&](auto row, auto l) { return a.at(row, l); }, [&](auto l, auto column) { return b.at(l, column); },
      [&](auto row, auto column) { return double(c[size_t(row) * stride + column]); }, 18);
  for (uint32_t row = 0; row < m; ++row)
    for (uint32_t column = n; column < stride; ++column)
      if (c[size_t(row) * stride + column] != -1e30f)
        run.worst = std::numeric_limits<double>::infinity();
  return run;
}

ModuleRun runSoftmax(Problem problem, const RunOptions &options, const Replacements &replacements) {
  uint32_t rows = problem.m, columns = problem.n, stride = columns + 5;
  Kernel kernel = Kernel::file("softmax_row.mlir", replacements);
  std::mt19937 generator(columns);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> x(size_t(rows) * stride), y(x.size(), -1.0f);
  for (float &value : x)
    value = normal(generator);
  SimtExecutor executor = kernel.executor();
  executor.pointer(x, "x").pointer(y, "y").integer(stride).integer(columns);
  ModuleRun run{executor.run({rows, 1, 1}, options)};
  for (uint32_t row = 0; row < rows; ++row) {
    const float *in = &x[size_t(row) * stride], *out = &y[size_t(row) * stride];
    double high = *std::max_element(in, in + columns), sum = 0;
    for (uint32_t i = 0; i < columns; ++i)
      sum += std::exp(in[i] - high);
    for (uint32_t i = 0; i < stride; ++i)
      run.worst = std::max(run.worst, i < columns ? excess(out[i], std::exp(in[i] - high) / sum, 1, 20)
                                                  : excess(out[i], -1.0, 1, 60));
  }
  return run;
}

ModuleRun runAttention(Problem problem, const RunOptions &options, const Replacements &replacements) {
  uint32_t length = problem.m, heads = problem.n, rows = length * heads;
  constexpr uint32_t kSize = 128;
  double scale = 0.125;
  Kernel kernel = Kernel::file("flash_attention.mlir", replacements);
  Halves q = randomHalves(rows, kSize, kSize, 1), k = randomHalves(rows, kSize, kSize, 2),
         v = randomHalves(rows, kSize, kSize, 3), o(rows, kSize, kSize);
  SimtExecutor executor = kernel.executor();
  executor.descriptor(q.bits, "q", {rows, kSize}).descriptor(k.bits, "k", {rows, kSize});
  executor.descriptor(v.bits, "v", {rows, kSize}).descriptor(o.bits, "o", {rows, kSize});
  executor.integer(length).number(scale);
  ModuleRun run{executor.run({length / 128, heads, 1}, options)};
  std::vector<double> weights(length);
  for (uint32_t row = 0; row < rows; ++row) {
    uint32_t head = row / length * length;
    double high = -std::numeric_limits<double>::infinity(), sum = 0;
    for (uint32_t j = 0; j < length; ++j) {
      double score = 0;
      for (uint32_t d = 0; d < kSize; ++d)
        score += q.at(row, d) * k.at(head + j, d);
      weights[j] = score * scale;
      high = std::max(high, weights[j]);
    }
    for (double &weight : weights)
      sum += weight = std::exp(weight - high);
    for (uint32_t d = 0; d < kSize; ++d) {
      double expected = 0;
      for (uint32_t j = 0; j < length; ++j)
        expected += weights[j] / sum * v.at(head + j, d);
      // Weights are rounded to fp16 before the product with V.
      run.worst = std::max(run.worst, excess(o.at(row, d), expected, 1, 9));
    }
  }
  return run;
}

ModuleRun runVectorAdd(Problem problem, const RunOptions &options, const Replacements &replacements) {
  uint32_t n = problem.n;
  Kernel kernel = Kernel::file("vector_add.mlir", replacements);
  std::vector<float> x(n), y(n), z(n + 7, -1.0f);
  for (uint32_t i = 0; i < n; ++i) {
    x[i] = float(i) * 0.5f;
    y[i] = 1.0f / float(i + 1);
  }
  SimtExecutor executor = kernel.executor();
  executor.pointer(x, "x").pointer(y, "y").pointer(z, "z").integer(n);
  ModuleRun run{executor.run({tiles(n, 1024), 1, 1}, options)};
  for (uint32_t i = 0; i < n + 7; ++i)
    if (z[i] != (i < n ? x[i] + y[i] : -1.0f))
      run.worst = std::numeric_limits<double>::infinity();
  return run;
}

} // namespace tegula::simt_test
