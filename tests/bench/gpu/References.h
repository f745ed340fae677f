// Checks of results against double precision. Of large results only some elements are recomputed, spread over all
// blocks; tests/bench/gpu/references_test.cpp proves that a wrong block is detected.
#pragma once

#include "tests/bench/gpu/Bench.h"

#include <cstdint>
#include <vector>

namespace gpubench {

/// All elements: z = x + y rounded once to f32.
Verdict checkSum(const std::vector<float> &x, const std::vector<float> &y, const std::vector<float> &z);

/// The error that rounding a result once to its element type adds.
struct Rounding {
  double absolute = 0, relative = 0;
};
/// Of f32, whose rounding is within the error of the arithmetic, none; of f16, half a unit in the last place.
Rounding roundingOf(tegula::DType type);

/// Checks `rows` whole rows, selected at random: y = exp(x - max) / sum.
Verdict checkSoftmax(const std::vector<float> &x, const std::vector<float> &y, size_t columns, size_t rows,
                     Rounding rounding = {});

/// Checks `rows` whole rows: y = (x - mean) / sqrt(variance + epsilon) * weight + bias, the variance over all columns.
Verdict checkLayerNorm(const std::vector<float> &x, const std::vector<float> &weight, const std::vector<float> &bias,
                       double epsilon, const std::vector<float> &y, size_t rows, Rounding rounding = {});

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

/// O = softmax(scale Q K^T) V of each head; arrays are (heads * length) x width. Checks one whole random row of each
/// block of `length` / `rowsOfHead` rows.
Verdict checkAttention(const Heads &size, const std::vector<uint16_t> &q, const std::vector<uint16_t> &k,
                       const std::vector<uint16_t> &v, const std::vector<uint16_t> &o, size_t rowsOfHead);

} // namespace gpubench
