// Tests of scalar instructions from models. The types of a model's parameters and result say what the instruction
// reads and writes:
//
//   check("s_add_u32", [](uint32_t a, uint32_t b) { return WithScc{a + b, a + b < a}; })
#pragma once

#include "tests/emulator/tests/Machine.h"

#include <gtest/gtest.h>

#include <optional>

namespace tegula::emulator::test {

// --- parameters beside numbers in registers or constants ---
/// A constant of 16 bits.
struct K16 {
  uint16_t value;
};
/// SCC, or a mask as wide as T: EXEC.
struct Scc {
  bool value;
};
template <class T> struct Exec {
  T value;
};

// --- results; SCC stays as it is where none is named ---
template <class T> struct WithScc {
  T value;
  bool scc;
};
template <class T> WithScc(T, bool) -> WithScc<T>;
struct OnlyScc {
  bool scc;
};
template <class T> struct WithExec {
  T value, exec;
  bool scc;
};

struct ScalarParameter {
  enum class Kind : uint8_t { Printed, Short, Old, Scc, Exec } kind = Kind::Printed;
  Type type;
};
struct ScalarResult {
  std::optional<uint64_t> value, exec;
  std::optional<bool> scc;
};
struct ScalarRow {
  std::vector<std::string> names;
  unsigned resultBits = 0; // 0: none
  bool isFloat = false;
  std::vector<ScalarParameter> parameters;
  std::function<ScalarResult(const uint64_t *)> model;
};

using Kind = ScalarParameter::Kind;
template <class T> struct ParameterOf {
  static constexpr ScalarParameter parameter{Kind::Printed, TypeOf<T>::type};
  static T from(uint64_t bits) { return TypeOf<T>::from(bits); }
};
template <> struct ParameterOf<K16> {
  static constexpr ScalarParameter parameter{Kind::Short, TypeOf<uint16_t>::type};
  static K16 from(uint64_t bits) { return {uint16_t(bits)}; }
};
template <class T> struct ParameterOf<Old<T>> {
  static constexpr ScalarParameter parameter{Kind::Old, TypeOf<T>::type};
  static Old<T> from(uint64_t bits) { return {TypeOf<T>::from(bits)}; }
};
template <> struct ParameterOf<Scc> {
  static constexpr ScalarParameter parameter{Kind::Scc, TypeOf<bool>::type};
  static Scc from(uint64_t bits) { return {bits != 0}; }
};
template <class T> struct ParameterOf<Exec<T>> {
  static constexpr ScalarParameter parameter{Kind::Exec, TypeOf<T>::type};
  static Exec<T> from(uint64_t bits) { return {T(bits)}; }
};

template <class T> struct ScalarResultOf {
  static constexpr Type type = TypeOf<T>::type;
  static ScalarResult of(T r) { return {TypeOf<T>::bits(r), {}, {}}; }
};
template <class T> struct ScalarResultOf<WithScc<T>> {
  static constexpr Type type = TypeOf<T>::type;
  static ScalarResult of(WithScc<T> r) { return {TypeOf<T>::bits(r.value), {}, r.scc}; }
};
template <> struct ScalarResultOf<OnlyScc> {
  static constexpr Type type{Class::Integer, 0};
  static ScalarResult of(OnlyScc r) { return {{}, {}, r.scc}; }
};
template <class T> struct ScalarResultOf<WithExec<T>> {
  static constexpr Type type = TypeOf<T>::type;
  static ScalarResult of(WithExec<T> r) { return {r.value, r.exec, r.scc}; }
};

void checkScalar(const ScalarRow &row);

template <class R, class... A> void checkFunction(const std::string &names, std::function<R(A...)> f) {
  ScalarRow row;
  row.names = words(names);
  row.resultBits = ScalarResultOf<R>::type.bits;
  row.isFloat = ScalarResultOf<R>::type.kind == Class::Float;
  row.parameters = {ParameterOf<A>::parameter...};
  row.model = [f](const uint64_t *x) {
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return ScalarResultOf<R>::of(f(ParameterOf<A>::from(x[i])...));
    }(std::index_sequence_for<A...>());
  };
  checkScalar(row);
}
template <class F> void check(const std::string &names, F f) { checkFunction(names, std::function(f)); }

} // namespace tegula::emulator::test
