#include "tests/bench/gpu/References.h"

#include "tests/bench/gpu/Data.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace gpubench {
namespace {

/// Calls body(verdict, index) for each index on all cores; returns the merged verdict.
Verdict checkEach(size_t count, const std::function<void(Verdict &, size_t index)> &body) {
  Verdict all;
  std::mutex mutex;
  inParallel(count, [&](size_t begin, size_t end) {
    Verdict part;
    for (size_t i = begin; i < end; ++i)
      body(part, i);
    std::lock_guard lock(mutex);
    all.merge(part);
  });
  return all;
}

} // namespace

void Verdict::add(size_t index, double actual, double expected, double absolute, double relative) {
  double error = std::abs(actual - expected);
  checked += 1;
  if (!(error <= maxError)) // a NaN stays
    maxError = std::isnan(maxError) ? maxError : error;
  double allowed = absolute + relative * std::abs(expected);
  if (!(error <= allowed) && firstWrong.empty())
    firstWrong = "element " + std::to_string(index) + " is " + std::to_string(actual) + ", expected " +
                 std::to_string(expected) + " within " + std::to_string(allowed);
}

void Verdict::merge(const Verdict &other) {
  checked += other.checked;
  if (!(other.maxError <= maxError))
    maxError = std::isnan(maxError) ? maxError : other.maxError;
  if (firstWrong.empty())
    firstWrong = other.firstWrong;
}

Verdict checkSum(const std::vector<float> &x, const std::vector<float> &y, const std::vector<float> &z) {
  return checkEach(z.size(), [&](Verdict &verdict, size_t i) {
    // The sum of two f32 in f64, rounded to f32, is the correctly rounded f32 sum.
    verdict.add(i, z[i], static_cast<float>(double(x[i]) + double(y[i])), 0, 0);
  });
}

namespace {
/// Row 0, the last row, then random ones.
size_t someRow(size_t which, size_t all) { return which < 2 ? which * (all - 1) : mix(which, 11) % all; }
} // namespace

Rounding roundingOf(tegula::DType type) { return type == tegula::DType::F16 ? Rounding{0x1p-25, 0x1p-11} : Rounding{}; }

Verdict checkSoftmax(const std::vector<float> &x, const std::vector<float> &y, size_t columns, size_t rows,
                     Rounding rounding) {
  size_t all = x.size() / columns;
  return checkEach(rows, [&](Verdict &verdict, size_t which) {
    size_t row = someRow(which, all);
    const float *in = &x[row * columns];
    double largest = *std::max_element(in, in + columns), sum = 0;
    for (size_t i = 0; i < columns; ++i)
      sum += std::exp(double(in[i]) - largest);
    // The hardware's exp2 has a relative error of about 2^-22; its argument, where large, one of 2^-20.
    for (size_t i = 0; i < columns; ++i)
      verdict.add(row * columns + i, y[row * columns + i], std::exp(double(in[i]) - largest) / sum,
                  1e-9 + rounding.absolute, 1e-5 + rounding.relative);
  });
}

Verdict checkLayerNorm(const std::vector<float> &x, const std::vector<float> &weight, const std::vector<float> &bias,
                       double epsilon, const std::vector<float> &y, size_t rows, Rounding rounding) {
  size_t columns = weight.size(), all = x.size() / columns;
  return checkEach(rows, [&](Verdict &verdict, size_t which) {
    size_t row = someRow(which, all);
    const float *in = &x[row * columns];
    double sum = 0, squares = 0;
    for (size_t i = 0; i < columns; ++i)
      sum += in[i];
    double mean = sum / double(columns);
    for (size_t i = 0; i < columns; ++i)
      squares += (in[i] - mean) * (in[i] - mean);
    double scale = 1 / std::sqrt(squares / double(columns) + epsilon);
    // Values are about 1, and f32 sums of a thousand of them have a relative error of a few 2^-22.
    for (size_t i = 0; i < columns; ++i)
      verdict.add(row * columns + i, y[row * columns + i], (in[i] - mean) * scale * weight[i] + bias[i],
                  1e-5 + rounding.absolute, 1e-5 + rounding.relative);
  });
}

Verdict checkProduct(const Product &size, const std::vector<uint16_t> &a, const std::vector<uint16_t> &b,
                     const std::vector<uint16_t> &c) {
  constexpr size_t kBlock = 64;
  size_t down = (size.m + kBlock - 1) / kBlock, across = (size.n + kBlock - 1) / kBlock;
  return checkEach(down * across, [&](Verdict &verdict, size_t block) {
    size_t top = block / across * kBlock, left = block % across * kBlock;
    uint64_t bits = mix(block, 13);
    size_t row = top + bits % std::min(kBlock, size.m - top);
    size_t column = left + (bits >> 32) % std::min(kBlock, size.n - left);
    double sum = 0;
    for (size_t i = 0; i < size.k; ++i)
      sum += fromHalf(a[row * size.k + i]) * fromHalf(b[size.isTransposed ? column * size.k + i : i * size.n + column]);
    // Terms are about 1: partial f32 sums have errors of at most 2^-20 each, and the result is rounded to f16 once.
    verdict.add(row * size.n + column, fromHalf(c[row * size.n + column]), sum, double(size.k) * 0x1p-20, 0x1p-10);
  });
}

Verdict checkAttention(const Heads &size, const std::vector<uint16_t> &q, const std::vector<uint16_t> &k,
                       const std::vector<uint16_t> &v, const std::vector<uint16_t> &o, size_t rowsOfHead) {
  size_t block = size.length / rowsOfHead, width = size.width;
  return checkEach(size.heads * rowsOfHead, [&](Verdict &verdict, size_t which) {
    size_t head = which / rowsOfHead * size.length;
    size_t row = head + which % rowsOfHead * block + mix(which, 17) % block;
    std::vector<double> scores(size.length), result(width);
    for (size_t j = 0; j < size.length; ++j)
      for (size_t d = 0; d < width; ++d)
        scores[j] += size.scale * fromHalf(q[row * width + d]) * fromHalf(k[(head + j) * width + d]);
    double largest = *std::max_element(scores.begin(), scores.end()), sum = 0;
    for (double &score : scores)
      sum += score = std::exp(score - largest);
    for (size_t j = 0; j < size.length; ++j)
      for (size_t d = 0; d < width; ++d)
        result[d] += scores[j] / sum * fromHalf(v[(head + j) * width + d]);
    // Probabilities are rounded to f16 before the product with V, and the result after it: together a few 2^-11 of
    // values below 1/8.
    for (size_t d = 0; d < width; ++d)
      verdict.add(row * width + d, fromHalf(o[row * width + d]), result[d], 2e-4, 0x1p-9);
  });
}

} // namespace gpubench
