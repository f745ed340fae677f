// The host's numbers, with which tests run the algorithms. T: float or double. `fused`: whether `fuse` rounds once.
// Compile with -ffp-contract=off.
#pragma once

#include "core/math/Numbers.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tegula::elementary {

template <class T, bool fused> struct HostNumbers {
  static constexpr unsigned kBits = sizeof(T) * 8;
  using RealValue = T;
  using WholeValue = std::conditional_t<kBits == 32, uint32_t, uint64_t>;
  using TruthValue = bool;
  using Wide = std::conditional_t<kBits == 32, uint64_t, unsigned __int128>;
  using Signed = std::make_signed_t<WholeValue>;

  T real(double value) { return T(value); }
  WholeValue whole(uint64_t value) { return WholeValue(value); }
  T add(T a, T b) { return a + b; }
  T subtract(T a, T b) { return a - b; }
  T multiply(T a, T b) { return a * b; }
  T divide(T a, T b) { return a / b; }
  T negate(T a) { return -a; }
  T squareRoot(T a) { return std::sqrt(a); }
  T fuse(T a, T b, T c) { return fused ? std::fma(a, b, c) : a * b + c; }
  /// The worst exp2 that a target may have: a rounded result, two ulp too large or too small.
  T nativeExp2(T a) {
    T result = std::exp2(a);
    bool counts = std::isfinite(result) && result > std::numeric_limits<T>::min() * 4 && result != 1;
    return counts ? fromBits(bits(result) + (bits(a) & 1 ? WholeValue(2) : WholeValue(-2))) : result;
  }
  bool less(T a, T b) { return a < b; }
  bool equal(T a, T b) { return a == b; }
  WholeValue bits(T a) { return std::bit_cast<WholeValue>(a); }
  T fromBits(WholeValue a) { return std::bit_cast<T>(a); }
  WholeValue addWhole(WholeValue a, WholeValue b) { return a + b; }
  WholeValue subtractWhole(WholeValue a, WholeValue b) { return a - b; }
  WholeValue multiplyWhole(WholeValue a, WholeValue b) { return a * b; }
  WholeValue multiplyHigh(WholeValue a, WholeValue b) { return WholeValue(Wide(a) * b >> kBits); }
  WholeValue modulo(WholeValue a, WholeValue b) { return a % b; }
  WholeValue both(WholeValue a, WholeValue b) { return a & b; }
  WholeValue either(WholeValue a, WholeValue b) { return a | b; }
  WholeValue differ(WholeValue a, WholeValue b) { return a ^ b; }
  WholeValue shiftLeft(WholeValue a, WholeValue by) { return checked(by) ? a << by : 0; }
  WholeValue shiftRight(WholeValue a, WholeValue by) { return checked(by) ? a >> by : 0; }
  WholeValue leadingZeros(WholeValue a) { return WholeValue(std::countl_zero(a)); }
  bool lessWhole(WholeValue a, WholeValue b) { return a < b; }
  bool lessSigned(WholeValue a, WholeValue b) { return Signed(a) < Signed(b); }
  bool equalWhole(WholeValue a, WholeValue b) { return a == b; }
  bool andTruth(bool a, bool b) { return a && b; }
  bool orTruth(bool a, bool b) { return a || b; }
  bool notTruth(bool a) { return !a; }
  template <class Value> Value select(bool condition, Value x, Value y) { return condition ? x : y; }
  template <class State, class More, class Step> State loop(State state, More &&more, Step &&step) {
    while (more(state))
      state = step(state);
    return state;
  }

  /// Counts shifts by the width or more, which are undefined on devices. An algorithm may compute such a result if it
  /// does not select it.
  uint64_t wideShifts = 0;
  bool checked(WholeValue by) {
    if (by < kBits)
      return true;
    ++wideShifts;
    return false;
  }
};

} // namespace tegula::elementary
