// The part common to the matmul lessons: matrices with their strides, and a reference product in double precision.
#pragma once

#include "Compare.h"
#include "tegula/tegula.hpp"

#include <cstdint>
#include <vector>

namespace samples {

/// rows x cols values in host memory and on the device, stored row by row or, where `transposed`, column by column.
struct Matrix {
  Matrix(tegula::Stream &stream, tegula::DType type, int64_t rows, int64_t cols, bool transposed, uint64_t seed);
  double at(int64_t row, int64_t col) const {
    return values[static_cast<size_t>(transposed ? col * rows + row : row * cols + col)];
  }

  int64_t rows, cols;
  bool transposed;
  std::vector<float> values; // in storage order
  tegula::Buffer buffer;     // rows x cols, with the storage's strides
};

/// Compares the dense M x N buffer `c` with A B. For more than 2^31 multiplications only evenly spaced rows of C are
/// checked, including the first and the last; `checked` of the result is the number of compared elements.
Comparison compareProduct(tegula::Stream &stream, const tegula::Buffer &c, const Matrix &a, const Matrix &b,
                          const Tolerance &tolerance);

} // namespace samples
