// tanh, sinh, cosh, asinh, acosh, atanh, by expm1 and log1p, which keep the digits that differences would lose.
#pragma once

#include "core/math/Exponential.h"
#include "core/math/Logarithm.h"

namespace tegula::elementary {

/// e / (e + 2) with e = e^(2 |x|) - 1.
template <class N> Real<N> tanh(Real<N> x) {
  using F = Format<N>;
  Real<N> e = expm1(clamped(magnitude(x) * 2.0, 0, F::kIsSingle ? 40 : 80));
  Whole<N> sign = bitsOf(x) & F::kSign;
  Real<N> result = fromBits(bitsOf(e / (e + 2.0)) | sign);
  constexpr uint64_t kSmall = F::kOne - (uint64_t(F::kDigits / 2 + 1) << F::kDigits);
  Truth<N> isSmall = (bitsOf(x) & F::kMagnitude) < kSmall; // x - x^3 / 3
  return select(isNan(x) | isSmall, x, result);
}

/// Far from zero the results are e^|x| / 2, by e^(|x| / 2) in two factors, which does not overflow before the result.
template <class N> Real<N> halfExponential(Real<N> size) {
  Real<N> root = exp(size * 0.5);
  return (root * 0.5) * root;
}

template <class N> Real<N> sinh(Real<N> x) {
  using F = Format<N>;
  Real<N> size = magnitude(x), grown = expm1(clamped(size, 0, 22));
  Real<N> near = (grown + grown / (grown + 1.0)) * 0.5;
  Real<N> result = fromBits(bitsOf(select(size < 22.0, near, halfExponential(size))) | (bitsOf(x) & F::kSign));
  constexpr uint64_t kSmall = F::kOne - (uint64_t(F::kDigits / 2 + 1) << F::kDigits);
  return select(isNan(x) | (bitsOf(size) < kSmall), x, result);
}

template <class N> Real<N> cosh(Real<N> x) {
  Real<N> size = magnitude(x), grown = exp(clamped(size, 0, 22));
  return select(isNan(x), x, select(size < 22.0, grown * 0.5 + 0.5 / grown, halfExponential(size)));
}

/// log(2 x) for large x, which would overflow: log(x) + ln 2.
template <class N> Real<N> asinh(Real<N> x) {
  using F = Format<N>;
  Real<N> size = magnitude(x);
  Truth<N> isLarge = (F::kIsSingle ? 0x1p+14 : 0x1p+28) < size;
  Real<N> bounded = select(isLarge, x.of(1), size), square = bounded * bounded;
  Real<N> near = log1p(bounded + square / (1.0 + squareRoot(1.0 + square)));
  Real<N> far = log(select(isLarge, size, x.of(1))) + 0x1.62e42fefa39efp-1;
  Real<N> result = fromBits(bitsOf(select(isLarge, far, near)) | (bitsOf(x) & F::kSign));
  constexpr uint64_t kSmall = F::kOne - (uint64_t(F::kDigits / 2 + 1) << F::kDigits);
  return select(isNan(x) | (bitsOf(size) < kSmall), x, result);
}

template <class N> Real<N> acosh(Real<N> x) {
  using F = Format<N>;
  Truth<N> isLarge = (F::kIsSingle ? 0x1p+14 : 0x1p+28) < x;
  Real<N> t = select(isLarge, x.of(1), x) - 1.0;
  Real<N> near = log1p(t + squareRoot(t * 2.0 + t * t));
  Real<N> far = log(select(isLarge, x, x.of(1))) + 0x1.62e42fefa39efp-1;
  Real<N> result = select(x < 1.0, special(x, F::kNan), select(isLarge, far, near));
  return select(isNan(x), x, result);
}

/// log((1 + x) / (1 - x)) / 2.
template <class N> Real<N> atanh(Real<N> x) {
  using F = Format<N>;
  Real<N> size = magnitude(x);
  Real<N> result = log1p(size * 2.0 / (1.0 - size)) * 0.5;
  result = fromBits(bitsOf(result) | (bitsOf(x) & F::kSign));
  constexpr uint64_t kSmall = F::kOne - (uint64_t(F::kDigits / 2 + 1) << F::kDigits);
  result = select(isNan(x) | (bitsOf(size) < kSmall), x, result);
  return select(1.0 < size, special(x, F::kNan), result);
}

} // namespace tegula::elementary
