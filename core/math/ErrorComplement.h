// erfc, erfcx, normcdf. (1 + 2 x) e^(x^2) erfc(x) for x >= 0 is a polynomial in (x - 4) / (x + 4), whose ends are x = 0
// and infinity (M. M. Shepherd and J. G. Laframboise, "Chebyshev approximation of (1 + 2 x) exp(x^2) erfc(x)",
// Mathematics of Computation 36, 1981). The fit is ours: tests/math/fit.py.
#pragma once

#include "core/math/ErrorFunction.h"
#include "core/math/Power.h"

namespace tegula::elementary {

/// e^(x^2) erfc(x) for x >= 0. Errors of the fit: 2^-29.9, 2^-61.6.
template <class N> Real<N> scaledComplement(Real<N> x) {
  Real<N> inside = select(x < 0x1p+60, x, x.of(0x1p+60));
  Real<N> u = (inside - 4.0) / (inside + 4.0);
  // The quotient's rounding error, which counts near x = 0.
  Pair<N> above = exactSum(inside, x.of(-4)), below = exactSum(inside, x.of(4)), product = exactProduct(u, below.high);
  u = u + (((above.high - product.high) - product.low) + (above.low - u * below.low)) / below.high;
  Real<N> p =
      Format<N>::kIsSingle
          ? polynomial(u, {1.232995117e+00, -1.396211119e-01, 1.537977107e-02, 6.809688358e-02, -1.010409720e-01,
                           9.373456123e-02, -6.631889778e-02, 3.715974005e-02, -1.623069373e-02, 5.050231324e-03,
                           -7.088505026e-04, -2.228715542e-04, 1.141102184e-04, -7.849083956e-06})
          : polynomial(u,
                       {0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd7afp-7,   0x1.16ecefcfa5342p-4,
                        -0x1.9ddb23c3e909cp-4,  0x1.7fee004e13130p-4,   -0x1.0fb06dfe49458p-4,  0x1.3079edf669847p-5,
                        -0x1.096238852dda1p-6,  0x1.49c6728d94aeap-8,   -0x1.8d4a99a811fadp-11, -0x1.a1df2abfc063cp-13,
                        0x1.3be0347aa986ep-13,  -0x1.9958aabe57aafp-16, -0x1.7881d610ad05ep-17, 0x1.7f2364e584d6dp-18,
                        0x1.386f00284e2c5p-22,  -0x1.badfdedf813e5p-21, 0x1.529a4cf53213bp-24,  0x1.d8db32dd8eaefp-24,
                        -0x1.76f86109888a0p-26, -0x1.f95ef4c27f52cp-27, 0x1.0dbab47b560a8p-28,  0x1.ebfb648592bddp-30,
                        -0x1.2295ead817f29p-31, -0x1.2e1942a3598bep-33, 0x1.632b2bcdfae63p-35});
  return p / (1.0 + inside * 2.0);
}

/// erfc(x.high + x.low), x.low being below an ulp.
template <class N> Real<N> complementOfPair(Pair<N> x) {
  using F = Format<N>;
  Real<N> size = magnitude(x.high), inside = select(size < 30.0, size, x.high.of(30));
  Pair<N> square = exactProduct(inside, inside);
  Real<N> sizeLow = select(x.high < 0.0, -x.low, x.low);
  Real<N> lost = square.low + inside * sizeLow * 2.0;
  // e^-(x^2) times the scaled complement as p * 2^k, rounded once.
  Scaled<N> power = expParts(Pair<N>{-square.high, -lost}, F::kIsSingle ? -126 : -780, 0);
  Real<N> factor = scaledComplement(inside);
  Real<N> product = power.p * factor;
  // The product is in [1/2, 2] again once its exponent has moved to k.
  Whole<N> exponent = (bitsOf(product) >> F::kDigits) - F::kBias;
  Real<N> digits = fromBits(bitsOf(product) - (exponent << F::kDigits));
  Whole<N> k = power.k + exponent;
  Whole<N> least = k.of(uint64_t(0) - F::kBias * 2 + 1); // beyond it the result is zero
  Real<N> tail = select(isSignedLess(k, least), x.high.of(0), scaled(digits, select(isSignedLess(k, least), least, k)));
  Real<N> near = 1.0 - (erf(x.high) + x.low * 0x1.20dd750429b6dp+0);
  Real<N> result = select(size < 0.5, near, select(x.high < 0.0, 2.0 - tail, tail));
  return select(isNan(x.high), x.high, result);
}

template <class N> Real<N> erfc(Real<N> x) { return complementOfPair(Pair<N>{x, x.of(0)}); }

/// e^(x^2) erfc(x). Of negative x it is 2 e^(x^2) less that of -x.
template <class N> Real<N> erfcx(Real<N> x) {
  Real<N> size = magnitude(x), inside = select(size < 30.0, size, x.of(30));
  Pair<N> square = exactProduct(inside, inside);
  Real<N> right = scaledComplement(size);
  Real<N> left = expOfPair(square) * 2.0 - right;
  Real<N> result = select(x < 0.0, left, right);
  // From here on 1 / (x sqrt(pi)), zero at infinity.
  result = select(0x1p+50 < x, x.of(0x1.20dd750429b6dp-1) / x, result);
  return select(isNan(x), x, result);
}

/// The integral of the standard normal distribution: erfc(-x / sqrt(2)) / 2.
template <class N> Real<N> normcdf(Real<N> x) {
  Real<N> inside = clamped(x, -50, 50);
  Pair<N> root = constantPair(x, 0x1.6a09e6p-1, 0x1.9fcef4p-27, 0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55);
  Pair<N> scaledX = exactProduct(-inside, root.high);
  Real<N> low = scaledX.low - inside * root.low;
  return select(isNan(x), x, complementOfPair(quickSum(scaledX.high, low)) * 0.5);
}

} // namespace tegula::elementary
