// Checking a result against a reference computed in double precision.
#pragma once

#include "tegula/tegula.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace samples {

/// An element is right when |actual - expected| <= absolute + relative * |expected|; NaN never is.
struct Tolerance {
  double absolute = 0, relative = 0;
};

struct Comparison {
  double maxError = 0; // largest |actual - expected|; NaN when one of the results is not a number
  size_t checked = 0, wrong = 0;
  std::string firstWrong; // index, actual, expected and allowed error
  bool ok() const { return checked > 0 && wrong == 0; }
  /// Another part of the same result.
  void add(size_t index, double actual, double expected, const Tolerance &tolerance);
};

/// Compares elements [0, count) of two functions of the index.
Comparison compare(size_t count, const std::function<double(size_t)> &actual,
                   const std::function<double(size_t)> &expected, const Tolerance &tolerance);

/// Half a unit in the last place of 1.0: what rounding to `type` may add, relative to the value. 0 for integers.
double roundingError(tegula::DType type);

/// What a dot product of `length` terms, of normal random numbers and summed in f32, may be off by once it is stored as
/// `stored`. The sum after k terms is about sqrt(k) and each addition rounds it; a random walk over all of them ends at
/// length * 2^-24 / sqrt(6). The largest of a million such errors is five times that; ten are allowed.
/// `tf32`: the factors lose 13 of their 24 bits, twice 2^-11 a product.
Tolerance dotTolerance(size_t length, tegula::DType stored, bool tf32 = false);

} // namespace samples
