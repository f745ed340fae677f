// pow, atan2 and hypot against MPFR: every pair of special values, and dense samples where an error shows; without and
// with fused multiply-adds. lgamma where its terms cancel.
#include "tests/math/Measure.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tegula::elementary::test {
namespace {

using MpfrOfTwo = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

Precise preciseOfTwo(MpfrOfTwo function, double x, double y) {
  mpfr_t a, b, result;
  mpfr_inits2(53, a, b, nullptr);
  mpfr_init2(result, 160);
  mpfr_set_d(a, x, MPFR_RNDN);
  mpfr_set_d(b, y, MPFR_RNDN);
  function(result, a, b, MPFR_RNDN);
  Precise found = {mpfr_get_d(result, MPFR_RNDN), 0};
  mpfr_sub_d(result, result, found.nearest, MPFR_RNDN);
  if (std::isfinite(found.nearest))
    found.rest = mpfr_get_d(result, MPFR_RNDN);
  mpfr_clears(a, b, result, nullptr);
  return found;
}

enum class Kind { Power, Angle, Length };

template <class T, bool fused> T compute(Kind kind, T x, T y) {
  using N = HostNumbers<T, fused>;
  N numbers;
  Real<N> a = {&numbers, x}, b = {&numbers, y};
  return (kind == Kind::Power ? pow(a, b) : kind == Kind::Angle ? atan2(a, b) : hypot(a, b)).v;
}

template <class T> struct Worst {
  Kind kind;
  MpfrOfTwo reference;
  Error error;
  double other = 0;

  void take(T x, T y) {
    Precise expected = preciseOfTwo(reference, x, y);
    for (T found : {compute<T, false>(kind, x, y), compute<T, true>(kind, x, y)}) {
      Error here;
      if constexpr (sizeof(T) == 4)
        here =
            errorOf(x, found,
                    expected.rest == 0 ? expected.nearest : static_cast<long double>(expected.nearest) + expected.rest);
      else
        here = errorOf(x, found, expected);
      if (here.ulps > error.ulps)
        other = y;
      error.take(here);
    }
  }
};

template <class T> void measure(Kind kind, MpfrOfTwo reference, double stated, const char *name) {
  Worst<T> worst = {kind, reference, {}, 0};
  using Limits = std::numeric_limits<T>;
  std::vector<T> specials = {0,
                             1,
                             2,
                             3,
                             0.5,
                             7,
                             1e4,
                             1.5,
                             8388607.5f,
                             16777215,
                             16777216,
                             1e30f,
                             1e-30f,
                             Limits::max(),
                             Limits::min(),
                             Limits::denorm_min(),
                             Limits::infinity(),
                             Limits::quiet_NaN(),
                             T(1) + Limits::epsilon(),
                             T(1) - Limits::epsilon() / 2};
  for (T x : specials)
    for (T y : specials)
      for (T signX : {T(1), T(-1)})
        for (T signY : {T(1), T(-1)})
          worst.take(signX * x, signY * y);
  std::mt19937_64 generator(5);
  auto uniform = [&](double low, double high) {
    return T(std::uniform_real_distribution<double>(low, high)(generator));
  };
  auto scaled = [&] { return T(std::ldexp(uniform(1, 2), int(uniform(Limits::min_exponent, Limits::max_exponent)))); };
  for (int i = 0; i < 60000; ++i) {
    T x = scaled(), y = scaled();
    if (kind == Kind::Power) // results over all exponents, then of bases near 1
      y = T(uniform(Limits::min_exponent, Limits::max_exponent) * std::log(2.0) / std::log(double(x)));
    worst.take(x, y);
    if (kind == Kind::Power) {
      x = T(1 + std::ldexp(uniform(-1, 1), int(uniform(-20, -1))));
      y = T(uniform(-80, 80) / (x == 1 ? 1 : std::log(double(x))));
      worst.take(x, y);
    }
    worst.take(uniform(-10, 10), kind == Kind::Power ? std::round(uniform(-20, 20)) : uniform(-10, 10));
  }
  std::printf("%s f%zu: %s, %a\n", name, sizeof(T) * 8, worst.error.str().c_str(), worst.other);
  EXPECT_LE(worst.error.ulps, stated) << worst.error.str() << " and " << worst.other;
}

TEST(FunctionsOfTwo, PowerOfSingles) { measure<float>(Kind::Power, mpfr_pow, 1.5, "pow"); }
TEST(FunctionsOfTwo, PowerOfDoubles) { measure<double>(Kind::Power, mpfr_pow, 1.5, "pow"); }
TEST(FunctionsOfTwo, AngleOfSingles) { measure<float>(Kind::Angle, mpfr_atan2, 2.5, "atan2"); }
TEST(FunctionsOfTwo, AngleOfDoubles) { measure<double>(Kind::Angle, mpfr_atan2, 2.5, "atan2"); }
TEST(FunctionsOfTwo, LengthOfSingles) { measure<float>(Kind::Length, mpfr_hypot, 2, "hypot"); }
TEST(FunctionsOfTwo, LengthOfDoubles) { measure<double>(Kind::Length, mpfr_hypot, 2, "hypot"); }

/// Where x is below -2.2 lgamma(x) is a difference of two terms, one of which is lgamma(|x|): the error is that of the
/// terms.
TEST(FunctionsOfTwo, LogGammaBetweenItsPoles) {
  const Function *f = functionsBegin();
  while (std::string(f->name) != "lgamma")
    ++f;
  std::mt19937_64 generator(6);
  for (int i = 0; i < 20000; ++i) {
    double x = std::uniform_real_distribution<double>(i % 2 ? -20 : -170, -2.2)(generator);
    float narrow = float(x);
    Precise wide = f->reference64(x), single = f->reference64(narrow);
    double scale = std::max(1.0, f->reference64(-x).nearest);
    EXPECT_LE(std::abs(f->wide(x) - wide.nearest), scale * 0x1p-50) << x;
    EXPECT_LE(std::abs(f->single(narrow) - single.nearest), scale * 0x1p-21) << narrow;
  }
}

} // namespace
} // namespace tegula::elementary::test
