// The error of a function that is computed with the host's numbers.
#pragma once

#include "core/math/Functions.h"
#include "core/math/HostNumbers.h"

#include <cmath>
#include <cstdint>
#include <string>

namespace tegula::elementary::test {

/// The true result, with more digits than the function's.
using Reference32 = long double (*)(long double);
/// The true result as the nearest double and the remainder (MPFR).
struct Precise {
  double nearest, rest;
};
using Reference64 = Precise (*)(double);

/// One function in all its forms, with references.
struct Function {
  const char *name;
  double stated32, stated64; // ulp
  float (*single)(float), (*singleFused)(float);
  double (*wide)(double), (*wideFused)(double);
  Reference32 reference32;
  Reference64 reference64;
  int thin = 1; // random samples are so many times fewer: for slow references
};
/// All functions of one argument.
const Function *functionsBegin();
const Function *functionsEnd();

struct Error {
  double ulps = 0;
  double argument = 0, found = 0, expected = 0;
  void take(const Error &other) {
    if (!(other.ulps <= ulps))
      *this = other;
  }
  std::string str() const;
};

/// The error in ulp of the true result; infinite where only one of both is NaN, infinite, or a zero of that sign.
Error errorOf(float argument, float found, long double expected);
Error errorOf(double argument, double found, Precise expected);

} // namespace tegula::elementary::test
