// Exact values of functions, by MPFR, and the distance of a result from them.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tegula::cpu::test {

using Mpfr = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

struct Wide {
  mpfr_t v;
  explicit Wide(int bits = 300) { mpfr_init2(v, bits); }
  ~Wide() { mpfr_clear(v); }
  Wide(const Wide &) = delete;
  Wide &operator=(const Wide &) = delete;
};

/// |found - exact| in ulp of the exact value, for a format of this many digits whose smallest normal number is
/// 2^leastExponent.
inline double ulpsApart(double found, mpfr_t exact, int digits, int leastExponent) {
  const double nearest = mpfr_get_d(exact, MPFR_RNDN);
  Wide apart;
  mpfr_sub_d(apart.v, exact, found, MPFR_RNDN);
  const int exponent = std::max(std::ilogb(nearest), leastExponent);
  return std::abs(std::ldexp(mpfr_get_d(apart.v, MPFR_RNDN), digits - 1 - exponent));
}

template <class T> double ulpsApart(T found, mpfr_t exact) {
  return ulpsApart(found, exact, std::numeric_limits<T>::digits, std::numeric_limits<T>::min_exponent - 1);
}

} // namespace tegula::cpu::test
