// sinpi, cospi, tan: the argument modulo 2 is exact, so that no digit of pi is lost.
#pragma once

#include "core/math/Pairs.h"
#include "core/math/Trigonometric.h"

namespace tegula::elementary {

/// |x| = quadrant / 2 + r modulo 2 with |r| <= 1/4, and r * pi in two parts.
template <class N> Angle<N> reduceTurns(Real<N> x) {
  using F = Format<N>;
  constexpr double kWhole = double(F::kLeading);
  Real<N> half = magnitude(x) * 0.5, bounded = select(half < kWhole, half, x.of(0)); // beyond, x is an even integer
  Real<N> rest = (bounded - ((bounded + kWhole) - kWhole)) * 2.0;
  Real<N> sum = rest * 2.0 + F::kRounder, r = rest - (sum - F::kRounder) * 0.5;
  Pair<N> pi = constantPair(x, 0x1.921fb6p+1, -0x1.777a5cp-24, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53);
  Pair<N> angle = exactProduct(r, pi.high);
  return {bitsOf(sum) - F::kRounderBits, angle.high, angle.low + r * pi.low};
}

/// sin(pi x) or cos(pi x); zero where it is, with the sign of x, or positive.
template <class N> Real<N> sineOrCosineOfTurns(Real<N> x, unsigned quarter) {
  using F = Format<N>;
  Angle<N> angle = reduceTurns(x);
  Whole<N> quadrant = angle.quadrant + quarter;
  Truth<N> isSine = (quadrant & 1) == 0;
  Real<N> result = select(isSine, sineOfRest(angle.r, angle.rest), cosineOfRest(angle.r, angle.rest));
  result = fromBits(bitsOf(result) ^ ((quadrant & 2) << (N::kBits - 2)));
  result = select(isSine & (angle.r == x.of(0)), x.of(0), result);
  if (quarter == 0)
    result = fromBits(bitsOf(result) ^ (bitsOf(x) & F::kSign));
  Whole<N> size = bitsOf(x) & F::kMagnitude;
  if (quarter == 0) // a small angle loses digits of its product below the normal numbers
    result = select(magnitude(x) < (F::kIsSingle ? 0x1p-40 : 0x1p-400), x * 0x1.921fb54442d18p+1, result);
  return select(F::kInfinity - 1 < size, special(x, F::kNan), result);
}

template <class N> Real<N> sinpi(Real<N> x) { return sineOrCosineOfTurns(x, 0); }
template <class N> Real<N> cospi(Real<N> x) { return sineOrCosineOfTurns(x, 1); }

template <class N> Real<N> tan(Real<N> x) {
  using F = Format<N>;
  Angle<N> angle = reduceToQuadrant(x);
  Real<N> sine = sineOfRest(angle.r, angle.rest), cosine = cosineOfRest(angle.r, angle.rest);
  Truth<N> isEven = (angle.quadrant & 1) == 0;
  Real<N> result = select(isEven, sine, -cosine) / select(isEven, cosine, sine);
  result = fromBits(bitsOf(result) ^ (bitsOf(x) & F::kSign));
  Whole<N> size = bitsOf(x) & F::kMagnitude;
  constexpr uint64_t kSmall = F::kOne - (uint64_t(F::kDigits / 2 + 1) << F::kDigits);
  result = select(size < kSmall, x, result);
  return select(F::kInfinity - 1 < size, special(x, F::kNan), result);
}

} // namespace tegula::elementary
