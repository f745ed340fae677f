// sin, cos, accurate for all arguments. The argument is divided by 2 pi in integers (M. H. Payne and R. N. Hanek,
// "Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983): the argument's exponent selects three
// words of 1 / (2 pi), and the product of these words with the argument's digits, modulo one turn, has the quadrant in
// its two upper bits. Within an eighth of a turn the functions are polynomials; coefficients: tests/math/fit.py.
#pragma once

#include "core/math/Numbers.h"

namespace tegula::elementary {

/// One word of zeros, then the digits of 1 / (2 pi) after the binary point.
template <unsigned bits> struct TurnDigits;
template <> struct TurnDigits<32> {
  static constexpr uint64_t kWords[] = {0,          0x28be60db, 0x9391054a, 0x7f09d5f4,
                                        0x7d4d3770, 0x36d8a566, 0x4f10e410, 0x7f9458ea};
};
template <> struct TurnDigits<64> {
  static constexpr uint64_t kWords[] = {0x0000000000000000, 0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410,
                                        0x7f9458eaf7aef158, 0x6dc91b8e909374b8, 0x01924bba82746487, 0x3f877ac72c4a69cf,
                                        0xba208d7d4baed121, 0x3a671c09ad17df90, 0x4e64758e60d4ce7d, 0x272117e2ef7e4a0e,
                                        0xc7fe25fff7816603, 0xfbcbc462d6829b47, 0xdb4d9fb3c9f2c26d, 0xd3d18fd9a797fa8b,
                                        0x5d49eeb1faf97c5e, 0xcf41ce7de294a4ba, 0x9afed7ec47e35742, 0x1580cc11bf1edaea};
};

/// Three words of TurnDigits from bit `start` on: shifted by whole words in steps of powers of two, then by bits.
template <class N> std::array<Whole<N>, 3> turnWindow(Whole<N> start) {
  constexpr auto &kWords = TurnDigits<N::kBits>::kWords;
  constexpr unsigned kCount = std::size(kWords), kShift = N::kBits == 32 ? 5 : 6;
  Whole<N> word = start >> kShift;
  std::array<Whole<N>, kCount> all;
  for (unsigned i = 0; i < kCount; ++i)
    all[i] = start.of(kWords[i]);
  for (unsigned step = N::kBits == 32 ? 4 : 16; step; step /= 2) {
    Truth<N> moves = !((word & step) == 0);
    for (unsigned i = 0; i < 4 + step - 1; ++i) // what later steps need
      all[i] = select(moves, all[i + step < kCount ? i + step : kCount - 1], all[i]);
  }
  Whole<N> by = start & (N::kBits - 1), rest = (N::kBits - 1) - by;
  std::array<Whole<N>, 3> window;
  for (unsigned i = 0; i < 3; ++i)
    window[i] = (all[i] << by) | ((all[i + 1] >> 1u) >> rest);
  return window;
}

/// |x| = quadrant * pi/2 + r + rest with |r| <= pi/4, the quadrant modulo 4; of |x| below pi/4 it is 0 and r is |x|.
/// Finite x alone. r + rest is off by less than 2^-32 (2^-60) of itself.
template <class N> struct Angle {
  Whole<N> quadrant;
  Real<N> r, rest;
};
template <class N> Angle<N> reduceToQuadrant(Real<N> x) {
  using F = Format<N>;
  Whole<N> bits = bitsOf(x) & F::kMagnitude;
  constexpr uint64_t kQuarterPi = F::kIsSingle ? 0x3f490fdb : 0x3fe921fb54442d18;
  Truth<N> isSmall = bits < kQuarterPi;
  Whole<N> safe = select(isSmall, bits.of(F::kOne), bits);
  // Digits times 2^(exponent - kDigits) turns: the window begins where the product's whole turns end.
  Whole<N> digits = (safe & (F::kLeading - 1)) | F::kLeading;
  constexpr uint64_t kStart = N::kBits - F::kDigits - F::kBias;
  std::array<Whole<N>, 3> window = turnWindow((safe >> F::kDigits) + kStart);
  Whole<N> low = digits * window[1], carried = low + multiplyHigh(digits, window[2]);
  Whole<N> high = digits * window[0] + multiplyHigh(digits, window[1]) + select(carried < low, low.of(1), low.of(0));
  // The nearest quadrant, and the signed distance from it.
  Whole<N> quadrant = (high + (uint64_t(1) << (N::kBits - 3))) >> (N::kBits - 2);
  high = high - (quadrant << (N::kBits - 2));
  Truth<N> isNegative = isSignedLess(high, 0);
  Truth<N> hasLow = !(carried == 0);
  high = select(isNegative, select(hasLow, high.of(~uint64_t(0)), high.of(0)) - high, high);
  low = select(isNegative, 0 - carried, carried);
  // As a number: the digits with the leading one first. No float is so near to a multiple that none is in the two
  // words.
  Truth<N> isTiny = high == 0;
  Whole<N> zeros = leadingZeros(select(isTiny, low, high) | 1);
  Whole<N> first = select(isTiny, low, high) << zeros, second = select(isTiny, low.of(0), low);
  first = first | ((second >> 1u) >> ((N::kBits - 1) - zeros));
  second = second << zeros;
  constexpr unsigned kDrop = N::kBits - 1 - F::kDigits;
  auto oneAnd = [&](Whole<N> stored) { return fromBits((stored & (F::kLeading - 1)) | F::kOne); };
  Real<N> leading = oneAnd(first >> kDrop);
  Real<N> following = oneAnd((first << (F::kDigits - kDrop)) | (second >> (N::kBits - F::kDigits + kDrop))) - 1.0;
  // Times 2 pi, both in parts: 12 digits times 12, 26 times 26.
  Real<N> leadingHigh = fromBits(bitsOf(leading) & (F::kIsSingle ? ~uint64_t(0xfff) : ~uint64_t(0x7ffffff)));
  Real<N> leadingLow = (leading - leadingHigh) + following * (F::kIsSingle ? 0x1p-23 : 0x1p-52);
  constexpr double kHigh = F::kIsSingle ? 0x1.92p+2 : 0x1.921fb5p+2;
  constexpr double kLow = F::kIsSingle ? 0x1.fb54442d1846ap-10 : 0x1.110b4611a6263p-24;
  Real<N> product = leadingHigh * kHigh, correction = leadingHigh * kLow + leadingLow * 0x1.921fb54442d18p+2;
  Real<N> r = product + correction, rest = correction - (r - product);
  Whole<N> exponent = (F::kBias - 1) - zeros - select(isTiny, zeros.of(N::kBits), zeros.of(0));
  Whole<N> sign = select(isNegative, bits.of(F::kSign), bits.of(0));
  Real<N> scale = fromBits((exponent << F::kDigits) | sign);
  return {select(isSmall, bits.of(0), quadrant), select(isSmall, fromBits(bits), r * scale),
          select(isSmall, x.of(0), rest * scale)};
}

/// sin(r + rest). Errors of the fit: 2^-28.1 and 2^-58.0.
template <class N> Real<N> sineOfRest(Real<N> r, Real<N> rest) {
  Real<N> z = r * r;
  Real<N> p = Format<N>::kIsSingle
                  ? polynomial(z, {-1.666665494e-01, 8.332177915e-03, -1.951726678e-04})
                  : polynomial(z, {-0x1.5555555555549p-3, 0x1.111111110f87ep-7, -0x1.a01a019c12048p-13,
                                   0x1.71de357817515p-19, -0x1.ae5e66890b5abp-26, 0x1.5d93187dcef97p-33});
  return r + (rest + (r * z * p - rest * (z * 0.5)));
}

/// cos(r + rest). Errors of the fit: 2^-33.3 and 2^-64.2.
template <class N> Real<N> cosineOfRest(Real<N> r, Real<N> rest) {
  Real<N> z = r * r, half = z * 0.5, near = 1.0 - half;
  Real<N> p = Format<N>::kIsSingle
                  ? polynomial(z, {4.166664686e-02, -1.388736721e-03, 2.443841567e-05})
                  : polynomial(z, {0x1.555555555554cp-5, -0x1.6c16c16c15181p-10, 0x1.a01a019cb2170p-16,
                                   -0x1.27e4f80a33ea2p-22, 0x1.1ee9ec18b88d3p-29, -0x1.8faeb5f92d6f2p-37});
  return near + (((1.0 - near) - half) + (z * z * p - r * rest));
}

/// sin(x + quarter * pi/2).
template <class N> Real<N> sineOrCosine(Real<N> x, unsigned quarter) {
  using F = Format<N>;
  Angle<N> angle = reduceToQuadrant(x);
  Whole<N> quadrant = angle.quadrant + quarter;
  Real<N> result = select((quadrant & 1) == 0, sineOfRest(angle.r, angle.rest), cosineOfRest(angle.r, angle.rest));
  Whole<N> sign = (quadrant & 2) << (N::kBits - 2);
  if (quarter == 0)
    sign = sign ^ (bitsOf(x) & F::kSign);
  result = fromBits(bitsOf(result) ^ sign);
  Whole<N> size = bitsOf(x) & F::kMagnitude;
  if (quarter == 0) { // x - x^3 / 6: x itself, also below the normal numbers
    constexpr uint64_t kSmall = F::kOne - (uint64_t(F::kDigits / 2 + 1) << F::kDigits);
    result = select(size < kSmall, x, result);
  }
  return select(F::kInfinity - 1 < size, special(x, F::kNan), result);
}

template <class N> Real<N> sin(Real<N> x) { return sineOrCosine(x, 0); }
template <class N> Real<N> cos(Real<N> x) { return sineOrCosine(x, 1); }

} // namespace tegula::elementary
