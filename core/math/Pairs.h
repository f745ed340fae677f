// Numbers with twice the digits: the sum of two floats, the second one at most half an ulp of the first (T. J. Dekker,
// "A floating-point technique for extending the available precision", Numerische Mathematik 18, 1971; D. E. Knuth, "The
// Art of Computer Programming", volume 2, 4.2.2). Exact as long as nothing overflows or becomes subnormal.
#pragma once

#include "core/math/Numbers.h"

namespace tegula::elementary {

template <class N> struct Pair {
  Real<N> high, low;
};

/// a + b where |a| >= |b| or a is 0.
template <class N> Pair<N> quickSum(Real<N> a, Real<N> b) {
  Real<N> sum = a + b;
  return {sum, b - (sum - a)};
}

template <class N> Pair<N> exactSum(Real<N> a, Real<N> b) {
  Real<N> sum = a + b, second = sum - a;
  return {sum, (a - (sum - second)) + (b - second)};
}

/// The upper half of the digits, 12 or 26; the rest has 12 or 27.
template <class N> Real<N> upperHalf(Real<N> a) {
  return fromBits(bitsOf(a) & (Format<N>::kIsSingle ? ~uint64_t(0xfff) : ~uint64_t(0x7ffffff)));
}

template <class N> Pair<N> exactProduct(Real<N> a, Real<N> b) {
  Real<N> product = a * b, aHigh = upperHalf(a), bHigh = upperHalf(b), aLow = a - aHigh, bLow = b - bHigh;
  return {product, ((aHigh * bHigh - product) + aHigh * bLow + aLow * bHigh) + aLow * bLow};
}

template <class N> Pair<N> operator*(Pair<N> a, Pair<N> b) {
  Pair<N> product = exactProduct(a.high, b.high);
  return quickSum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

template <class N> Pair<N> operator+(Pair<N> a, Pair<N> b) {
  Pair<N> sum = exactSum(a.high, b.high);
  return quickSum(sum.high, sum.low + (a.low + b.low));
}

/// A constant, given in two parts for f32 and two for f64.
template <class N> Pair<N> constantPair(Real<N> like, double high32, double low32, double high64, double low64) {
  return Format<N>::kIsSingle ? Pair<N>{like.of(high32), like.of(low32)} : Pair<N>{like.of(high64), like.of(low64)};
}

} // namespace tegula::elementary
