// Results against double precision. Only some elements of the large ones are computed again, spread so that no block
// of the result is left out; tests/bench/gpu/references_test.cpp proves that wrong blocks are seen.
#pragma once

#include "tests/bench/gpu/Bench.h"

#include <cstdint>
#include <vector>

namespace gpubench {

/// All elements: z = x + y rounded once to f32.
Verdict checkSum(const std::vector<float> &x, const std::vector<float> &y, const std::vector<float> &z);

/// `rows` of them, picked at random, whole: y = exp(x - max) / sum.
Verdict checkSoftmax(const std::vector<float> &x, const std::vector<float> &y, size_t columns, size_t rows);

/// `rows` of them: y = (x - mean) / sqrt(variance + epsilon) * weight + bias, the variance over all columns.
Verdict checkLayerNorm(const std::vector<float> &x, const std::vector<float> &weight, const std::vector<float> &bias,
                       double epsilon, const std::vector<float> &y, size_t rows);

struct Product {
  size_t m, n, k;
  bool isTransposed; // B is stored n x k
};

/// C = A B, f16 with sums in f32: one element at random of each block of 64 x 64.
Verdict checkProduct(const Product &size, const std::vector<uint16_t> &a, const std::vector<uint16_t> &b,
                     const std::vector<uint16_t> &c);

struct Heads {
  size_t heads, length, width;
  double scale;
};

/// O = softmax(scale Q K^T) V of each head; arrays are (heads * length) x width. One row at random of each block of
/// `length` / `rowsOfHead` rows, whole.
Verdict checkAttention(const Heads &size, const std::vector<uint16_t> &q, const std::vector<uint16_t> &k,
                       const std::vector<uint16_t> &v, const std::vector<uint16_t> &o, size_t rowsOfHead);

} // namespace gpubench
