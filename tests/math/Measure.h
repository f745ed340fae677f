// How far a function on the host's numbers is from the true one.
#pragma once

#include "core/math/Functions.h"
#include "core/math/HostNumbers.h"

#include <cmath>
#include <cstdint>
#include <string>

namespace tegula::elementary::test {

/// What the true result is, with more digits than the results have.
using Reference32 = long double (*)(long double);
/// The true result as a nearest double and what is left of it (MPFR).
struct Precise {
  double nearest, rest;
};
using Reference64 = Precise (*)(double);

/// One function in all its forms.
struct Function {
  const char *name;
  double stated32, stated64; // ulp
  float (*single)(float), (*singleFused)(float);
  double (*wide)(double), (*wideFused)(double);
  Reference32 reference32;
  Reference64 reference64;
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

/// In ulp of the true result; infinite where one is NaN, infinite, or a zero of the wrong sign, and the other is not.
Error errorOf(float argument, float found, long double expected);
Error errorOf(double argument, double found, Precise expected);

} // namespace tegula::elementary::test
