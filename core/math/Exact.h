// Functions with exact or once rounded results, computed in integers: they depend neither on the device's rounding nor
// on its treatment of subnormal numbers.
#pragma once

#include "core/math/Numbers.h"

namespace tegula::elementary {

/// The upper and the lower half of an integer of twice the width.
template <class N> struct Double {
  Whole<N> high, low;
};

/// A shift to the right by `by` < 2 kBits. The lowest bit is sticky: it is set if a set bit is shifted out.
template <class N> Double<N> shiftDown(Double<N> a, Whole<N> by) {
  Whole<N> zero = by.of(0), inWord = by & (N::kBits - 1), rest = (N::kBits - 1) - inWord;
  Truth<N> isFar = N::kBits - 1 < by;
  Whole<N> first = select(isFar, zero, a.high), second = select(isFar, a.high, a.low);
  Whole<N> lost = select(isFar, a.low, zero) | ((second << 1u) << rest);
  Whole<N> low = (second >> inWord) | ((first << 1u) << rest);
  return {first >> inWord, low | select(lost == 0, zero, zero.of(1))};
}

template <class N> Double<N> shiftUp(Double<N> a, unsigned by) {
  return {(a.high << by) | (a.low >> (N::kBits - by)), a.low << by};
}

/// Sums, and their order, of doubles.
template <class N> Double<N> sum(Double<N> a, Double<N> b) {
  Whole<N> low = a.low + b.low;
  return {a.high + b.high + select(low < a.low, low.of(1), low.of(0)), low};
}
template <class N> Double<N> difference(Double<N> a, Double<N> b) {
  return {a.high - b.high - select(a.low < b.low, a.low.of(1), a.low.of(0)), a.low - b.low};
}

enum class Rounding { Nearest, Down, Up, Zero };

/// `digits` (kBits of them, the leading one first, the last one sticky) * 2^(exponent - bias - kBits + 1), rounded, as
/// bits without sign: to nearest even, or away from zero where `isAway`, else towards it.
template <class N, Rounding rounding> Whole<N> roundDigits(Whole<N> digits, Whole<N> exponent, Truth<N> isAway) {
  using F = Format<N>;
  constexpr unsigned kDrop = N::kBits - 1 - F::kDigits;
  Whole<N> zero = digits.of(0), one = digits.of(1);
  Truth<N> isTiny = isSignedLess(exponent, 1);
  Whole<N> missing = select(isTiny, 1 - exponent, zero); // digits below the smallest number
  missing = select(missing < N::kBits - 1, missing, zero.of(N::kBits - 1));
  Whole<N> shifted = digits >> missing;
  shifted = shifted | select((shifted << missing) == digits, zero, one);
  Whole<N> kept = shifted >> kDrop, lost = shifted & ((uint64_t(1) << kDrop) - 1);
  constexpr uint64_t kHalf = uint64_t(1) << (kDrop - 1);
  Truth<N> up =
      rounding == Rounding::Nearest ? (kHalf < lost) | ((lost == kHalf) & !((kept & 1) == 0)) : isAway & !(lost == 0);
  Whole<N> base = select(isTiny, zero, (exponent - 1) << F::kDigits); // the leading digit adds the one
  Whole<N> result = base + kept + select(up, one, zero);
  Whole<N> largest = zero.of(F::kInfinity);
  if constexpr (rounding != Rounding::Nearest) // also where the sum above is the next power of two
    largest = select(isAway, largest, largest - 1);
  return select(isSignedLess(zero.of(2 * F::kBias), exponent), largest, result);
}

/// x * y + z rounded once, as IEEE 754 has it; `rounding` is to nearest even if not given. The product of the digits
/// and the addend's stand in windows of twice the width, 61 and 125 digits of which are used, so that a sum has room;
/// the smaller one moves down.
template <class N, Rounding rounding = Rounding::Nearest> Real<N> fma(Real<N> x, Real<N> y, Real<N> z) {
  using F = Format<N>;
  constexpr unsigned kWindow = 2 * N::kBits - 3; // bits of both numbers at most
  constexpr unsigned kPrecision = F::kDigits + 1;
  Whole<N> xBits = bitsOf(x), yBits = bitsOf(y), zBits = bitsOf(z), zero = xBits.of(0);
  Whole<N> xSize = xBits & F::kMagnitude, ySize = yBits & F::kMagnitude, zSize = zBits & F::kMagnitude;
  Parts<N> a = partsOf(xSize), b = partsOf(ySize), c = partsOf(zSize);

  // The product: its upper digits at the window's top, where there may be one less. Exponents are those of the top bit.
  Double<N> product =
      shiftUp(Double<N>{multiplyHigh(a.digits, b.digits), a.digits * b.digits}, kWindow - 2 * kPrecision);
  Whole<N> productExponent = a.exponent + b.exponent - uint64_t(F::kBias - 1);
  Double<N> addend = {c.digits << (kWindow - N::kBits - kPrecision), zero};
  // A zero addend has no digits, and gets an exponent below every product's.
  Truth<N> hasAddend = !(zSize == 0);
  addend.high = select(hasAddend, addend.high, zero);
  Whole<N> addendExponent = select(hasAddend, c.exponent, zero - uint64_t(4 * F::kBias));

  Truth<N> isAddendLarger = isSignedLess(productExponent, addendExponent);
  Whole<N> apart = select(isAddendLarger, addendExponent - productExponent, productExponent - addendExponent);
  apart = select(apart < 2 * N::kBits - 1, apart, zero.of(2 * N::kBits - 1));
  auto choose = [](Truth<N> first, Double<N> s, Double<N> t) {
    return Double<N>{select(first, s.high, t.high), select(first, s.low, t.low)};
  };
  Double<N> large = choose(isAddendLarger, addend, product);
  Double<N> small = shiftDown(choose(isAddendLarger, product, addend), apart);
  Whole<N> exponent = select(isAddendLarger, addendExponent, productExponent);
  Whole<N> productSign = (xBits ^ yBits) & F::kSign, addendSign = zBits & F::kSign;
  Whole<N> sign = select(isAddendLarger, addendSign, productSign);

  Double<N> less = difference(large, small);
  Truth<N> isOpposed = !(productSign == addendSign), isBelow = isSignedLess(less.high, 0);
  less = choose(isBelow, difference(small, large), less);
  sign = select(isOpposed & isBelow, sign ^ zero.of(F::kSign), sign);
  Double<N> total = choose(isOpposed, less, sum(large, small));

  // One word of digits, the leading one first; the lower word becomes the sticky bit.
  Truth<N> isShort = total.high == 0;
  Whole<N> first = select(isShort, total.low, total.high), second = select(isShort, zero, total.low);
  Truth<N> isNothing = first == 0;
  Whole<N> zeros = leadingZeros(first | 1);
  Whole<N> digits = (first << zeros) | ((second >> 1u) >> ((N::kBits - 1) - zeros));
  digits = digits | select((second << zeros) == 0, zero, zero.of(1));
  Whole<N> down = zeros + select(isShort, zero.of(N::kBits), zero);
  Truth<N> isNegative = !(sign == 0);
  Truth<N> isAway = rounding == Rounding::Down ? isNegative : rounding == Rounding::Up ? !isNegative : zero < zero;
  Whole<N> found = roundDigits<N, rounding>(digits, exponent + uint64_t(2 * N::kBits - kWindow) - down, isAway) | sign;
  Whole<N> nothing = rounding == Rounding::Down ? zero.of(F::kSign) : zero;
  found = select(isNothing, nothing, found); // numbers that cancel are +0, rounded down -0

  // Infinities, NaN and zero products: x * y + z is exact in these cases, or only its kind matters.
  Truth<N> isProductSpecial = (F::kInfinity - 1 < xSize) | (F::kInfinity - 1 < ySize);
  Truth<N> isProductZero = (xSize == 0) | (ySize == 0), isAddendSpecial = F::kInfinity - 1 < zSize;
  Truth<N> isAllZero = isProductZero & (zSize == 0);
  Real<N> plain = x * y + z;
  if constexpr (rounding == Rounding::Down) // 0 - 0; infinity times 0 is not a number
    plain = select(isAllZero & !isProductSpecial & !(productSign == addendSign), fromBits(nothing), plain);
  Real<N> result = select(isProductSpecial | isAllZero, plain, fromBits(found));
  return select(!isProductSpecial & (isAddendSpecial | (isProductZero & hasAddend)), z, result);
}

/// C's fmod, exact; the result has the sign of x. Long division of the digits of x by those of y: each step appends as
/// many zero digits to the rest as a word has room for.
template <class N> Real<N> remainder(Real<N> x, Real<N> y) {
  using F = Format<N>;
  constexpr uint64_t kStep = N::kBits - 1 - F::kDigits;
  Whole<N> xSize = bitsOf(x) & F::kMagnitude, ySize = bitsOf(y) & F::kMagnitude, zero = xSize.of(0);
  Parts<N> a = partsOf(xSize), d = partsOf(select(ySize == 0, zero.of(1), ySize));
  Truth<N> isBad = (F::kInfinity - 1 < xSize) | (ySize == 0) | (F::kInfinity < ySize);
  Truth<N> isLess = xSize < ySize;
  Whole<N> start = select(a.digits < d.digits, a.digits, a.digits - d.digits);
  Whole<N> steps = select(isBad | isLess, zero, a.exponent - d.exponent); // digits of the quotient beyond the first
  std::array<Whole<N>, 2> rounds = repeat<N, 2>(
      {start, steps}, [&](std::array<Whole<N>, 2> now) { return zero < now[1]; },
      [&](std::array<Whole<N>, 2> now) {
        Whole<N> count = select(now[1] < kStep, now[1], zero.of(kStep));
        return std::array<Whole<N>, 2>{(now[0] << count) % d.digits, now[1] - count};
      });
  // The rest has y's exponent; up to where its leading digit stands, or the exponents end.
  Whole<N> rest = rounds[0], up = leadingZeros(rest | 1) - kStep;
  Whole<N> room = d.exponent - 1;
  room = select(isSignedLess(room, 0), zero, room);
  Whole<N> below = select(isSignedLess(d.exponent, 1), 1 - d.exponent, zero);
  up = select(room < up, room, up);
  Whole<N> moved = (rest << up) >> below;
  Whole<N> exponent = select(isSignedLess(d.exponent, 2), zero, d.exponent - 1 - up);
  Whole<N> base = select(moved < F::kLeading, zero, exponent << F::kDigits);
  Whole<N> found = select(isLess, xSize, base + moved) | (bitsOf(x) & F::kSign);
  return fromBits(select(isBad, zero.of(F::kNan), found));
}

} // namespace tegula::elementary
