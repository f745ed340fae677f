#include "tests/emulator/Atomics.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace tegula::emulator {
namespace {

/// {old value, if it is wanted; address; data; base or off}. F(old, data) is the new value.
template <class F, class T> void modify(Wave &w, const Instruction &i) {
  size_t first = i.returns ? 1 : 0;
  forLanes(w, [&](unsigned l) {
    T data = T(sizeof(T) == 8 ? w.b64(i.operands[first + 1], l) : w.word(i.operands[first + 1], l));
    uint8_t *place = globalPlace(w, i, first, sizeof(T), l);
    if (reinterpret_cast<uint64_t>(place) % sizeof(T))
      throw Fault("'" + i.text + "' is an atomic at an address that is not aligned");
    std::atomic_ref<T> cell(*reinterpret_cast<T *>(place));
    T old = cell.load();
    while (!cell.compare_exchange_weak(old, T(F{}(old, data)))) {
    }
    if (!i.returns)
      return;
    w.setWord(i.operands[0], l, uint32_t(old), 0);
    if constexpr (sizeof(T) == 8)
      w.setWord(i.operands[0], l, uint32_t(uint64_t(old) >> 32), 1);
  });
}

/// Data: the new value, then what the cell must hold.
template <class T> void compareAndSwap(Wave &w, const Instruction &i) {
  size_t first = i.returns ? 1 : 0;
  forLanes(w, [&](unsigned l) {
    const Operand &data = i.operands[first + 1];
    auto number = [&](unsigned word) {
      return sizeof(T) == 8 ? T(w.word(data, l, word) | uint64_t(w.word(data, l, word + 1)) << 32)
                            : T(w.word(data, l, word));
    };
    T fresh = number(0), old = number(sizeof(T) / 4);
    uint8_t *place = globalPlace(w, i, first, sizeof(T), l);
    if (reinterpret_cast<uint64_t>(place) % sizeof(T))
      throw Fault("'" + i.text + "' is an atomic at an address that is not aligned");
    std::atomic_ref<T>(*reinterpret_cast<T *>(place)).compare_exchange_strong(old, fresh);
    if (!i.returns)
      return;
    w.setWord(i.operands[0], l, uint32_t(old), 0);
    if constexpr (sizeof(T) == 8)
      w.setWord(i.operands[0], l, uint32_t(uint64_t(old) >> 32), 1);
  });
}

/// Sums of 16-bit floats, rounded to nearest even; they are exact as f32 or rounded there so that this does not show.
/// Not a number is the first operand that is none, made quiet.
uint16_t sumOfHalves(uint16_t a, uint16_t b) {
  float x = halfToFloat(a), y = halfToFloat(b);
  if (std::isnan(x + y))
    return std::isnan(x) ? a | 0x200 : std::isnan(y) ? b | 0x200 : 0x7e00;
  return floatToHalf(x + y);
}
uint16_t sumOfBrains(uint16_t a, uint16_t b) {
  auto x = std::bit_cast<float>(uint32_t(a) << 16), y = std::bit_cast<float>(uint32_t(b) << 16);
  if (std::isnan(x + y))
    return std::isnan(x) ? a | 0x40 : std::isnan(y) ? b | 0x40 : 0x7fc0;
  auto bits = std::bit_cast<uint32_t>(x + y);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <uint16_t (*sum)(uint16_t, uint16_t)> struct SumOfPairs {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return sum(uint16_t(a), uint16_t(b)) | uint32_t(sum(uint16_t(a >> 16), uint16_t(b >> 16))) << 16;
  }
};

/// The lesser or the greater number, by its bits; -0 is less than +0. What is no number gives way.
template <class T, bool isGreater> struct Extremum {
  template <class U> U operator()(U a, U b) const {
    auto x = std::bit_cast<T>(a), y = std::bit_cast<T>(b);
    auto isLess = [](T p, T q) { return p < q || (p == q && std::signbit(p) && !std::signbit(q)); };
    return std::isnan(x) || (isGreater ? isLess(x, y) : isLess(y, x)) ? b : a;
  }
};

template <class U, class S> void addWidth(HandlerTable &t, const std::string &oldSuffix, const std::string &bits) {
  auto add = [&](const char *old, const std::string &fresh, Handler handler) {
    for (const char *space : {"global_atomic_", "flat_atomic_"}) {
      t.emplace_back(space + std::string(old) + oldSuffix, handler);
      t.emplace_back(space + fresh, handler);
    }
  };
  add("add", "add_u" + bits, modify<decltype([](U a, U b) { return a + b; }), U>);
  add("sub", "sub_u" + bits, modify<decltype([](U a, U b) { return a - b; }), U>);
  add("smin", "min_i" + bits, modify<decltype([](U a, U b) { return U(std::min(S(a), S(b))); }), U>);
  add("smax", "max_i" + bits, modify<decltype([](U a, U b) { return U(std::max(S(a), S(b))); }), U>);
  add("umin", "min_u" + bits, modify<decltype([](U a, U b) { return std::min(a, b); }), U>);
  add("umax", "max_u" + bits, modify<decltype([](U a, U b) { return std::max(a, b); }), U>);
  add("and", "and_b" + bits, modify<decltype([](U a, U b) { return a & b; }), U>);
  add("or", "or_b" + bits, modify<decltype([](U a, U b) { return a | b; }), U>);
  add("xor", "xor_b" + bits, modify<decltype([](U a, U b) { return a ^ b; }), U>);
  add("swap", "swap_b" + bits, modify<decltype([](U, U b) { return b; }), U>);
  add("cmpswap", "cmpswap_b" + bits, compareAndSwap<U>);
}

} // namespace

void addAtomics(HandlerTable &t) {
  addWidth<uint32_t, int32_t>(t, "", "32");
  addWidth<uint64_t, int64_t>(t, "_x2", "64");
  Handler addF32 = modify<decltype([](uint32_t a, uint32_t b) {
                            return std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
                          }),
                          uint32_t>;
  Handler addF64 = modify<decltype([](uint64_t a, uint64_t b) {
                            return std::bit_cast<uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
                          }),
                          uint64_t>;
  for (const char *space : {"global_atomic_", "flat_atomic_"}) {
    for (const char *kind : {"", "num_"}) {
      t.emplace_back(std::string(space) + "min_" + kind + "f32", modify<Extremum<float, false>, uint32_t>);
      t.emplace_back(std::string(space) + "max_" + kind + "f32", modify<Extremum<float, true>, uint32_t>);
    }
    t.emplace_back(space + std::string("min_f64"), modify<Extremum<double, false>, uint64_t>);
    t.emplace_back(space + std::string("max_f64"), modify<Extremum<double, true>, uint64_t>);
    t.emplace_back(space + std::string("add_f32"), addF32);
    t.emplace_back(space + std::string("add_f64"), addF64);
    t.emplace_back(space + std::string("pk_add_f16"), modify<SumOfPairs<sumOfHalves>, uint32_t>);
    t.emplace_back(space + std::string("pk_add_bf16"), modify<SumOfPairs<sumOfBrains>, uint32_t>);
  }
}

} // namespace tegula::emulator
