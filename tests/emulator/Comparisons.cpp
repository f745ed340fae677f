// Vector comparisons: a bit for each lane in scalar registers, or (v_cmpx) in EXEC.
#include "tests/emulator/Wave.h"

namespace tegula::emulator {
namespace {

template <class T> T read(const Wave &w, const Operand &o, unsigned lane) {
  if constexpr (std::is_same_v<T, double>)
    return w.f64(o, lane);
  else if constexpr (std::is_same_v<T, float>)
    return w.f32(o, lane);
  else if constexpr (std::is_same_v<T, _Float16>)
    return _Float16(w.f16(o, lane));
  else if constexpr (sizeof(T) == 8)
    return T(w.b64(o, lane));
  else if constexpr (sizeof(T) == 4)
    return T(w.b32(o, lane));
  else
    return T(w.b16(o, lane));
}

/// Inactive lanes have the bit zero. `x`: EXEC is written, from gfx10 on nothing else.
template <bool x> void finish(Wave &w, const Instruction &i, uint64_t result) {
  bool hasMask = i.operands.size() == 3;
  if (hasMask)
    w.setMask(i.operands[0], result);
  if (x)
    w.setExec(result);
}

template <class F, class T, bool x> void compare(Wave &w, const Instruction &i) {
  size_t first = i.operands.size() - 2;
  uint64_t result = 0;
  forLanes(w, [&](unsigned l) {
    bool holds = F{}(read<T>(w, i.operands[first], l), read<T>(w, i.operands[first + 1], l));
    result |= uint64_t(holds) << l;
  });
  finish<x>(w, i, result);
}

/// The bit of the class that a float belongs to. Source: V_CMP_CLASS in the instruction set manuals.
template <class Bits, unsigned digits> unsigned classOf(Bits bits) {
  constexpr unsigned kWidth = 8 * sizeof(Bits);
  bool negative = bits >> (kWidth - 1) & 1;
  Bits magnitude = Bits(bits & Bits(~(Bits(1) << (kWidth - 1))));
  constexpr Bits kInfinity = Bits(Bits(Bits(Bits(1) << (kWidth - 1 - digits)) - 1) << digits);
  if (magnitude > kInfinity)
    return magnitude >> (digits - 1) & 1 ? 1 : 0; // quiet, signalling
  if (magnitude == kInfinity)
    return negative ? 2 : 9;
  if (magnitude == 0)
    return negative ? 5 : 6;
  if (magnitude >> digits == 0)
    return negative ? 4 : 7;
  return negative ? 3 : 8;
}

template <class T, bool x> void classify(Wave &w, const Instruction &i) {
  size_t first = i.operands.size() - 2;
  const Operand &source = i.operands[first];
  uint64_t result = 0;
  forLanes(w, [&](unsigned l) {
    unsigned found;
    if constexpr (sizeof(T) == 8) {
      found = classOf<uint64_t, 52>(std::bit_cast<uint64_t>(w.f64(source, l)));
    } else if constexpr (sizeof(T) == 4) {
      found = classOf<uint32_t, 23>(std::bit_cast<uint32_t>(w.f32(source, l)));
    } else { // the bits: as a float, a signalling NaN would have become quiet
      unsigned half = source.absolute ? w.b16(source, l) & 0x7fffu : w.b16(source, l);
      found = classOf<uint16_t, 10>(uint16_t(source.negate ? half ^ 0x8000u : half));
    }
    result |= uint64_t(w.b32(i.operands[first + 1], l) >> found & 1) << l;
  });
  finish<x>(w, i, result);
}

template <class F, class T>
void addBoth(HandlerTable &t, std::initializer_list<const char *> conditions, const std::string &type) {
  for (const char *condition : conditions) {
    t.emplace_back(std::string("v_cmp_") + condition + "_" + type, compare<F, T, false>);
    t.emplace_back(std::string("v_cmpx_") + condition + "_" + type, compare<F, T, true>);
  }
}

template <class T> void addOrders(HandlerTable &t, const std::string &type) {
  addBoth<decltype([](T, T) { return false; }), T>(t, {"f"}, type);
  addBoth<decltype([](T, T) { return true; }), T>(t, {"t"}, type);
  addBoth<decltype([](T a, T b) { return a < b; }), T>(t, {"lt"}, type);
  addBoth<decltype([](T a, T b) { return a == b; }), T>(t, {"eq"}, type);
  addBoth<decltype([](T a, T b) { return a <= b; }), T>(t, {"le"}, type);
  addBoth<decltype([](T a, T b) { return a > b; }), T>(t, {"gt"}, type);
  addBoth<decltype([](T a, T b) { return a >= b; }), T>(t, {"ge"}, type);
}

template <class T> void addIntegers(HandlerTable &t, const std::string &type) {
  addOrders<T>(t, type);
  addBoth<decltype([](T a, T b) { return a != b; }), T>(t, {"ne"}, type);
}

template <class T> void addFloats(HandlerTable &t, const std::string &type) {
  addOrders<T>(t, type);
  addBoth<decltype([](T, T) { return true; }), T>(t, {"tru"}, type);
  addBoth<decltype([](T a, T b) { return a < b || a > b; }), T>(t, {"lg"}, type);
  addBoth<decltype([](T a, T b) { return a == a && b == b; }), T>(t, {"o"}, type);
  addBoth<decltype([](T a, T b) { return a != a || b != b; }), T>(t, {"u"}, type);
  addBoth<decltype([](T a, T b) { return !(a >= b); }), T>(t, {"nge"}, type);
  addBoth<decltype([](T a, T b) { return !(a < b || a > b); }), T>(t, {"nlg"}, type);
  addBoth<decltype([](T a, T b) { return !(a > b); }), T>(t, {"ngt"}, type);
  addBoth<decltype([](T a, T b) { return !(a <= b); }), T>(t, {"nle"}, type);
  addBoth<decltype([](T a, T b) { return !(a == b); }), T>(t, {"neq"}, type);
  addBoth<decltype([](T a, T b) { return !(a < b); }), T>(t, {"nlt"}, type);
  t.emplace_back("v_cmp_class_" + type, classify<T, false>);
  t.emplace_back("v_cmpx_class_" + type, classify<T, true>);
}

} // namespace

void addComparisons(HandlerTable &table) {
  addFloats<_Float16>(table, "f16");
  addFloats<float>(table, "f32");
  addFloats<double>(table, "f64");
  addIntegers<int16_t>(table, "i16");
  addIntegers<uint16_t>(table, "u16");
  addIntegers<int32_t>(table, "i32");
  addIntegers<uint32_t>(table, "u32");
  addIntegers<int64_t>(table, "i64");
  addIntegers<uint64_t>(table, "u64");
}

} // namespace tegula::emulator
