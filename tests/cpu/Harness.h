// Runs hand-written bytecode on arrays; scalar reference arithmetic.
#pragma once

#include "tests/cpu/ModuleBuilder.h"

#include "core/support/FloatFormats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace tegula::cpu::test {

inline constexpr ElementKind kIntegerKinds[] = {ElementKind::I8, ElementKind::I16, ElementKind::I32, ElementKind::I64};
inline constexpr ElementKind kSmallFloatKinds[] = {ElementKind::F16,        ElementKind::BF16,
                                                   ElementKind::F8E4M3,     ElementKind::F8E5M2,
                                                   ElementKind::F8E4M3FNUZ, ElementKind::F8E5M2FNUZ};
inline constexpr ElementKind kFloatKinds[] = {ElementKind::F16,        ElementKind::BF16,      ElementKind::F32,
                                              ElementKind::F64,        ElementKind::F8E4M3,    ElementKind::F8E5M2,
                                              ElementKind::F8E4M3FNUZ, ElementKind::F8E5M2FNUZ};

inline ScalarType scalarType(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16: return ScalarType::F16;
  case ElementKind::BF16: return ScalarType::BF16;
  case ElementKind::F32: return ScalarType::F32;
  case ElementKind::F64: return ScalarType::F64;
  case ElementKind::F8E4M3: return ScalarType::F8E4M3;
  case ElementKind::F8E5M2: return ScalarType::F8E5M2;
  case ElementKind::F8E4M3FNUZ: return ScalarType::F8E4M3FNUZ;
  case ElementKind::F8E5M2FNUZ: return ScalarType::F8E5M2FNUZ;
  default: return ScalarType::I32;
  }
}

/// An array of elements of a type known at run time, accessed by bits or as numbers.
class Array {
public:
  Array(ElementKind kind, size_t count) : kind_(kind), bytes_(count * byteSize(kind)) {}
  size_t size() const { return bytes_.size() / byteSize(kind_); }
  uint64_t bits(size_t i) const {
    uint64_t b = 0;
    std::memcpy(&b, bytes_.data() + i * byteSize(kind_), byteSize(kind_));
    return b;
  }
  void setBits(size_t i, uint64_t b) { std::memcpy(bytes_.data() + i * byteSize(kind_), &b, byteSize(kind_)); }
  int64_t integer(size_t i) const {
    const unsigned unused = 64 - 8 * byteSize(kind_);
    return static_cast<int64_t>(bits(i) << unused) >> unused;
  }
  double number(size_t i) const { return decodeFloat(floatFormat(scalarType(kind_)), bits(i)); }
  void setNumber(size_t i, double v) { setBits(i, encodeFloat(floatFormat(scalarType(kind_)), v)); }
  void *data() { return bytes_.data(); }
  ElementKind kind() const { return kind_; }
  BufferRange range(const std::string &name) { return {bytes_.data(), bytes_.size(), name, kind_, nullptr}; }

private:
  ElementKind kind_;
  std::vector<unsigned char> bytes_;
};

inline ArgumentValue argument(Array &a) { return argument(a.data()); }

template <class... Arguments> void run(Module module, LaunchOptions options, Arguments &&...arguments) {
  const Program program(std::move(module));
  const std::vector<ArgumentValue> values = {argument(std::forward<Arguments>(arguments))...};
  program.run(values, options);
}

/// The text of the error that `body` throws; empty if none.
template <class Body> std::string errorOf(Body body) {
  try {
    body();
  } catch (const Error &error) {
    return format(error.diagnostic());
  }
  return {};
}

inline int64_t wrap(int64_t v, unsigned bits) {
  const unsigned unused = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(v) << unused) >> unused;
}

/// Integer opcodes on signed 128-bit numbers, as Bytecode.h defines them.
inline int64_t referenceInteger(Opcode op, int64_t x, int64_t y, unsigned bits) {
  using Wide = __int128;
  const Wide modulus = Wide(1) << bits;
  const Wide a = x, b = y, ua = x < 0 ? a + modulus : a, ub = y < 0 ? b + modulus : b;
  Wide r = 0;
  switch (op) {
  case Opcode::Add: r = a + b; break;
  case Opcode::Sub: r = a - b; break;
  case Opcode::Mul: return wrap(static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y)), bits);
  case Opcode::DivS: r = b == 0 ? Wide(0) : a / b; break;
  case Opcode::DivU: r = b == 0 ? Wide(0) : ua / ub; break;
  case Opcode::RemS: r = b == 0 ? a : a % b; break;
  case Opcode::RemU: r = b == 0 ? ua : ua % ub; break;
  case Opcode::And: return x & y;
  case Opcode::Or: return x | y;
  case Opcode::Xor: return x ^ y;
  case Opcode::Shl:
    r = ub >= bits ? Wide(0) : static_cast<Wide>(static_cast<unsigned __int128>(ua) << static_cast<unsigned>(ub));
    break;
  case Opcode::ShrS: r = a >> static_cast<unsigned>(ub >= bits ? bits - 1 : ub); break;
  case Opcode::ShrU: r = ub >= bits ? Wide(0) : ua >> static_cast<unsigned>(ub); break;
  case Opcode::MinS: r = a < b ? a : b; break;
  case Opcode::MaxS: r = a > b ? a : b; break;
  case Opcode::MinU: r = ua < ub ? ua : ub; break;
  case Opcode::MaxU: r = ua > ub ? ua : ub; break;
  case Opcode::MulHiS: r = (a * b) >> bits; break;
  default: // MulHiU
    r = static_cast<Wide>((static_cast<unsigned __int128>(ua) * static_cast<unsigned __int128>(ub)) >> bits);
  }
  return wrap(static_cast<int64_t>(static_cast<uint64_t>(r)), bits);
}

inline bool referenceCompare(IntPredicate p, int64_t x, int64_t y, unsigned bits) {
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t ux = static_cast<uint64_t>(x) & mask, uy = static_cast<uint64_t>(y) & mask;
  switch (p) {
  case IntPredicate::Eq: return x == y;
  case IntPredicate::Ne: return x != y;
  case IntPredicate::LtS: return x < y;
  case IntPredicate::LeS: return x <= y;
  case IntPredicate::GtS: return x > y;
  case IntPredicate::GeS: return x >= y;
  case IntPredicate::LtU: return ux < uy;
  case IntPredicate::LeU: return ux <= uy;
  case IntPredicate::GtU: return ux > uy;
  default: return ux >= uy;
  }
}

/// Operands at the limits of integer operations, then random ones.
inline std::vector<int64_t> interestingIntegers(unsigned bits, size_t count, uint32_t seed) {
  const int64_t low = wrap(int64_t{1} << (bits - 1), bits), high = wrap(low - (bits < 64 ? 1 : 0), bits);
  const int64_t top = bits == 64 ? INT64_MAX : high;
  std::vector<int64_t> v = {
      0, 1, -1, 2, -2, 3, 7, static_cast<int64_t>(bits) - 1, static_cast<int64_t>(bits), low, top, low + 1, top - 1};
  std::mt19937_64 random(seed);
  while (v.size() < count)
    v.push_back(random() % 3 ? wrap(static_cast<int64_t>(random()), bits)
                             : wrap(static_cast<int64_t>(random() % 16) - 8, bits));
  v.resize(count);
  return v;
}

} // namespace tegula::cpu::test
