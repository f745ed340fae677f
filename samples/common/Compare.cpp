#include "Compare.h"

#include <cmath>
#include <cstdio>
#include <limits>

namespace samples {

void Comparison::add(size_t index, double actual, double expected, const Tolerance &tolerance) {
  checked += 1;
  // Equal infinities count as equal; their difference would be NaN.
  double error = actual == expected ? 0 : std::abs(actual - expected);
  double allowed = tolerance.absolute + tolerance.relative * std::abs(expected);
  if (checked == 1 || std::isnan(error) || error > maxError) { // false of every error behind a NaN
    maxError = error;
    this->allowed = allowed;
  }
  if (error == 0 || error <= allowed) // `allowed` may be NaN
    return;
  if (wrong == 0) {
    char text[160];
    std::snprintf(text, sizeof text, "element %zu is %.9g, expected %.9g within %.2g", index, actual, expected,
                  allowed);
    firstWrong = text;
  }
  wrong += 1;
}

Comparison compare(size_t count, const std::function<double(size_t)> &actual,
                   const std::function<double(size_t)> &expected, const Tolerance &tolerance) {
  Comparison comparison;
  for (size_t i = 0; i < count; ++i)
    comparison.add(i, actual(i), expected(i), tolerance);
  return comparison;
}

double roundingError(tegula::DType type) {
  switch (type) {
  case tegula::DType::F16: return std::ldexp(1.0, -11);
  case tegula::DType::BF16: return std::ldexp(1.0, -8);
  case tegula::DType::F32: return std::ldexp(1.0, -24);
  case tegula::DType::F64: return std::ldexp(1.0, -53);
  default: return 0;
  }
}

Tolerance dotTolerance(size_t length, tegula::DType stored, bool tf32) {
  double terms = static_cast<double>(length);
  double absolute = 4 * terms * roundingError(tegula::DType::F32);
  if (tf32)
    absolute += 10 * std::sqrt(terms) * std::ldexp(1.0, -10);
  // A single product needs no sum, but it is rounded.
  return {absolute, 1.01 * roundingError(stored) + roundingError(tegula::DType::F32)};
}

} // namespace samples
