// tgamma. Near 2 by a fit; up to 8 by the recurrence gamma(x + 1) = x gamma(x); beyond by Stirling's formula; negative
// arguments by Euler's reflection gamma(x) gamma(-x) = -pi / (x sin(pi x)). Fits are ours: tests/math/fit.py.
#pragma once

#include "core/math/Power.h"
#include "core/math/TurnFunctions.h"

namespace tegula::elementary {

/// x * (log(gamma(x)) - ((x - 1/2) log(x) - x + log(2 pi) / 2)) for x >= 8. Errors of the fit: 2^-29.3, 2^-58.6.
template <class N> Real<N> stirlingRest(Real<N> x) {
  Real<N> inverse = 1.0 / x, z = inverse * inverse;
  return inverse * (Format<N>::kIsSingle
                        ? polynomial(z, {8.333327385e-02, -2.762472112e-03})
                        : polynomial(z, {0x1.5555555555545p-4, -0x1.6c16c16b2acd6p-9, 0x1.a019fa29f08bfp-11,
                                         -0x1.380d01e1f7954p-11, 0x1.b68b989b2de5dp-11, -0x1.ac320c1867c23p-10}));
}

/// x = y + n with y in (3/2, 5/2], for x below 8, and the product (x - 1) ... y.
template <class N> Pair<N> loweredToTwo(Real<N> x) {
  Real<N> y = x, product = x.of(1);
  for (int i = 0; i < 6; ++i) {
    Truth<N> lowers = 2.5 < y;
    y = select(lowers, y - 1.0, y);
    product = select(lowers, product * y, product);
  }
  return {y, product};
}

/// gamma(x) for -1/2 < x < 8: gamma(2 + t) times or divided by what the recurrence gives. Errors of the fit: 2^-29.7,
/// 2^-65.4.
template <class N> Real<N> gammaNear(Real<N> x) {
  Pair<N> lowered = loweredToTwo(x);
  Truth<N> isLow = lowered.high < 1.5, isLowest = lowered.high < 0.5;
  Real<N> t = select(isLowest, x, select(isLow, x - 1.0, lowered.high - 2.0));
  Real<N> p =
      Format<N>::kIsSingle
          ? polynomial(t, {1.000000001e+00, 4.227843255e-01, 4.118401218e-01, 8.157751612e-02, 7.425576445e-02,
                           -2.775095012e-04, 1.107852715e-02, -2.776723448e-03, 2.441429555e-03, -1.154984253e-03})
          : polynomial(t, {0x1.0000000000000p+0,  0x1.b0ee6072093cep-2,   0x1.a5b978b96bebfp-2,  0x1.4e239984650b5p-4,
                           0x1.301fbb0f25b5ep-4,  -0x1.17f3741014676p-12, 0x1.6d7eeac9d13edp-7,  -0x1.75e6e90388958p-9,
                           0x1.13c449d4e1c6fp-9,  -0x1.e21f1ce63e06fp-11, 0x1.011acf33a5de0p-11, -0x1.f94a5c3c4c98bp-13,
                           0x1.fe5795f257476p-14, -0x1.fdfb07c47c80fp-15, 0x1.fec58421100f7p-16, -0x1.fee2d1f533b08p-17,
                           0x1.0134c6793feaep-17, -0x1.024da1a57a04ep-18, 0x1.ddd9b6c8b6870p-20, -0x1.cf7193b6eb932p-21,
                           0x1.6b8d73f13ae2fp-21, -0x1.81b39dfc7c6bdp-22});
  // gamma(x) = gamma(x + 1) / x = gamma(x + 2) / (x (x + 1))
  Real<N> divisor = select(isLow, x, x.of(1));
  Real<N> result = p * lowered.low / select(isLowest, x + 1.0, x.of(1));
  return result / divisor;
}

template <class N> Real<N> tgamma(Real<N> x) {
  using F = Format<N>;
  Real<N> size = magnitude(x), infinity = special(x, F::kInfinity);
  Truth<N> isReflected = !(-0.5 < x), isLarge = !(size < 8.0);
  Real<N> near = gammaNear(select(isLarge, x.of(2), select(isReflected, size, x)));
  // Stirling's formula in pairs: an error of the exponent is one of the result.
  Real<N> y = clamped(size, 8, F::kIsSingle ? 60 : 220);
  Pair<N> logarithm = logPair(y), halfLess = {y - 0.5, x.of(0)};
  Pair<N> exponent = logarithm * halfLess + Pair<N>{-y, stirlingRest(y)};
  exponent = exponent + constantPair(x, 0x1.d67f1cp-1, 0x1.0c97d6p-26, 0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55);
  Real<N> largest = x.of(F::kIsSingle ? 0x1.18521ep+5 : 0x1.573fae561f647p+7);
  Real<N> positive = select(isLarge, select(largest < size, infinity, expOfPair(exponent)), near);
  // -pi / (x sin(pi x) gamma(-x)), with gamma(-x) as p * 2^k.
  Real<N> bounded = select(isReflected & (size < double(F::kLeading)), size, x.of(0.5));
  Real<N> sine = sinpi(bounded);
  Real<N> factor = x.of(0x1.921fb54442d18p+1) / (bounded * magnitude(sine));
  constexpr double kMost = F::kIsSingle ? 200 : 1500;
  Scaled<N> power = expParts(Pair<N>{-exponent.high, -exponent.low}, -kMost, kMost);
  Real<N> product = power.p * factor;
  Whole<N> shift = (bitsOf(product) >> F::kDigits) - F::kBias;
  Whole<N> k = power.k + shift, least = k.of(uint64_t(0) - F::kBias * 2 + 1);
  Truth<N> isNothing = isSignedLess(k, least);
  Real<N> far = scaled(fromBits(bitsOf(product) - (shift << F::kDigits)), select(isNothing, least, k));
  far = select(isNothing, x.of(0), far);
  Real<N> reflected = select(isLarge, far, factor / near);
  // gamma is negative between -1 and 0, -3 and -2, ...
  reflected = fromBits(bitsOf(reflected) | (F::kSign - (bitsOf(sine) & F::kSign)));
  Real<N> result = select(isReflected, reflected, positive);
  result = select(size == x.of(0), fromBits(bitsOf(infinity) | (bitsOf(x) & F::kSign)), result);
  result = select(isReflected & isWhole(size), special(x, F::kNan), result);
  result = select(x == infinity, infinity, result);
  return select(isNan(x), x, result);
}

} // namespace tegula::elementary
