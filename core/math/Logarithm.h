// log, log2, log1p. x = 2^k m with m in [sqrt(1/2), sqrt(2)), and log m is f - f^2 / 2 + tail with f = m - 1, which is
// exact. In f32 the tail is f^3 times a polynomial, without a division; in f64, where that would be long,
// log m = 2 atanh(s), s = f / (2 + f) (J.-M. Muller, "Elementary Functions", chapter 11). Coefficients:
// tests/math/fit.py.
#pragma once

#include "core/math/Numbers.h"

namespace tegula::elementary {

/// log(1 + f) = f - (half - tail), half = f^2 / 2, for 1 + f in [sqrt(1/2), sqrt(2)]. Errors of the fit, relative to
/// log(1 + f): 2^-27.4 and 2^-59.5.
template <class N> struct LogParts {
  Real<N> half, tail;
};
template <class N> LogParts<N> logOfRest(Real<N> f) {
  Real<N> half = f * f * 0.5;
  if constexpr (Format<N>::kIsSingle) {
    Real<N> p = polynomial(f, {3.333333171e-01, -2.500082103e-01, 2.000122693e-01, -1.662335732e-01, 1.420175645e-01,
                               -1.316018186e-01, 1.276159031e-01, -7.634515414e-02});
    return {half, f * f * f * p};
  } else {
    Real<N> s = f / (2.0 + f), z = s * s;
    Real<N> p = polynomial(z, {0x1.5555555555592p-1, 0x1.999999997fd79p-2, 0x1.24924941f4e55p-2, 0x1.c71c52061a1a1p-3,
                               0x1.74663f9e71701p-3, 0x1.39a1a755f3527p-3, 0x1.2f0630d64359dp-3});
    return {half, s * (half + z * p)}; // 2 s = f - s f
  }
}

/// A positive finite x = 2^k (1 + f).
template <class N> struct Split {
  Whole<N> shifted; // k, biased by kBias, where x is a normal number
  Real<N> k, f;
};
template <class N> Split<N> splitNumber(Real<N> x) {
  using F = Format<N>;
  Whole<N> bits = bitsOf(x);
  // Below the normal numbers the digits are those of 1 + x 2^(bias - 1), less 1.
  Truth<N> isTiny = bits < F::kLeading;
  Real<N> raised = fromBits(bits | F::kOne) - 1.0;
  bits = select(isTiny, bitsOf(raised), bits);
  Whole<N> offset = select(isTiny, bits.of(F::kBias + F::kBias - 1), bits.of(F::kBias));
  constexpr uint64_t kRootHalf = F::kIsSingle ? 0x3f3504f3 : 0x3fe6a09e667f3bcd;
  Whole<N> shifted = (bits + (F::kOne - kRootHalf)) >> F::kDigits;
  Real<N> m = fromBits(bits - ((shifted - F::kBias) << F::kDigits));
  Real<N> k = fromBits(shifted - offset + F::kRounderBits) - F::kRounder;
  return {shifted, k, m - 1.0};
}

/// k ln 2 + log(1 + f) of these parts.
template <class N> Real<N> sumOfLogs(Real<N> k, Real<N> f, LogParts<N> parts) {
  constexpr double kHigh = Format<N>::kIsSingle ? 0x1.62e4p-1 : 0x1.62e42fefp-1;
  constexpr double kLow = Format<N>::kIsSingle ? 0x1.7f7d1cf79abcap-20 : 0x1.473de6af278edp-34;
  return k * kHigh + (f - (parts.half - (parts.tail + k * kLow)));
}

/// The results for zeros, negative numbers, infinity and NaN, in integers, so that nothing is flushed.
template <class N> Real<N> logSpecials(Real<N> x, Real<N> result) {
  using F = Format<N>;
  Whole<N> bits = bitsOf(x);
  result = select(F::kInfinity - 1 < bits, special(x, F::kNan), result); // negative numbers; NaN and infinity follow
  result = select((bits & F::kMagnitude) == 0, special(x, F::kInfinity | F::kSign), result);
  return select(isNan(x) | (bits == F::kInfinity), x, result);
}

template <class N> Real<N> log(Real<N> x) {
  Split<N> split = splitNumber(x);
  return logSpecials(x, sumOfLogs(split.k, split.f, logOfRest(split.f)));
}

/// log2(e) and log(1 + f) each in two parts, so that the large product is exact. Exact for powers of two.
template <class N> Real<N> log2(Real<N> x) {
  constexpr bool kIsSingle = Format<N>::kIsSingle;
  Split<N> split = splitNumber(x);
  Real<N> f = split.f;
  LogParts<N> parts = logOfRest(f);
  // 12 digits times 11, and 21 times 32.
  Real<N> high = fromBits(bitsOf(f - parts.half) & (kIsSingle ? ~uint64_t(0xfff) : ~uint64_t(0xffffffff)));
  Real<N> low = ((f - high) - parts.half) + parts.tail;
  constexpr double kHigh = kIsSingle ? 0x1.714p+0 : 0x1.71547652p+0;
  constexpr double kLow = kIsSingle ? 0x1.47652b82fe177p-12 : 0x1.705fc2eefa200p-33;
  Real<N> product = high * kHigh, sum = split.k + product;
  Real<N> rest = (split.k - sum) + product; // |k| is 0, or larger than the product
  return logSpecials(x, sum + (rest + ((low + high) * kLow + low * kHigh)));
}

/// The logarithm of u = 1 + x, rounded, corrected by the rounding error of u, which is added to f.
template <class N> Real<N> log1p(Real<N> x) {
  using F = Format<N>;
  Real<N> u = 1.0 + x;
  Real<N> lost = select(1.0 < magnitude(x), 1.0 - (u - x), x - (u - 1.0));
  Split<N> split = splitNumber(u);
  Whole<N> down = split.shifted.of(2 * F::kBias) - split.shifted; // of 2^-k; beyond 2^kDigits nothing was lost
  down = select(isSignedLess(down, 1), down.of(1), down);
  Real<N> f = split.f + lost * fromBits(down << F::kDigits);
  Real<N> result = logSpecials(u, sumOfLogs(split.k, f, logOfRest(f)));
  Whole<N> size = bitsOf(x) & F::kMagnitude;
  constexpr uint64_t kSmall = F::kOne - (uint64_t(F::kDigits + 2) << F::kDigits);
  return select(isNan(x) | (size < kSmall) | (bitsOf(x) == F::kInfinity), x, result);
}

} // namespace tegula::elementary
