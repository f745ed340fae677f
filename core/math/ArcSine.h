// asin, acos. Fits are ours: tests/math/fit.py.
#pragma once

#include "core/math/ArcTangent.h"

namespace tegula::elementary {

/// asin(s) - s for 0 <= s <= 1/2, of s^2. Errors of the fit, relative to asin: 2^-27.6, 2^-59.8.
template <class N> Real<N> arcSineRest(Real<N> s, Real<N> z) {
  Real<N> p =
      Format<N>::kIsSingle
          ? polynomial(z, {1.666675395e-01, 7.495240888e-02, 4.547722024e-02, 2.414695327e-02, 4.221974387e-02})
          : polynomial(z, {0x1.5555555555578p-3, 0x1.333333332df72p-4, 0x1.6db6db7226a7cp-5, 0x1.f1c71a8d85eb4p-6,
                           0x1.6e8bdfad79e05p-6, 0x1.1c49e23801a1ep-6, 0x1.ca20dacbc3aafp-7, 0x1.757b0e8f2e4c5p-7,
                           0x1.61765f88cca07p-7, 0x1.e298ff234d42bp-9, 0x1.649e64e414f11p-6, -0x1.59657aec663c4p-6,
                           0x1.0bb5d0d7cf70bp-5});
  return s * z * p;
}

/// asin(sqrt(z)) for z = (1 - |x|) / 2 with |x| > 1/2: the root in two parts, the upper one with half of the digits.
template <class N> struct HalfArc {
  Real<N> high, rest;
};
template <class N> HalfArc<N> halfArc(Real<N> size) {
  Real<N> z = (1.0 - size) * 0.5, root = squareRoot(z);
  Real<N> high = fromBits(bitsOf(root) & (Format<N>::kIsSingle ? ~uint64_t(0xfff) : ~uint64_t(0x7ffffff)));
  Real<N> sum = root + high;
  Real<N> low = (z - high * high) / select(sum == sum.of(0), sum.of(1), sum);
  return {high, low + arcSineRest(root, z)};
}

template <class N> Real<N> asin(Real<N> x) {
  using F = Format<N>;
  Real<N> size = magnitude(x);
  Real<N> near = size + arcSineRest(size, size * size);
  // pi / 2 - 2 asin(sqrt(z)): pi / 4 - 2 high is exact to half of its last digit.
  HalfArc<N> half = halfArc(size);
  Real<N> quarter = x.of(Pi<N>::kHigh) * 0.25;
  Real<N> far = quarter - ((half.rest * 2.0 - Pi<N>::kLow * 0.5) - (quarter - half.high * 2.0));
  Real<N> result = select(0.5 < size, far, near);
  result = fromBits(bitsOf(result) | (bitsOf(x) & F::kSign));
  constexpr uint64_t kSmall = F::kOne - (uint64_t(F::kDigits / 2 + 1) << F::kDigits);
  result = select(bitsOf(size) < kSmall, x, result);
  return select(bitsOf(x.of(1)) < bitsOf(size), special(x, F::kNan), result);
}

template <class N> Real<N> acos(Real<N> x) {
  using F = Format<N>;
  Real<N> size = magnitude(x), halfPi = x.of(Pi<N>::kHigh) * 0.5;
  Real<N> near = halfPi - (x - (Pi<N>::kLow * 0.5 - arcSineRest(x, x * x)));
  HalfArc<N> half = halfArc(size);
  Real<N> right = (half.high + half.rest) * 2.0;
  Real<N> left = x.of(Pi<N>::kHigh) - (half.high * 2.0 + (half.rest * 2.0 - Pi<N>::kLow));
  Real<N> result = select(0.5 < size, select(x < 0.0, left, right), near);
  return select(bitsOf(x.of(1)) < bitsOf(size), special(x, F::kNan), result);
}

} // namespace tegula::elementary
