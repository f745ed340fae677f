// Atomic read-modify-write on memory that other programs access concurrently. Every memory order is executed as
// sequentially consistent, the strongest one.
#include "backends/cpu/executor/Symbolic.h"

#include "core/support/FloatFormats.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

namespace tegula::cpu {

namespace {

ScalarType scalarType(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16: return ScalarType::F16;
  case ElementKind::BF16: return ScalarType::BF16;
  case ElementKind::F32: return ScalarType::F32;
  case ElementKind::F64: return ScalarType::F64;
  case ElementKind::F8E4M3: return ScalarType::F8E4M3;
  case ElementKind::F8E5M2: return ScalarType::F8E5M2;
  case ElementKind::F8E4M3FNUZ: return ScalarType::F8E4M3FNUZ;
  default: return ScalarType::F8E5M2FNUZ;
  }
}

double decode(ElementKind kind, uint64_t bits) {
  if (kind == ElementKind::F64)
    return std::bit_cast<double>(bits);
  if (kind == ElementKind::F32)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return decodeFloat(floatFormat(scalarType(kind)), bits);
}

uint64_t encode(ElementKind kind, double value) {
  if (kind == ElementKind::F64)
    return std::bit_cast<uint64_t>(value);
  if (kind == ElementKind::F32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  return encodeFloat(floatFormat(scalarType(kind)), value);
}

/// Returns the new value of the element in a minimum, maximum or sum of floats. A sum is rounded to double, then to the
/// element type. For types of up to 24 significant bits the two roundings give the correctly rounded sum, because
/// double has more than twice as many significant bits.
uint64_t combineFloat(AtomicKind kind, ElementKind element, uint64_t old, uint64_t operand) {
  const double a = decode(element, old), b = decode(element, operand);
  switch (kind) {
  case AtomicKind::FMin: return std::isnan(a) || b < a || (b == a && std::signbit(b)) ? operand : old;
  case AtomicKind::FMax: return std::isnan(a) || b > a || (b == a && !std::signbit(b)) ? operand : old;
  default: return encode(element, a + b);
  }
}

uint64_t combine(AtomicKind kind, ElementKind element, uint64_t old, uint64_t operand) {
  if (kind == AtomicKind::Exchange)
    return operand;
  if (isFloat(element))
    return combineFloat(kind, element, old, operand);
  const unsigned bits = bitWidth(element);
  const int64_t a = wrapToWidth(static_cast<int64_t>(old), bits), b = wrapToWidth(static_cast<int64_t>(operand), bits);
  switch (kind) {
  case AtomicKind::Min: return static_cast<uint64_t>(evaluate(Opcode::MinS, a, b, bits));
  case AtomicKind::Max: return static_cast<uint64_t>(evaluate(Opcode::MaxS, a, b, bits));
  case AtomicKind::UMin: return static_cast<uint64_t>(evaluate(Opcode::MinU, a, b, bits));
  case AtomicKind::UMax: return static_cast<uint64_t>(evaluate(Opcode::MaxU, a, b, bits));
  case AtomicKind::And: return static_cast<uint64_t>(a & b);
  case AtomicKind::Or: return static_cast<uint64_t>(a | b);
  case AtomicKind::Xor: return static_cast<uint64_t>(a ^ b);
  default: return static_cast<uint64_t>(evaluate(Opcode::Add, a, b, bits));
  }
}

template <class T> T updateOne(T *address, T operand, AtomicKind kind, ElementKind element) {
  std::atomic_ref<T> target(*address);
  if (kind == AtomicKind::Exchange)
    return target.exchange(operand);
  if (kind == AtomicKind::Add && element != ElementKind::I1)
    return target.fetch_add(operand);
  T old = target.load();
  while (!target.compare_exchange_weak(old, static_cast<T>(combine(kind, element, old, operand))))
    ;
  return old;
}

template <class T> T exchangeOne(T *address, T expected, T desired) {
  std::atomic_ref<T> target(*address);
  target.compare_exchange_strong(expected, desired);
  return expected;
}

/// Calls body(T{}), where T is the unsigned integer type of `bytes` bytes: the body uses only the type of its argument.
template <class Body> void withWord(unsigned bytes, Body body) {
  switch (bytes) {
  case 1: return body(uint8_t{});
  case 2: return body(uint16_t{});
  case 4: return body(uint32_t{});
  default: return body(uint64_t{});
  }
}

} // namespace

Value Machine::atomicElements(const Value &pointerTile, const Value *maskTile, const Value &valueTile,
                              AtomicKind kind) {
  const Shape &shape = pointerTile.shape;
  const Value pointers = toRowMajor(pointerTile), values = toRowMajor(valueTile);
  Value mask;
  if (maskTile)
    mask = toRowMajor(*maskTile);
  const unsigned size = byteSize(values.element);
  Value result = Value::dense(values.element, shape);
  withWord(size, [&]<class T>(T) {
    for (int64_t i = 0, n = shape.count(); i < n; ++i) {
      if (maskTile && !std::as_const(mask).as<uint8_t>()[i]) {
        result.as<T>()[i] = 0;
        continue;
      }
      uint64_t address = pointers.as<uint64_t>()[i];
      if (checked())
        address = reinterpret_cast<uint64_t>(resolve(address, size, Access::Atomic, shape, i));
      if (address % size)
        fault("atomic of element " + indexText(shape, i) + " at an address that is not a multiple of its " +
              std::to_string(size) + " bytes");
      result.as<T>()[i] = updateOne(reinterpret_cast<T *>(address), values.as<T>()[i], kind, values.element);
    }
  });
  return result;
}

Value Machine::atomicRmw(const Context &c) {
  const Value *mask = c.instruction.operandCount > 2 ? c.operand(2).value : nullptr;
  Value old = atomicElements(*c.operand(0), mask, *c.operand(1), static_cast<AtomicKind>(c.attribute(0)));
  return isAffineKind(old.element) ? uniformToAffine(std::move(old)) : old;
}

Value Machine::atomicCas(const Context &c) {
  const Shape &shape = c.operand(0)->shape;
  const Value pointers = toRowMajor(*c.operand(0)), compare = toRowMajor(*c.operand(1)),
              values = toRowMajor(*c.operand(2));
  const unsigned size = byteSize(values.element);
  Value result = Value::dense(values.element, shape);
  withWord(size, [&]<class T>(T) {
    for (int64_t i = 0, n = shape.count(); i < n; ++i) {
      uint64_t address = pointers.as<uint64_t>()[i];
      if (checked())
        address = reinterpret_cast<uint64_t>(resolve(address, size, Access::Atomic, shape, i));
      if (address % size)
        fault("atomic of element " + indexText(shape, i) + " at an address that is not a multiple of its " +
              std::to_string(size) + " bytes");
      result.as<T>()[i] = exchangeOne(reinterpret_cast<T *>(address), compare.as<T>()[i], values.as<T>()[i]);
    }
  });
  return isAffineKind(result.element) ? uniformToAffine(std::move(result)) : result;
}

} // namespace tegula::cpu
