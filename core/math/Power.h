// pow and exp10. The logarithm has twice the digits: an error of it counts up to 2^10 times in the power. Fits are
// ours: tests/math/fit.py.
#pragma once

#include "core/math/Exponential.h"
#include "core/math/Logarithm.h"
#include "core/math/Pairs.h"

namespace tegula::elementary {

/// log(x) for positive finite x, relative error 2^-35 and 2^-65: k ln 2 + 2 atanh(s), s = f / (2 + f).
template <class N> Pair<N> logPair(Real<N> x) {
  constexpr bool kIsSingle = Format<N>::kIsSingle;
  Split<N> split = splitNumber(x);
  Real<N> f = split.f;
  Pair<N> below = quickSum(x.of(2), f);
  Real<N> quotient = f / below.high;
  Pair<N> product = exactProduct(quotient, below.high);
  Pair<N> s = {quotient, (((f - product.high) - product.low) - quotient * below.low) / below.high};
  Pair<N> z = s * s;
  Real<N> p = Format<N>::kIsSingle
                  ? polynomial(z.high, {2.000007611e-01, 1.427356436e-01, 1.170934949e-01})
                  : polynomial(z.high, {0x1.9999999999996p-3, 0x1.2492492493036p-3, 0x1.c71c71c58049ap-4,
                                        0x1.745d1832617f6p-4, 0x1.3b1362b2205ecp-4, 0x1.1120b637355edp-4,
                                        0x1.de33591b800e3p-5, 0x1.eb11e4597a00ap-5});
  // Errors of the fit, relative to the logarithm: 2^-36.8, 2^-73.5.
  Pair<N> inner = constantPair(x, 0x1.555556p-2, -0x1.555556p-27, 0x1.5555555555555p-2, 0x1.5555555555555p-56);
  Pair<N> tail = z * (inner + Pair<N>{z.high * p, x.of(0)});
  Pair<N> twice = {s.high * 2.0, s.low * 2.0};
  Pair<N> rest = twice + twice * tail;
  constexpr double kHigh = kIsSingle ? 0x1.62e4p-1 : 0x1.62e42fefp-1;
  constexpr double kLow = kIsSingle ? 0x1.7f7d1cf79abcap-20 : 0x1.473de6af278edp-34;
  Pair<N> sum = exactSum(split.k * kHigh, rest.high);
  return quickSum(sum.high, sum.low + (rest.low + split.k * kLow));
}

/// e^(a.high + a.low) as p * 2^k, a.high clamped so that k is far from overflow.
template <class N> struct Scaled {
  Real<N> p;
  Whole<N> k;
};
template <class N> Scaled<N> expParts(Pair<N> a, double low, double high) {
  Real<N> inside = clamped(a.high, low, high);
  Reduced<N> reduced = reduceByLn2(inside);
  Real<N> r = reduced.r + select(inside == a.high, a.low, a.low.of(0));
  return {1.0 + expm1OfRest(r), reduced.k};
}

/// e^(a.high + a.low), NaN excepted.
template <class N> Real<N> expOfPair(Pair<N> a) {
  constexpr bool kIsSingle = Format<N>::kIsSingle;
  constexpr double kHighest = kIsSingle ? 0x1.62e43p+6 : 0x1.62e42fefa39f0p+9;
  Scaled<N> parts = expParts(a, kIsSingle ? -104 : -746, kHighest);
  return select(kHighest < a.high, special(a.high, Format<N>::kInfinity), scaled(parts.p, parts.k));
}

/// Of numbers that are not negative.
template <class N> Truth<N> isWhole(Real<N> size) {
  constexpr double kWhole = double(Format<N>::kLeading);
  return !(size < kWhole) | ((size + kWhole) - kWhole == size);
}

template <class N> Real<N> pow(Real<N> x, Real<N> y) {
  using F = Format<N>;
  Real<N> xSize = magnitude(x), ySize = magnitude(y), one = x.of(1), infinity = special(x, F::kInfinity);
  // Beyond this y any power of a number other than 1 is zero or infinite.
  Real<N> bounded = clamped(y, F::kIsSingle ? -0x1p+34 : -0x1p+66, F::kIsSingle ? 0x1p+34 : 0x1p+66);
  Truth<N> isPlain = !(xSize == x.of(0)) & (xSize < infinity);
  Pair<N> logarithm = logPair(select(isPlain, xSize, x.of(2)));
  Pair<N> product = exactProduct(logarithm.high, bounded);
  Real<N> size = expOfPair(quickSum(product.high, product.low + logarithm.low * bounded));
  Truth<N> isZero = xSize == x.of(0), shrinks = (y < 0.0);
  Real<N> far = select(shrinks, select(isZero, infinity, x.of(0)), select(isZero, x.of(0), infinity));
  size = select(isPlain, size, far);
  Truth<N> isWholeY = isWhole(ySize), isOdd = isWholeY & !isWhole(ySize * 0.5);
  Whole<N> sign = select(isOdd, bitsOf(x) & F::kSign, bitsOf(x).of(0));
  Real<N> result = fromBits(bitsOf(size) | sign);
  Truth<N> isNegative = (x < 0.0) & isPlain;
  result = select(isNegative & !isWholeY, special(x, F::kNan), result);
  result = select(isNan(x) | isNan(y), x + y, result);
  // 1 to any power and any number to the power 0 are 1, and so is -1 to an infinite power.
  return select((x == one) | (y == y.of(0)) | ((xSize == one) & (ySize == infinity)), one, result);
}

/// x = k log10(2) + r, and 10^r = e^(r ln 10).
template <class N> Real<N> exp10(Real<N> x) {
  using F = Format<N>;
  constexpr double kHighest = F::kIsSingle ? 0x1.344134p+5 : 0x1.34413509f79fep+8;
  constexpr double kHigh = F::kIsSingle ? 0x1.344p-2 : 0x1.34413508p-2;
  constexpr double kLow = F::kIsSingle ? 0x1.3509f79fef312p-18 : 0x1.f79fef311f12bp-34;
  Real<N> inside = clamped(x, F::kIsSingle ? -46 : -324, kHighest);
  Real<N> sum = inside * 0x1.a934f0979a371p+1 + F::kRounder, k = sum - F::kRounder;
  Real<N> high = inside - k * kHigh;
  Pair<N> r = quickSum(high, -(k * kLow));
  // r ln 10 in two parts: its error would be one of the result.
  Pair<N> ln10 = constantPair(x, 0x1.26bb1cp+1, -0x1.12aabap-25, 0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53);
  Pair<N> exponent = r * ln10;
  Real<N> power = scaled(1.0 + expm1OfRest(exponent.high + exponent.low), bitsOf(sum) - F::kRounderBits);
  power = select(kHighest < x, special(x, F::kInfinity), power);
  return select(isNan(x), x, power);
}

} // namespace tegula::elementary
