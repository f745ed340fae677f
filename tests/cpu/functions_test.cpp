// The CPU's functions by libm and its own, against MPFR: the judge of the other devices is right itself.
#include "tests/cpu/Harness.h"
#include "tests/cpu/Mpfr.h"

#include "backends/cpu/kernels/Functions.h"

#include <cfenv>
#include <random>

namespace tegula::cpu {
namespace {

using namespace test;

int lgammaOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(y, &sign, x, rounding);
}
int erfcxOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
  Wide power;
  mpfr_sqr(power.v, x, MPFR_RNDN);
  mpfr_exp(power.v, power.v, MPFR_RNDN);
  mpfr_erfc(y, x, MPFR_RNDN);
  return mpfr_mul(y, y, power.v, rounding);
}
int normcdfOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
  Wide scaled;
  mpfr_sqrt_ui(scaled.v, 2, MPFR_RNDN);
  mpfr_div(scaled.v, x, scaled.v, MPFR_RNDN);
  mpfr_neg(scaled.v, scaled.v, MPFR_RNDN);
  mpfr_erfc(y, scaled.v, MPFR_RNDN);
  return mpfr_div_ui(y, y, 2, rounding);
}

template <class T> T compute(FunctionKind kind, T x) {
  T result = 0;
  const void *in[1] = {&x};
  functionKernel(kernels(), kind, sizeof(T) == 8)(&result, in, 1, 0);
  return result;
}

struct Row {
  FunctionKind kind;
  Mpfr reference;
  double low, high;
};

template <class T> void expectAccurate(double most) {
  const Row rows[] = {
      {FunctionKind::Acosh, mpfr_acosh, 1, 90},   {FunctionKind::Asinh, mpfr_asinh, -90, 90},
      {FunctionKind::Atanh, mpfr_atanh, -1, 1},   {FunctionKind::Cbrt, mpfr_cbrt, -1e6, 1e6},
      {FunctionKind::Cospi, mpfr_cospi, -90, 90}, {FunctionKind::Sinpi, mpfr_sinpi, -90, 90},
      {FunctionKind::Erfc, mpfr_erfc, -6, 9},     {FunctionKind::Erfcx, erfcxOf, -5, 90},
      {FunctionKind::Exp10, mpfr_exp10, -37, 38}, {FunctionKind::Lgamma, lgammaOf, 0.01, 90},
      {FunctionKind::Normcdf, normcdfOf, -12, 6}, {FunctionKind::Tgamma, mpfr_gamma, -5.9, 30},
  };
  std::mt19937_64 generator(11);
  for (const Row &row : rows) {
    std::uniform_real_distribution<double> any(row.low, row.high);
    double worst = 0;
    for (int i = 0; i < 3000; ++i) {
      const T x = static_cast<T>(any(generator));
      Wide argument, exact;
      mpfr_set_d(argument.v, x, MPFR_RNDN);
      row.reference(exact.v, argument.v, MPFR_RNDN);
      worst = std::max(worst, ulpsApart(compute(row.kind, x), exact.v));
    }
    EXPECT_LE(worst, most) << "function " << static_cast<int>(row.kind);
  }
}

TEST(Functions, SinglesAreNearlyTheNearest) { expectAccurate<float>(0.51); }
TEST(Functions, DoublesAreNearlyTheNearest) { expectAccurate<double>(0.6); }

/// f(inverse(y)) = y within what the inverse's own rounding makes of it.
TEST(Functions, InversesAreInverse) {
  std::mt19937_64 generator(12);
  for (int i = 0; i < 3000; ++i) {
    const double y = std::uniform_real_distribution<double>(-0.99, 0.99)(generator);
    EXPECT_NEAR(std::erf(compute(FunctionKind::Erfinv, y)), y, 4e-16);
    const double small = std::exp(std::uniform_real_distribution<double>(-600, -0.1)(generator));
    EXPECT_NEAR(std::erfc(compute(FunctionKind::Erfcinv, small)) / small, 1, 3e-13);
    const double p = std::exp(std::uniform_real_distribution<double>(-300, -0.02)(generator));
    EXPECT_NEAR(compute(FunctionKind::Normcdf, compute(FunctionKind::Normcdfinv, p)) / p, 1, 3e-13);
  }
  EXPECT_EQ(compute(FunctionKind::Erfcinv, 0.0), INFINITY);
  EXPECT_EQ(compute(FunctionKind::Erfcinv, 2.0), -INFINITY);
  EXPECT_EQ(compute(FunctionKind::Erfinv, -1.0f), -INFINITY);
  EXPECT_TRUE(std::isnan(compute(FunctionKind::Erfinv, 1.5f)));
}

TEST(Functions, RoundedMultiplyAddsLeaveTheModeAlone) {
  const float x = 1 + 0x1p-20f, z = 0x1p-60f;
  const void *in[3] = {&x, &x, &z};
  float down = 0, up = 0;
  functionKernel(kernels(), FunctionKind::FmaDown, false)(&down, in, 1, 0);
  functionKernel(kernels(), FunctionKind::FmaUp, false)(&up, in, 1, 0);
  EXPECT_EQ(std::nextafter(down, 9.0f), up);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

} // namespace
} // namespace tegula::cpu
