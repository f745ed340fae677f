#include "tests/math/Measure.h"

#include <mpfr.h>

#include <cstdio>
#include <iterator>
#include <limits>

namespace tegula::elementary::test {
namespace {

template <class T, bool fused, auto function> T on(T x) {
  HostNumbers<T, fused> numbers;
  Real<HostNumbers<T, fused>> argument = {&numbers, x};
  return function(argument).v;
}

using Mpfr = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);
template <Mpfr function> Precise precise(double x) {
  static thread_local struct Numbers {
    mpfr_t x, y;
    Numbers() {
      mpfr_init2(x, 53);
      mpfr_init2(y, 160);
    }
    ~Numbers() {
      mpfr_clear(x);
      mpfr_clear(y);
    }
  } n;
  mpfr_set_d(n.x, x, MPFR_RNDN);
  function(n.y, n.x, MPFR_RNDN);
  double nearest = mpfr_get_d(n.y, MPFR_RNDN);
  mpfr_sub_d(n.y, n.y, nearest, MPFR_RNDN);
  return {nearest, std::isfinite(nearest) ? mpfr_get_d(n.y, MPFR_RNDN) : 0};
}

/// Whether x rounds to infinity: at least half an ulp above the largest number.
template <class T> bool isInfinite(long double x) {
  constexpr int kTop = std::numeric_limits<T>::max_exponent, kDigits = std::numeric_limits<T>::digits;
  return std::abs(x) >= std::ldexp(2.0L - std::ldexp(1.0L, -kDigits), kTop - 1);
}

template <class T> double unitOf(double magnitude) {
  constexpr int kLow = std::numeric_limits<T>::min_exponent, kDigits = std::numeric_limits<T>::digits;
  int exponent = magnitude == 0 ? kLow : std::max(std::ilogb(magnitude) + 1, kLow);
  return std::ldexp(1.0, exponent - kDigits);
}

template <class T> Error compare(T argument, T found, long double expected, double rest) {
  double infinite = std::numeric_limits<double>::infinity();
  Error error = {0, double(argument), double(found), double(expected)};
  if (std::isnan(found) || std::isnan(expected)) {
    error.ulps = std::isnan(found) && std::isnan(expected) ? 0 : infinite;
  } else if (isInfinite<T>(expected) || std::isinf(found)) {
    // The largest number and infinity count as one ulp apart.
    long double largest = std::numeric_limits<T>::max();
    bool near = std::signbit(found) == std::signbit(expected) && std::abs(static_cast<long double>(found)) >= largest &&
                std::abs(expected) >= largest * (1 - 1e-7L) && std::isfinite(expected);
    error.ulps = std::isinf(found) && isInfinite<T>(expected)
                     ? (std::signbit(found) == std::signbit(expected) ? 0 : infinite)
                 : near ? 1
                        : infinite;
  } else {
    double apart = double((static_cast<long double>(found) - expected) - rest);
    error.ulps = std::abs(apart) / unitOf<T>(double(std::abs(expected)));
    if (found == 0 && expected == 0 && rest == 0 && std::signbit(found) != std::signbit(expected))
      error.ulps = infinite;
    if (found == 0 && expected != 0 && std::signbit(found) != std::signbit(expected))
      error.ulps = infinite;
  }
  return error;
}

long double referenceRsqrt(long double x) { return 1 / std::sqrt(x); }
/// 1 / sqrt(x) in two steps, because mpfr_rec_sqrt treats -0 like +0.
int rsqrtOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
  mpfr_sqrt(y, x, rounding);
  return mpfr_ui_div(y, 1, y, rounding);
}

#define FUNCTION(name, stated32, stated64, reference32, reference64)                                                   \
  {#name,                                                                                                              \
   stated32,                                                                                                           \
   stated64,                                                                                                           \
   on<float, false, [](auto x) { return name(x); }>,                                                                   \
   on<float, true, [](auto x) { return name(x); }>,                                                                    \
   on<double, false, [](auto x) { return name(x); }>,                                                                  \
   on<double, true, [](auto x) { return name(x); }>,                                                                   \
   reference32,                                                                                                        \
   precise<reference64>}

// Functions with the errors stated in core/math/Functions.h.
const Function kFunctions[] = {
    FUNCTION(exp, 1.5, 1.5, std::exp, mpfr_exp),
    FUNCTION(exp2, 1.5, 1.5, std::exp2, mpfr_exp2),
    FUNCTION(expm1, 2, 2.5, std::expm1, mpfr_expm1),
    FUNCTION(log, 1, 1, std::log, mpfr_log),
    FUNCTION(log2, 1, 1, std::log2, mpfr_log2),
    FUNCTION(log1p, 1.5, 1.5, std::log1p, mpfr_log1p),
    FUNCTION(sin, 1, 1, std::sin, mpfr_sin),
    FUNCTION(cos, 1, 1, std::cos, mpfr_cos),
    FUNCTION(tanh, 3, 3, std::tanh, mpfr_tanh),
    FUNCTION(erf, 1.5, 2, std::erf, mpfr_erf),
    FUNCTION(rsqrt, 1.6, 1.6, referenceRsqrt, rsqrtOf),
};

} // namespace

const Function *functionsBegin() { return std::begin(kFunctions); }
const Function *functionsEnd() { return std::end(kFunctions); }

Error errorOf(float argument, float found, long double expected) { return compare(argument, found, expected, 0); }
Error errorOf(double argument, double found, Precise expected) {
  return compare(argument, found, expected.nearest, expected.rest);
}

std::string Error::str() const {
  char text[160];
  std::snprintf(text, sizeof text, "%.3f ulp at %a: found %a, expected %a", ulps, argument, found, expected);
  return text;
}

} // namespace tegula::elementary::test
