// exp, exp2, expm1. The argument is reduced to x = k ln 2 + r with a whole k and |r| <= ln 2 / 2 (W. J. Cody and
// W. Waite, "Software Manual for the Elementary Functions", 1980: ln 2 in two parts, the first so short that its
// product with k is exact), e^r is a polynomial, and 2^k goes to the exponent. Coefficients: tests/math/fit.py.
#pragma once

#include "core/math/Numbers.h"

namespace tegula::elementary {

/// x = k ln 2 + r.
template <class N> struct Reduced {
  Whole<N> k;
  Real<N> wholePart, r;
};
template <class N> Reduced<N> reduceByLn2(Real<N> x) {
  using F = Format<N>;
  Real<N> sum = x * 0x1.71547652b82fep+0 + F::kRounder, k = sum - F::kRounder;
  // 16 digits times 8, and 33 times 11.
  constexpr double kHigh = F::kIsSingle ? 0x1.62e4p-1 : 0x1.62e42fefp-1;
  constexpr double kLow = F::kIsSingle ? 0x1.7f7d1cf79abcap-20 : 0x1.473de6af278edp-34;
  return {bitsOf(sum) - F::kRounderBits, k, (x - k * kHigh) - k * kLow};
}

/// e^r - 1 for |r| <= 0.347. Errors of the fit, relative to e^r: 2^-28.3 and 2^-57.9.
template <class N> Real<N> expm1OfRest(Real<N> r) {
  Real<N> tail =
      Format<N>::kIsSingle
          ? polynomial(r, {4.999999341e-01, 1.666652011e-01, 4.166839418e-02, 8.368780313e-03, 1.381446844e-03})
          : polynomial(r, {0x1.000000000000ap-1, 0x1.55555555554f9p-3, 0x1.55555555507f0p-5, 0x1.1111111127e7cp-7,
                           0x1.6c16c1844b0e4p-10, 0x1.a01a0129b6cd0p-13, 0x1.a01999adba47cp-16, 0x1.71df2626e813bp-19,
                           0x1.28adce77e1596p-22, 0x1.ad7f0b02b062ap-26});
  return r + r * r * tail;
}

/// x clamped to [low, high]. NaN stays.
template <class N> Real<N> clamped(Real<N> x, double low, double high) {
  Real<N> raised = select(x < low, x.of(low), x);
  return select(high < raised, x.of(high), raised);
}

template <class N> Real<N> exp(Real<N> x) {
  constexpr bool kIsSingle = Format<N>::kIsSingle;
  // The largest numbers with a finite result; the lower limit's result is zero.
  constexpr double kHighest = kIsSingle ? 0x1.62e42ep+6 : 0x1.62e42fefa39efp+9;
  Reduced<N> reduced = reduceByLn2(clamped(x, kIsSingle ? -104 : -746, kHighest));
  Real<N> result = scaled(1.0 + expm1OfRest(reduced.r), reduced.k);
  result = select(kHighest < x, special(x, Format<N>::kInfinity), result);
  return select(isNan(x), x, result);
}

/// exp by the target's exp2 of the rounded product log2(e) * x, corrected by the product's rounding error; for targets
/// whose multiply-add rounds once. Its error is that of exp2 plus one ulp.
template <class N> Real<N> expByExp2(Real<N> x) {
  constexpr bool kIsSingle = Format<N>::kIsSingle;
  Real<N> log2E = x.of(0x1.71547652b82fep+0);
  constexpr double kLow = kIsSingle ? 0x1.4ae0bf8p-26 : 0x1.777d0ffda0d24p-56; // of log2(e), beyond the format
  Real<N> high = x * log2E, low = fuse(x, x.of(kLow), fuse(x, log2E, -high));
  Real<N> power = nativeExp2(high);
  Real<N> corrected =
      power + power * (low * 0x1.62e42fefa39efp-1); // fused it may lose what is below the normal numbers
  // Infinite arguments and results are not corrected.
  Truth<N> isPlain = (magnitude(x) < (kIsSingle ? 128.0 : 1024.0)) & (power < special(x, Format<N>::kInfinity));
  return select(isPlain, corrected, power);
}

/// Exact for whole x. Errors of the fit: 2^-28.5 and 2^-55.7.
template <class N> Real<N> exp2(Real<N> x) {
  using F = Format<N>;
  // The upper limit's result is infinity: one more than the largest exponent and no digits.
  Real<N> inside = clamped(x, F::kIsSingle ? -151 : -1076, F::kIsSingle ? 128 : 1024);
  Real<N> sum = inside + F::kRounder, f = inside - (sum - F::kRounder);
  Real<N> tail =
      F::kIsSingle
          ? polynomial(f, {6.931472150e-01, 2.402265278e-01, 5.550310551e-02, 9.617692910e-03, 1.340664397e-03,
                           1.559469641e-04})
          : polynomial(f, {0x1.62e42fefa39f3p-1, 0x1.ebfbdff82c598p-3, 0x1.c6b08d7048f32p-5, 0x1.3b2ab6fba1e1dp-7,
                           0x1.5d87fe7bbbd28p-10, 0x1.4309130960f1cp-13, 0x1.ffcbee3b45f8cp-17, 0x1.62bfd49f254bdp-20,
                           0x1.b5416730f1e31p-24, 0x1.e605f8f51ef33p-28, 0x1.c06420b8799cep-32});
  Real<N> result = scaled(1.0 + f * tail, bitsOf(sum) - F::kRounderBits);
  return select(isNan(x), x, result);
}

/// e^x - 1 = 2^k ((e^r - 1) + (1 - 2^-k)): no cancellation, and x itself where k is 0 and r is small.
template <class N> Real<N> expm1(Real<N> x) {
  using F = Format<N>;
  constexpr double kHighest = F::kIsSingle ? 0x1.62e42ep+6 : 0x1.62e42fefa39efp+9;
  Reduced<N> reduced = reduceByLn2(clamped(x, F::kIsSingle ? -18 : -38, kHighest));
  // 2^-k, as small as a normal number where k is large and it does not count.
  Whole<N> k = reduced.k, most = k.of(F::kBias - 1);
  Real<N> power = fromBits(k.of(F::kOne) - (select(isSignedLess(most, k), most, k) << F::kDigits));
  Real<N> sum = expm1OfRest(reduced.r) + (1.0 - power);
  Real<N> result = fromBits(bitsOf(sum) + (k << F::kDigits));
  result = select(kHighest < x, special(x, F::kInfinity), result);
  // A small x is its own result; that also keeps zeros and subnormal numbers.
  constexpr uint64_t kSmall = F::kOne - (uint64_t(F::kDigits + 2) << F::kDigits);
  Truth<N> isSmall = (bitsOf(x) & F::kMagnitude) < kSmall;
  return select(isNan(x) | isSmall, x, result);
}

} // namespace tegula::elementary
