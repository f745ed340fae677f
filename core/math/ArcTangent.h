// atan, atan2. Fits are ours: tests/math/fit.py.
#pragma once

#include "core/math/Numbers.h"

namespace tegula::elementary {

/// pi in two parts.
template <class N> struct Pi {
  static constexpr double kHigh = Format<N>::kIsSingle ? 0x1.921fb6p+1 : 0x1.921fb54442d18p+1;
  static constexpr double kLow = Format<N>::kIsSingle ? -0x1.777a5cp-24 : 0x1.1a62633145c07p-53;
};

/// `turns` * pi + atan(t) for |t| <= tan(pi / 8). Errors of the fit: 2^-30.5, 2^-59.5.
template <class N> Real<N> arcFrom(Real<N> turns, Real<N> t) {
  Real<N> z = t * t;
  Real<N> p =
      Format<N>::kIsSingle
          ? polynomial(z, {-3.333331550e-01, 1.999848890e-01, -1.424383791e-01, 1.059591670e-01, -6.083227028e-02})
          : polynomial(z, {-0x1.555555555553dp-2, 0x1.99999999958ecp-3, -0x1.24924922b122fp-3, 0x1.c71c70e7a32a5p-4,
                           -0x1.745cf90b32737p-4, 0x1.3b111c660e094p-4, -0x1.10ebddadba28fp-4, 0x1.df11684111bdep-5,
                           -0x1.9cdc29ba009cap-5, 0x1.37ed46256fd61p-5, -0x1.259d531ac1165p-6});
  return turns * Pi<N>::kHigh + (t + (t * z * p + turns * Pi<N>::kLow));
}

/// atan(a / b) + turns * pi for 0 <= a <= b: atan(q), or pi / 4 + atan((a - b) / (a + b)) for larger quotients.
template <class N> Real<N> arcOfQuotient(Real<N> a, Real<N> b, Real<N> turns, Real<N> sign) {
  Truth<N> isLarge = b * 0x1.a827999fcef32p-2 < a;
  Real<N> t = select(isLarge, a - b, a) / select(isLarge, a + b, b);
  return arcFrom(turns + select(isLarge, sign * 0.25, sign.of(0)), sign * t);
}

template <class N> Real<N> atan(Real<N> x) {
  using F = Format<N>;
  Real<N> size = magnitude(x), one = x.of(1);
  Truth<N> isLarge = one < size;
  // Beyond 2^kDigits the quotient adds nothing; infinity would give NaN.
  Real<N> bounded = select(size < double(F::kLeading) * 4, size, x.of(double(F::kLeading) * 4));
  Real<N> angle = arcOfQuotient(select(isLarge, one, size), select(isLarge, bounded, one),
                                select(isLarge, x.of(0.5), x.of(0)), select(isLarge, x.of(-1), one));
  Real<N> result = fromBits(bitsOf(angle) | (bitsOf(x) & F::kSign));
  constexpr uint64_t kSmall = F::kOne - (uint64_t(F::kDigits / 2 + 1) << F::kDigits);
  return select(isNan(x) | (bitsOf(size) < kSmall), x, result); // x - x^3 / 3
}

/// The angle of the point (x, y), from -pi to pi.
template <class N> Real<N> atan2(Real<N> y, Real<N> x) {
  using F = Format<N>;
  Whole<N> xSize = bitsOf(x) & F::kMagnitude, ySize = bitsOf(y) & F::kMagnitude;
  Truth<N> isSteep = xSize < ySize, isLeft = !((bitsOf(x) & F::kSign) == 0);
  Whole<N> small = select(isSteep, xSize, ySize), large = select(isSteep, ySize, xSize);
  // Two infinities are on a diagonal, two zeros on the x axis. Large numbers are scaled, so that their sum is finite.
  Truth<N> isInfinite = large == F::kInfinity, isDiagonal = isInfinite & (small == F::kInfinity);
  Real<N> a = select(isInfinite, select(isDiagonal, x.of(1), x.of(0)), fromBits(small));
  Real<N> b = select(isInfinite | (large == 0), x.of(1), fromBits(large));
  Real<N> scale = select(x.of(F::kIsSingle ? 0x1p+100 : 0x1p+1000) < b, x.of(0x1p-30),
                         select(b < (F::kIsSingle ? 0x1p-60 : 0x1p-900), x.of(0x1p+60), x.of(1)));
  Real<N> turns = select(isSteep, x.of(0.5), select(isLeft, x.of(1), x.of(0)));
  Real<N> sign = select(isSteep, select(isLeft, x.of(1), x.of(-1)), select(isLeft, x.of(-1), x.of(1)));
  Real<N> angle = arcOfQuotient(a * scale, b * scale, turns, sign);
  // On the right and flat: the quotient itself where it is small or below the normal numbers.
  Real<N> result = fromBits((bitsOf(angle) & F::kMagnitude) | (bitsOf(y) & F::kSign));
  return select(isNan(x) | isNan(y), x + y, result);
}

} // namespace tegula::elementary
