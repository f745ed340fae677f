// What an instruction computes in one lane, written as a C++ function. The types of its parameters and of its result
// say how operands are printed and read:
//
//   row("v_add_f32", [](float a, float b) { return a + b; })
//   row("v_add_co_u32", [](uint32_t a, uint32_t b) { return Carry{a + b, a + b < a}; })
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace tegula::emulator::test {

// --- parameters beside plain numbers; bool: a lane's bit of a mask in scalar registers ---
/// Bits of a float that only the modifiers of sources act on: no arithmetic makes a signalling NaN quiet.
template <class T> struct Raw {
  std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>> bits;
};
/// A literal that the instruction always has.
template <class T> struct K {
  T value;
};
/// What the destination holds before.
template <class T> struct Old {
  T value;
};
/// The lane's number.
struct Lane {
  unsigned value;
};
/// The lane's bit of VCC, which is not printed.
struct Vcc {
  bool value;
};

// --- results beside plain numbers; bool: a lane's bit of a mask ---
/// Exact: truncated to T or, with `clamp`, saturated.
template <class T> struct Wide {
  __int128 exact;
};
/// A number and a lane's bit of a mask.
template <class T> struct Carry {
  T value;
  bool flag;
};
template <class T> Carry(T, bool) -> Carry<T>;

enum class Class : uint8_t { Integer, Float, Raw, Mask };
enum class Role : uint8_t { Printed, Literal, Old, Lane, Vcc };
struct Type {
  Class kind = Class::Integer;
  unsigned bits = 32;
  bool isSigned = false;
  Role role = Role::Printed;
};

template <class T> struct TypeOf {
  static constexpr Type type{std::is_integral_v<T> ? Class::Integer : Class::Float, 8 * sizeof(T),
                             std::is_signed_v<T> && std::is_integral_v<T>, Role::Printed};
  static T from(uint64_t bits) {
    if constexpr (sizeof(T) == 8)
      return std::bit_cast<T>(bits);
    else if constexpr (sizeof(T) == 4)
      return std::bit_cast<T>(uint32_t(bits));
    else
      return std::bit_cast<T>(uint16_t(bits));
  }
  static uint64_t bits(T value) {
    if constexpr (sizeof(T) == 8)
      return std::bit_cast<uint64_t>(value);
    else if constexpr (sizeof(T) == 4)
      return std::bit_cast<uint32_t>(value);
    else
      return std::bit_cast<uint16_t>(value);
  }
};
template <> struct TypeOf<bool> {
  static constexpr Type type{Class::Mask, 1, false, Role::Printed};
  static bool from(uint64_t bits) { return bits & 1; }
  static uint64_t bits(bool value) { return value; }
};
template <class T> struct TypeOf<Raw<T>> {
  static constexpr Type type{Class::Raw, 8 * sizeof(T), false, Role::Printed};
  static Raw<T> from(uint64_t bits) { return {static_cast<decltype(Raw<T>::bits)>(bits)}; }
  static uint64_t bits(Raw<T> value) { return value.bits; }
};
template <class T, Role role> constexpr Type withRole() {
  Type type = TypeOf<T>::type;
  type.role = role;
  return type;
}
template <class T> struct TypeOf<K<T>> {
  static constexpr Type type = withRole<T, Role::Literal>();
  static K<T> from(uint64_t bits) { return {TypeOf<T>::from(bits)}; }
};
template <class T> struct TypeOf<Old<T>> {
  static constexpr Type type = withRole<T, Role::Old>();
  static Old<T> from(uint64_t bits) { return {TypeOf<T>::from(bits)}; }
};
template <> struct TypeOf<Lane> {
  static constexpr Type type{Class::Integer, 32, false, Role::Lane};
  static Lane from(uint64_t bits) { return {unsigned(bits)}; }
};
template <> struct TypeOf<Vcc> {
  static constexpr Type type{Class::Mask, 1, false, Role::Vcc};
  static Vcc from(uint64_t bits) { return {bool(bits & 1)}; }
};

struct Result {
  uint64_t value = 0;
  bool flag = false;
};
template <class R> struct ResultOf {
  static constexpr Type type = TypeOf<R>::type;
  static constexpr bool hasFlag = false, saturates = false;
  static Result bits(R r, bool) { return {TypeOf<R>::bits(r)}; }
};
template <class T> struct ResultOf<Carry<T>> {
  static constexpr Type type = TypeOf<T>::type;
  static constexpr bool hasFlag = true, saturates = false;
  static Result bits(Carry<T> r, bool) { return {TypeOf<T>::bits(r.value), r.flag}; }
};
template <class T> struct ResultOf<Wide<T>> {
  static constexpr Type type = TypeOf<T>::type;
  static constexpr bool hasFlag = false, saturates = true;
  static Result bits(Wide<T> r, bool clamp) {
    __int128 least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max(), exact = r.exact;
    if (clamp)
      exact = exact < least ? least : exact > most ? most : exact;
    return {TypeOf<T>::bits(T(exact))};
  }
};

/// What becomes of the upper half of a register that a 16-bit result is written to, on gfx90a and gfx942. Later
/// families keep it. Either: not documented, and not compared.
enum class Upper : uint8_t { Zero, Keep, Either };

struct Row {
  std::vector<std::string> names; // of one operation in the families
  Type result;
  bool hasFlag = false, clamps = false; // clamps: the model of an integer result knows saturation
  std::vector<Type> sources;
  std::function<Result(const uint64_t *, bool clamp)> model;
  Upper upper = Upper::Zero;
  double tolerance = 0;                          // relative, of functions that the hardware approximates
  std::function<bool(const uint64_t *)> defined; // operands that have a documented result; empty: all

  Row &&with(Upper u) && { return upper = u, std::move(*this); }
  Row &&within(double relative) && { return tolerance = relative, std::move(*this); }
  Row &&where(std::function<bool(const uint64_t *)> test) && { return defined = std::move(test), std::move(*this); }
};

/// "a b c" as three names.
std::vector<std::string> words(const std::string &text);

template <class R, class... A> Row makeRow(const std::string &names, std::function<R(A...)> f) {
  Row row;
  row.names = words(names);
  row.result = ResultOf<R>::type;
  row.hasFlag = ResultOf<R>::hasFlag;
  row.sources = {TypeOf<A>::type...};
  row.clamps = ResultOf<R>::saturates;
  row.model = [f](const uint64_t *x, bool clamp) {
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return ResultOf<R>::bits(f(TypeOf<A>::from(x[i])...), clamp);
    }(std::index_sequence_for<A...>());
  };
  return row;
}
template <class F> Row row(const std::string &names, F f) { return makeRow(names, std::function(f)); }

} // namespace tegula::emulator::test
