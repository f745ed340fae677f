// Comparison of a result with a reference computed in double precision.
#pragma once

#include "tegula/tegula.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace samples {

/// An element is right if |actual - expected| <= absolute + relative * |expected|. NaN is always wrong.
struct Tolerance {
  double absolute = 0, relative = 0;
};

struct Comparison {
  double maxError = 0; // largest |actual - expected|; NaN if any element is NaN
  double allowed = 0;  // of the element with that error
  size_t checked = 0, wrong = 0;
  std::string firstWrong; // index, actual, expected and allowed error
  bool ok() const { return checked > 0 && wrong == 0; }
  /// Compares one more element of the same result.
  void add(size_t index, double actual, double expected, const Tolerance &tolerance);
};

/// Compares elements [0, count) of two functions of the index.
Comparison compare(size_t count, const std::function<double(size_t)> &actual,
                   const std::function<double(size_t)> &expected, const Tolerance &tolerance);

/// Half a unit in the last place of 1.0: the largest relative error of rounding to `type`. 0 for integers.
double roundingError(tegula::DType type);

/// The tolerance for a dot product of `length` normal random terms, summed in f32 and stored as `stored`. The partial
/// sum after k terms is about sqrt(k) and each addition rounds it; a random walk over all roundings ends at length *
/// 2^-24 / sqrt(6). The largest of a million such errors is five times that; ten times is allowed. `tf32`: the factors
/// lose 13 of their 24 bits, an error of 2 * 2^-11 for each product.
Tolerance dotTolerance(size_t length, tegula::DType stored, bool tf32 = false);

} // namespace samples
