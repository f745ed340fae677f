// rsqrt, cbrt, rcbrt, hypot, of correctly rounded roots and quotients.
#pragma once

#include "core/math/Pairs.h"

namespace tegula::elementary {

template <class N> Real<N> rsqrt(Real<N> x) { return 1.0 / squareRoot(x); }

/// A third of the bits is a first guess (W. Kahan, "Computing a real cube root", 1991); Halley's method, then a series
/// in the residual of a guess so short that its cube is exact.
template <class N> Real<N> cbrt(Real<N> x) {
  using F = Format<N>;
  // Scaled by cubes, so that neither residuals nor sums leave the normal numbers.
  Real<N> size = magnitude(x);
  Truth<N> isTiny = size < (F::kIsSingle ? 0x1p-80 : 0x1p-900), isHuge = (F::kIsSingle ? 0x1p+100 : 0x1p+1000) < size;
  Real<N> scale = select(isTiny, x.of(F::kIsSingle ? 0x1p+60 : 0x1p+120), select(isHuge, x.of(0x1p-30), x.of(1)));
  Real<N> back = select(isTiny, x.of(F::kIsSingle ? 0x1p-20 : 0x1p-40), select(isHuge, x.of(0x1p+10), x.of(1)));
  Real<N> raised = size * scale;
  constexpr uint64_t kThird = F::kIsSingle ? 0x55555556 : 0x5555555555555556,
                     kGuess = F::kIsSingle ? 0x2a513792 : 0x2a9f789300000000;
  Real<N> t = fromBits(multiplyHigh(bitsOf(raised), bitsOf(x).of(kThird)) + kGuess);
  for (int i = 0; i < (F::kIsSingle ? 1 : 2); ++i) {
    Real<N> cube = t * t * t;
    t = t * ((cube + raised * 2.0) / (cube * 2.0 + raised));
  }
  t = fromBits(bitsOf(t) & (F::kIsSingle ? ~uint64_t(0xffff) : ~uint64_t(0xfffffffff)));
  Real<N> r = (raised - t * t * t) / raised;
  // (1 - r)^(-1/3) - 1
  Real<N> series = polynomial(r, {0x1.5555555555555p-2, 0x1.c71c71c71c71cp-3, 0x1.61f9add3c0ca4p-3,
                                  0x1.26fabb85cb534p-3, 0x1.ff4c33f8fa07cp-4});
  Real<N> root = t + t * (r * series);
  root = root * back;
  root = fromBits(bitsOf(root) | (bitsOf(x) & F::kSign));
  return select((size == x.of(0)) | isNan(x) | (bitsOf(size) == F::kInfinity), x, root);
}

/// sqrt(x^2 + y^2), scaled so that no square overflows or vanishes.
template <class N> Real<N> hypot(Real<N> x, Real<N> y) {
  using F = Format<N>;
  Real<N> a = magnitude(x), b = magnitude(y), infinity = special(x, F::kInfinity);
  Real<N> large = select(a < b, b, a);
  constexpr double kHigh = F::kIsSingle ? 0x1p+60 : 0x1p+500, kLow = F::kIsSingle ? 0x1p-60 : 0x1p-500;
  constexpr double kDown = F::kIsSingle ? 0x1p-100 : 0x1p-600, kUp = F::kIsSingle ? 0x1p+100 : 0x1p+600;
  Real<N> scale = select(kHigh < large, x.of(kDown), select(large < kLow, x.of(kUp), x.of(1)));
  Real<N> back = select(kHigh < large, x.of(kUp), select(large < kLow, x.of(kDown), x.of(1)));
  Real<N> u = a * scale, v = b * scale;
  Real<N> result = squareRoot(u * u + v * v) * back;
  result = select(isNan(x) | isNan(y), x + y, result);
  return select((a == infinity) | (b == infinity), infinity, result);
}

} // namespace tegula::elementary
