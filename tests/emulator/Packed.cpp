// Vector instructions on two elements at once, and those that mix f16 with f32.
#include "tests/emulator/Wave.h"

#include <algorithm>

namespace tegula::emulator {
namespace {

/// A source of v_fma_mix: op_sel_hi says that it is f16, op_sel in which half; neg_hi is |x|, neg_lo is -x.
float mixed(const Wave &w, const Instruction &i, unsigned source, unsigned lane) {
  Operand o = i.operands[1 + source];
  o.negate = o.absolute = o.upper = false;
  bool isHalf = i.opSelHi >> source & 1 && i.hasOpSelHi;
  float value = !isHalf ? w.f32(o, lane)
                : o.kind == Operand::Kind::Real
                    ? float(o.real)
                    : halfToFloat(uint16_t(w.word(o, lane) >> (i.opSel >> source & 1 ? 16 : 0)));
  if (i.negHi >> source & 1 || i.operands[1 + source].absolute)
    value = std::fabs(value);
  if (i.negLo >> source & 1 || i.operands[1 + source].negate)
    value = -value;
  return value;
}

float mixedSum(const Wave &w, const Instruction &i, unsigned lane) {
  return std::fma(mixed(w, i, 0, lane), mixed(w, i, 1, lane), mixed(w, i, 2, lane));
}

/// x * y + z of floats, rounded to f16 once: the exact sum is rounded to odd in f64 before.
uint16_t mixedHalf(const Wave &w, const Instruction &i, unsigned lane) {
  double x = mixed(w, i, 0, lane), y = mixed(w, i, 1, lane), z = mixed(w, i, 2, lane), product = x * y;
  double sum = product + z, high = std::fabs(product) > std::fabs(z) ? product : z, low = high == product ? z : product;
  double rest = low - (sum - high);
  if (rest != 0 && std::isfinite(sum) && !(std::bit_cast<uint64_t>(sum) & 1))
    sum = std::nextafter(sum, rest > 0 ? HUGE_VAL : -HUGE_VAL);
  if (i.clamp)
    sum = sum > 0 ? std::min(sum, 1.0) : 0.0;
  return std::bit_cast<uint16_t>(_Float16(sum));
}

/// What elements are: what `clamp` limits a result to.
enum class Element { Float, Unsigned, Signed };

/// The bits of a float, or of the exact result of an operation on integers.
template <Element element> uint16_t limited(const Instruction &i, int64_t result) {
  if (!i.clamp)
    return uint16_t(result);
  if (element == Element::Unsigned)
    return uint16_t(std::clamp<int64_t>(result, 0, 0xffff));
  if (element == Element::Signed)
    return uint16_t(std::clamp<int64_t>(result, -0x8000, 0x7fff));
  float x = halfToFloat(uint16_t(result));
  return floatToHalf(x > 0 ? std::min(x, 1.0f) : 0.0f); // NaN becomes zero
}

/// Two 16-bit results: for the lower one op_sel chooses each source's half, for the upper one op_sel_hi.
template <class F, unsigned sources, Element element> void packed16(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    uint32_t result = 0;
    for (unsigned half = 0; half < 2; ++half) {
      std::array<uint16_t, 3> x = {};
      for (unsigned s = 0; s < sources; ++s) {
        const Operand &o = i.operands[1 + s];
        bool upper = (half ? i.opSelHi : i.opSel) >> s & 1;
        uint32_t word = o.kind == Operand::Kind::Real ? floatToHalf(float(o.real)) : w.word(o, l);
        x[s] = uint16_t(upper ? word >> 16 : word);
        if ((half ? i.negHi : i.negLo) >> s & 1)
          x[s] = uint16_t(x[s] ^ 0x8000);
      }
      result |= uint32_t(limited<element>(i, int64_t(F{}(x[0], x[1], x[2])))) << 16 * half;
    }
    w.setWord(i.operands[0], l, result);
  });
}

/// Two f32 results from pairs of registers.
template <class F, unsigned sources> void packed32(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    std::array<float, 2> results;
    for (unsigned half = 0; half < 2; ++half) {
      std::array<float, 3> x = {};
      for (unsigned s = 0; s < sources; ++s) {
        const Operand &o = i.operands[1 + s];
        bool upper = (half ? i.opSelHi : i.opSel) >> s & 1;
        x[s] = std::bit_cast<float>(w.word(o, l, o.isRegister() && upper ? 1 : 0));
        if ((half ? i.negHi : i.negLo) >> s & 1)
          x[s] = -x[s];
      }
      results[half] = F{}(x[0], x[1], x[2]);
      if (i.clamp)
        results[half] = results[half] > 0 ? std::min(results[half], 1.0f) : 0.0f;
    }
    w.setWord(i.operands[0], l, std::bit_cast<uint32_t>(results[0]), 0);
    w.setWord(i.operands[0], l, std::bit_cast<uint32_t>(results[1]), 1);
  });
}

/// The lower word is one of the first source, the upper word one of the second; op_sel says which.
void packedMove(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    auto chosen = [&](unsigned source) {
      const Operand &o = i.operands[1 + source];
      return w.word(o, l, o.isRegister() && i.opSel >> source & 1 ? 1 : 0);
    };
    uint32_t low = chosen(0), high = chosen(1);
    w.setWord(i.operands[0], l, low, 0);
    w.setWord(i.operands[0], l, high, 1);
  });
}

} // namespace

void addPacked(HandlerTable &t) {
  t.emplace_back("v_fma_mix_f32", [](Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) { w.setF32(i, l, mixedSum(w, i, l)); });
  });
  t.emplace_back("v_fma_mixlo_f16", [](Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) {
      w.setWord(i.operands[0], l, (w.word(i.operands[0], l) & 0xffff0000) | mixedHalf(w, i, l));
    });
  });
  t.emplace_back("v_fma_mixhi_f16", [](Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) {
      w.setWord(i.operands[0], l, (w.word(i.operands[0], l) & 0xffff) | uint32_t(mixedHalf(w, i, l)) << 16);
    });
  });
  using u16 = uint16_t;
  using i16 = int16_t;
  auto addUnsigned = [&]<class F>(const char *name, F) { t.emplace_back(name, packed16<F, 2, Element::Unsigned>); };
  auto addSigned = [&]<class F>(const char *name, F) { t.emplace_back(name, packed16<F, 2, Element::Signed>); };
  auto addFloat = [&]<class F>(const char *name, F) { t.emplace_back(name, packed16<F, 2, Element::Float>); };
  addUnsigned("v_pk_add_u16", [](u16 a, u16 b, u16) { return a + b; });
  addUnsigned("v_pk_sub_u16", [](u16 a, u16 b, u16) { return a - b; });
  addUnsigned("v_pk_mul_lo_u16", [](u16 a, u16 b, u16) { return int64_t(a) * b; });
  addUnsigned("v_pk_lshlrev_b16", [](u16 n, u16 x, u16) { return u16(x << (n & 15)); });
  addUnsigned("v_pk_lshrrev_b16", [](u16 n, u16 x, u16) { return x >> (n & 15); });
  addUnsigned("v_pk_min_u16", [](u16 a, u16 b, u16) { return std::min(a, b); });
  addUnsigned("v_pk_max_u16", [](u16 a, u16 b, u16) { return std::max(a, b); });
  addSigned("v_pk_add_i16", [](i16 a, i16 b, i16) { return a + b; });
  addSigned("v_pk_sub_i16", [](i16 a, i16 b, i16) { return a - b; });
  addSigned("v_pk_ashrrev_i16", [](i16 n, i16 x, i16) { return x >> (n & 15); });
  addSigned("v_pk_min_i16", [](i16 a, i16 b, i16) { return std::min(a, b); });
  addSigned("v_pk_max_i16", [](i16 a, i16 b, i16) { return std::max(a, b); });
  t.emplace_back("v_pk_mad_u16",
                 packed16<decltype([](u16 a, u16 b, u16 c) { return int64_t(a) * b + c; }), 3, Element::Unsigned>);
  t.emplace_back("v_pk_mad_i16",
                 packed16<decltype([](i16 a, i16 b, i16 c) { return int64_t(a) * b + c; }), 3, Element::Signed>);
  addFloat("v_pk_add_f16", [](u16 a, u16 b, u16) { return floatToHalf(halfToFloat(a) + halfToFloat(b)); });
  addFloat("v_pk_mul_f16", [](u16 a, u16 b, u16) { return floatToHalf(halfToFloat(a) * halfToFloat(b)); });
  t.emplace_back("v_pk_add_f32", packed32<decltype([](float a, float b, float) { return a + b; }), 2>);
  t.emplace_back("v_pk_mul_f32", packed32<decltype([](float a, float b, float) { return a * b; }), 2>);
  t.emplace_back("v_pk_fma_f32", packed32<decltype([](float a, float b, float c) { return std::fma(a, b, c); }), 3>);
  t.emplace_back("v_pk_mov_b32", packedMove);
}

} // namespace tegula::emulator
