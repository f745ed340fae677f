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

/// Functions that MPFR lacks, in its numbers. Intermediate results have 320 digits more than the result.
struct Number {
  mpfr_t v;
  explicit Number(double x = 0) {
    mpfr_init2(v, 480);
    mpfr_set_d(v, x, MPFR_RNDN);
  }
  ~Number() { mpfr_clear(v); }
};

int erfcxOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
  Number square, complement;
  mpfr_sqr(square.v, x, MPFR_RNDN);
  mpfr_exp(square.v, square.v, MPFR_RNDN);
  mpfr_erfc(complement.v, x, MPFR_RNDN);
  if (mpfr_cmp_d(x, 1000) > 0) { // two terms of the asymptotic series; erfc is too small
    Number terms;
    mpfr_sqr(square.v, x, MPFR_RNDN);
    mpfr_d_div(terms.v, -0.5, square.v, MPFR_RNDN);
    Number second;
    mpfr_sqr(second.v, terms.v, MPFR_RNDN);
    mpfr_mul_ui(second.v, second.v, 3, MPFR_RNDN);
    mpfr_add(terms.v, terms.v, second.v, MPFR_RNDN);
    mpfr_add_ui(terms.v, terms.v, 1, MPFR_RNDN);
    mpfr_const_pi(square.v, MPFR_RNDN);
    mpfr_sqrt(square.v, square.v, MPFR_RNDN);
    mpfr_mul(square.v, square.v, x, MPFR_RNDN);
    return mpfr_div(y, terms.v, square.v, rounding);
  }
  return mpfr_mul(y, square.v, complement.v, rounding);
}

int normcdfOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
  Number root(2);
  mpfr_sqrt(root.v, root.v, MPFR_RNDN);
  mpfr_div(root.v, x, root.v, MPFR_RNDN);
  mpfr_neg(root.v, root.v, MPFR_RNDN);
  mpfr_erfc(y, root.v, MPFR_RNDN);
  return mpfr_div_ui(y, y, 2, rounding);
}

/// erfcinv(c), c being exact, by Newton's method on log(erfc(t)) - log(c), whose slope is -2 e^(-t^2) / (sqrt(pi)
/// erfc).
void inverseComplement(Number &t, const Number &c) {
  Number goal, value, slope, step;
  mpfr_log(goal.v, c.v, MPFR_RNDN);
  double start = std::sqrt(std::max(0.0, -mpfr_get_d(goal.v, MPFR_RNDN)));
  mpfr_set_d(t.v, start, MPFR_RNDN);
  for (int i = 0; i < 200; ++i) {
    mpfr_erfc(value.v, t.v, MPFR_RNDN);
    mpfr_sqr(slope.v, t.v, MPFR_RNDN);
    mpfr_exp(slope.v, slope.v, MPFR_RNDN);
    mpfr_mul(slope.v, slope.v, value.v, MPFR_RNDN);
    mpfr_log(step.v, value.v, MPFR_RNDN);
    mpfr_sub(step.v, step.v, goal.v, MPFR_RNDN);
    mpfr_mul(step.v, step.v, slope.v, MPFR_RNDN);
    mpfr_const_pi(slope.v, MPFR_RNDN);
    mpfr_sqrt(slope.v, slope.v, MPFR_RNDN);
    mpfr_mul(step.v, step.v, slope.v, MPFR_RNDN);
    mpfr_div_ui(step.v, step.v, 2, MPFR_RNDN);
    mpfr_add(t.v, t.v, step.v, MPFR_RNDN);
    if (mpfr_zero_p(step.v) || mpfr_get_exp(step.v) < mpfr_get_exp(t.v) - 200)
      return;
  }
}

/// `x` as the argument of erfinv if not `complement`, else of erfcinv.
int inverseOf(mpfr_t y, const mpfr_t x, bool complement, mpfr_rnd_t rounding) {
  Number c, two(2), t;
  if (!complement && mpfr_cmpabs(x, Number(0x1p-100).v) < 0) { // x sqrt(pi) / 2; the next term counts 2^-200
    mpfr_const_pi(t.v, MPFR_RNDN);
    mpfr_sqrt(t.v, t.v, MPFR_RNDN);
    mpfr_div_ui(t.v, t.v, 2, MPFR_RNDN);
    return mpfr_mul(y, t.v, x, rounding);
  }
  if (complement)
    mpfr_set(c.v, x, MPFR_RNDN);
  else
    mpfr_ui_sub(c.v, 1, x, MPFR_RNDN);
  if (mpfr_nan_p(c.v) || mpfr_cmp_ui(c.v, 2) > 0 || mpfr_sgn(c.v) < 0) {
    mpfr_set_nan(y);
    return 0;
  }
  if (mpfr_zero_p(c.v) || mpfr_cmp_ui(c.v, 2) == 0) {
    mpfr_set_inf(y, mpfr_zero_p(c.v) ? 1 : -1);
    return 0;
  }
  if (mpfr_cmp_ui(c.v, 1) == 0) {
    mpfr_set_zero(y, 1);
    return 0;
  }
  bool mirrored = mpfr_cmp_ui(c.v, 1) > 0;
  if (mirrored)
    mpfr_sub(c.v, two.v, c.v, MPFR_RNDN);
  inverseComplement(t, c);
  return mirrored ? mpfr_neg(y, t.v, rounding) : mpfr_set(y, t.v, rounding);
}
int erfinvOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) { return inverseOf(y, x, false, rounding); }
int erfcinvOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) { return inverseOf(y, x, true, rounding); }
int normcdfinvOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
  Number twice, root(2);
  mpfr_mul_ui(twice.v, x, 2, MPFR_RNDN);
  inverseOf(y, twice.v, true, MPFR_RNDN);
  mpfr_sqrt(root.v, root.v, MPFR_RNDN);
  mpfr_mul(y, y, root.v, MPFR_RNDN);
  return mpfr_neg(y, y, rounding);
}
int lgammaOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(y, &sign, x, rounding);
}
/// C's tgamma: NaN at negative whole numbers.
int tgammaOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
  if (mpfr_sgn(x) < 0 && (mpfr_integer_p(x) || mpfr_inf_p(x))) {
    mpfr_set_nan(y);
    return 0;
  }
  return mpfr_gamma(y, x, rounding);
}
template <Mpfr function> long double precise32(long double x) {
  Precise both = precise<function>(double(x));
  return both.rest == 0 ? both.nearest : static_cast<long double>(both.nearest) + both.rest; // -0 + 0 would be 0
}

long double referenceRsqrt(long double x) { return 1 / std::sqrt(x); }
/// 1 / sqrt(x) in two steps, because mpfr_rec_sqrt treats -0 like +0.
int rsqrtOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
  mpfr_sqrt(y, x, rounding);
  return mpfr_ui_div(y, 1, y, rounding);
}

#define FUNCTION(name, stated32, stated64, reference32, reference64, ...)                                              \
  {#name,                                                                                                              \
   stated32,                                                                                                           \
   stated64,                                                                                                           \
   on<float, false, [](auto x) { return name(x); }>,                                                                   \
   on<float, true, [](auto x) { return name(x); }>,                                                                    \
   on<double, false, [](auto x) { return name(x); }>,                                                                  \
   on<double, true, [](auto x) { return name(x); }>,                                                                   \
   reference32,                                                                                                        \
   precise<reference64>                                                                                                \
       __VA_OPT__(, ) __VA_ARGS__}

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
    FUNCTION(tan, 2.5, 2.5, std::tan, mpfr_tan),
    FUNCTION(asin, 1, 1, std::asin, mpfr_asin),
    FUNCTION(acos, 1, 1, std::acos, mpfr_acos),
    FUNCTION(atan, 2, 2, std::atan, mpfr_atan),
    FUNCTION(sinh, 3, 3, std::sinh, mpfr_sinh),
    FUNCTION(cosh, 3, 3, std::cosh, mpfr_cosh),
    FUNCTION(asinh, 2, 2, std::asinh, mpfr_asinh),
    FUNCTION(acosh, 2, 2, std::acosh, mpfr_acosh),
    FUNCTION(atanh, 2, 2, std::atanh, mpfr_atanh),
    FUNCTION(cbrt, 1, 1, std::cbrt, mpfr_cbrt),
    FUNCTION(exp10, 1.5, 1.5, precise32<mpfr_exp10>, mpfr_exp10, 40),
    FUNCTION(sinpi, 1.5, 1.5, precise32<mpfr_sinpi>, mpfr_sinpi, 40),
    FUNCTION(cospi, 1, 1, precise32<mpfr_cospi>, mpfr_cospi, 40),
    FUNCTION(erfc, 4, 4, std::erfc, mpfr_erfc),
    FUNCTION(erfcx, 4, 4, precise32<erfcxOf>, erfcxOf, 40),
    FUNCTION(erfinv, 4, 4, precise32<erfinvOf>, erfinvOf, 1000),
    FUNCTION(erfcinv, 4, 4, precise32<erfcinvOf>, erfcinvOf, 1000),
    FUNCTION(normcdf, 5, 5, precise32<normcdfOf>, normcdfOf, 40),
    FUNCTION(normcdfinv, 5, 5, precise32<normcdfinvOf>, normcdfinvOf, 1000),
    FUNCTION(lgamma, 4, 4, precise32<lgammaOf>, lgammaOf, 40),
    FUNCTION(tgamma, 6, 6, std::tgamma, tgammaOf),
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
