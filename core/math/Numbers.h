// The number types in which algorithms are written. The parameter `N` is their implementation: numbers of the host
// (HostNumbers.h), with which an algorithm runs and is tested; or values of the IR (core/passes/simt/ArithNumbers.h),
// with which the same code emits the algorithm.
//
// `N` has
//   kBits                             32 or 64: the width of floats and integers
//   RealValue, WholeValue, TruthValue the types of a float, an unsigned integer of the same width, a condition
//   real(double), whole(uint64_t)     constants
//   add, subtract, multiply, divide, negate, squareRoot on RealValue: IEEE's, rounded to nearest, never fused
//   fuse(a, b, c)                     a * b + c, rounded once or twice
//   nativeExp2(RealValue)             the target's exp2, where there is one
//   less, equal                       of RealValue, false for NaN
//   bits, fromBits                    the same bits as the other
//   addWhole, subtractWhole, multiplyWhole, multiplyHigh, modulo, both, either, differ, shiftLeft, shiftRight (logical,
//   by less than the width), leadingZeros, lessWhole, lessSigned, equalWhole
//   andTruth, orTruth, notTruth
//   select(TruthValue, x, y)          of either kind
//   loop(state, body)                 see `repeat`
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace tegula::elementary {

template <class N> struct Truth {
  N *n;
  typename N::TruthValue v;
  friend Truth operator&(Truth a, Truth b) { return {a.n, a.n->andTruth(a.v, b.v)}; }
  friend Truth operator|(Truth a, Truth b) { return {a.n, a.n->orTruth(a.v, b.v)}; }
  friend Truth operator!(Truth a) { return {a.n, a.n->notTruth(a.v)}; }
};

/// An unsigned integer modulo 2^kBits.
template <class N> struct Whole {
  N *n;
  typename N::WholeValue v;
  Whole of(uint64_t constant) const { return {n, n->whole(constant)}; }

  friend Whole operator+(Whole a, Whole b) { return {a.n, a.n->addWhole(a.v, b.v)}; }
  friend Whole operator-(Whole a, Whole b) { return {a.n, a.n->subtractWhole(a.v, b.v)}; }
  friend Whole operator*(Whole a, Whole b) { return {a.n, a.n->multiplyWhole(a.v, b.v)}; }
  friend Whole operator%(Whole a, Whole b) { return {a.n, a.n->modulo(a.v, b.v)}; }
  friend Whole operator&(Whole a, Whole b) { return {a.n, a.n->both(a.v, b.v)}; }
  friend Whole operator|(Whole a, Whole b) { return {a.n, a.n->either(a.v, b.v)}; }
  friend Whole operator^(Whole a, Whole b) { return {a.n, a.n->differ(a.v, b.v)}; }
  friend Whole operator<<(Whole a, Whole by) { return {a.n, a.n->shiftLeft(a.v, by.v)}; }
  friend Whole operator>>(Whole a, Whole by) { return {a.n, a.n->shiftRight(a.v, by.v)}; }
  friend Truth<N> operator<(Whole a, Whole b) { return {a.n, a.n->lessWhole(a.v, b.v)}; }
  friend Truth<N> operator==(Whole a, Whole b) { return {a.n, a.n->equalWhole(a.v, b.v)}; }

  friend Whole operator+(Whole a, uint64_t b) { return a + a.of(b); }
  friend Whole operator-(Whole a, uint64_t b) { return a - a.of(b); }
  friend Whole operator-(uint64_t a, Whole b) { return b.of(a) - b; }
  friend Whole operator&(Whole a, uint64_t b) { return a & a.of(b); }
  friend Whole operator|(Whole a, uint64_t b) { return a | a.of(b); }
  friend Whole operator<<(Whole a, unsigned by) { return a << a.of(by); }
  friend Whole operator>>(Whole a, unsigned by) { return a >> a.of(by); }
  friend Truth<N> operator<(Whole a, uint64_t b) { return a < a.of(b); }
  friend Truth<N> operator<(uint64_t a, Whole b) { return b.of(a) < b; }
  friend Truth<N> operator==(Whole a, uint64_t b) { return a == a.of(b); }
};

/// Whether a < b as numbers in two's complement.
template <class N> Truth<N> isSignedLess(Whole<N> a, Whole<N> b) { return {a.n, a.n->lessSigned(a.v, b.v)}; }
template <class N> Truth<N> isSignedLess(Whole<N> a, int64_t b) { return isSignedLess(a, a.of(uint64_t(b))); }
/// Of 0: kBits.
template <class N> Whole<N> leadingZeros(Whole<N> a) { return {a.n, a.n->leadingZeros(a.v)}; }
/// The upper half of the product.
template <class N> Whole<N> multiplyHigh(Whole<N> a, Whole<N> b) { return {a.n, a.n->multiplyHigh(a.v, b.v)}; }

template <class N> struct Real {
  N *n;
  typename N::RealValue v;
  Real of(double constant) const { return {n, n->real(constant)}; }

  friend Real operator+(Real a, Real b) { return {a.n, a.n->add(a.v, b.v)}; }
  friend Real operator-(Real a, Real b) { return {a.n, a.n->subtract(a.v, b.v)}; }
  friend Real operator*(Real a, Real b) { return {a.n, a.n->multiply(a.v, b.v)}; }
  friend Real operator/(Real a, Real b) { return {a.n, a.n->divide(a.v, b.v)}; }
  friend Real operator-(Real a) { return {a.n, a.n->negate(a.v)}; }
  friend Truth<N> operator<(Real a, Real b) { return {a.n, a.n->less(a.v, b.v)}; }
  friend Truth<N> operator==(Real a, Real b) { return {a.n, a.n->equal(a.v, b.v)}; }

  friend Real operator+(Real a, double b) { return a + a.of(b); }
  friend Real operator+(double a, Real b) { return b.of(a) + b; }
  friend Real operator-(Real a, double b) { return a - a.of(b); }
  friend Real operator-(double a, Real b) { return b.of(a) - b; }
  friend Real operator*(Real a, double b) { return a * a.of(b); }
  friend Real operator/(double a, Real b) { return b.of(a) / b; }
  friend Truth<N> operator<(Real a, double b) { return a < a.of(b); }
  friend Truth<N> operator<(double a, Real b) { return b.of(a) < b; }
};

template <class N> Real<N> squareRoot(Real<N> a) { return {a.n, a.n->squareRoot(a.v)}; }
template <class N> Real<N> nativeExp2(Real<N> a) { return {a.n, a.n->nativeExp2(a.v)}; }
template <class N> Real<N> fuse(Real<N> a, Real<N> b, Real<N> c) { return {a.n, a.n->fuse(a.v, b.v, c.v)}; }
template <class N> Whole<N> bitsOf(Real<N> a) { return {a.n, a.n->bits(a.v)}; }
template <class N> Real<N> fromBits(Whole<N> a) { return {a.n, a.n->fromBits(a.v)}; }
template <class N> Real<N> select(Truth<N> condition, Real<N> x, Real<N> y) {
  return {condition.n, condition.n->select(condition.v, x.v, y.v)};
}
template <class N> Whole<N> select(Truth<N> condition, Whole<N> x, Whole<N> y) {
  return {condition.n, condition.n->select(condition.v, x.v, y.v)};
}

/// While `more(state)`: state = step(state). If N holds many numbers at once, the loop runs until `more` is false for
/// all of them; `step` must not change numbers for which `more` is false.
template <class N, size_t count, class More, class Step>
std::array<Whole<N>, count> repeat(std::array<Whole<N>, count> state, More &&more, Step &&step) {
  N *n = state[0].n;
  std::array<typename N::WholeValue, count> values;
  for (size_t i = 0; i < count; ++i)
    values[i] = state[i].v;
  auto wrapped = [n](const auto &raw) {
    std::array<Whole<N>, count> all;
    for (size_t i = 0; i < count; ++i)
      all[i] = {n, raw[i]};
    return all;
  };
  values = n->loop(
      values, [&](const auto &raw) { return more(wrapped(raw)).v; },
      [&](const auto &raw) {
        std::array<Whole<N>, count> next = step(wrapped(raw));
        std::array<typename N::WholeValue, count> out;
        for (size_t i = 0; i < count; ++i)
          out[i] = next[i].v;
        return out;
      });
  return wrapped(values);
}

/// The format of N's floats, as integers.
template <class N> struct Format {
  static constexpr bool kIsSingle = N::kBits == 32;
  static constexpr unsigned kDigits = kIsSingle ? 23 : 52; // stored ones
  static constexpr unsigned kBias = kIsSingle ? 127 : 1023;
  static constexpr uint64_t kSign = uint64_t(1) << (N::kBits - 1);
  static constexpr uint64_t kMagnitude = kSign - 1;
  static constexpr uint64_t kLeading = uint64_t(1) << kDigits; // also the smallest normal number
  static constexpr uint64_t kOne = uint64_t(kBias) << kDigits;
  static constexpr uint64_t kInfinity = kMagnitude - (kLeading - 1);
  static constexpr uint64_t kNan = kInfinity | kLeading >> 1;
  /// Added to a number below 2^(kDigits - 1), rounds it to a whole one, which the low bits of the sum hold.
  static constexpr double kRounder = kIsSingle ? 0x1.8p23 : 0x1.8p52;
  static constexpr uint64_t kRounderBits = uint64_t(kBias + kDigits) << kDigits | kLeading >> 1;
};

template <class N> Truth<N> isNan(Real<N> x) { return !(x == x); }
template <class N> Real<N> magnitude(Real<N> x) { return fromBits(bitsOf(x) & Format<N>::kMagnitude); }
template <class N> Real<N> special(Real<N> like, uint64_t bits) { return fromBits(bitsOf(like).of(bits)); }

/// c[0] + c[1] z + c[2] z^2 + ..., by Horner's rule.
template <class N> Real<N> polynomial(Real<N> z, std::initializer_list<double> coefficients) {
  const double *at = coefficients.end() - 1;
  Real<N> sum = z.of(*at);
  while (at != coefficients.begin())
    sum = fuse(sum, z, z.of(*--at));
  return sum;
}

/// p * 2^k for p in [1/2, 2], k in two's complement from -2 bias to bias + 1, rounded once where it is below the normal
/// numbers, also where the device would flush that to zero.
template <class N> Real<N> scaled(Real<N> p, Whole<N> k) {
  using F = Format<N>;
  Whole<N> normal = bitsOf(p) + (k << F::kDigits);
  // In units of the smallest number: rounded to a whole one by what is added.
  Real<N> units = fromBits(bitsOf(p) + ((k + uint64_t(F::kBias - 1 + F::kDigits)) << F::kDigits));
  Whole<N> tiny = bitsOf(units + double(F::kLeading)) - (uint64_t(F::kBias + F::kDigits) << F::kDigits);
  return fromBits(select(isSignedLess(normal, int64_t(F::kLeading)), tiny, normal));
}

/// The digits of a magnitude's bits with the leading one at bit kDigits, and its exponent, biased; below the normal
/// numbers it is 0 or less. Of zero the digits are not zero but small.
template <class N> struct Parts {
  Whole<N> digits, exponent;
};
template <class N> Parts<N> partsOf(Whole<N> magnitude) {
  using F = Format<N>;
  Truth<N> isTiny = magnitude < F::kLeading;
  Whole<N> shift = leadingZeros(magnitude | 1) - uint64_t(N::kBits - 1 - F::kDigits);
  return {
      select(isTiny, magnitude << select(isTiny, shift, shift.of(0)), (magnitude & (F::kLeading - 1)) | F::kLeading),
      select(isTiny, 1 - shift, magnitude >> F::kDigits)};
}

} // namespace tegula::elementary
