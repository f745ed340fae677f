#include "tests/emulator/Conversions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tegula::emulator {
namespace {

/// Truncated and saturated; what is no number becomes zero.
template <class To> To toInteger(double x) {
  if (x != x)
    return 0;
  double whole = std::trunc(x);
  constexpr double kLeast = double(std::numeric_limits<To>::min()), kMost = double(std::numeric_limits<To>::max());
  return whole <= kLeast ? std::numeric_limits<To>::min() : whole >= kMost ? std::numeric_limits<To>::max() : To(whole);
}

/// f32 to f16 towards zero: a finite number stays finite.
uint16_t halfTowardZero(float x) {
  uint16_t half = floatToHalf(x);
  if (std::isfinite(x) && std::fabs(halfToFloat(half)) > std::fabs(x))
    --half;
  return half;
}

/// The inverse of smallToFloat, to nearest even. Beyond the greatest number: infinity, or NaN where the format has
/// none.
uint8_t floatToSmall(float x, int bias, unsigned digits, bool fnuz) {
  unsigned sign = std::signbit(x) ? 0x80 : 0, infinity = fnuz ? 0x80 : digits == 3 ? 0x7f : 0x7c;
  if (x != x)
    return uint8_t(fnuz ? 0x80 : sign | 0x7f);
  if (std::isinf(x))
    return uint8_t(fnuz ? 0x80 : sign | infinity);
  // In steps of the last digit: a count that reaches the next power of two is the next exponent's code.
  int exponent = x == 0 ? 1 - bias : std::max(std::ilogb(x), 1 - bias);
  unsigned count = unsigned(std::nearbyint(std::ldexp(std::fabs(double(x)), int(digits) - exponent)));
  unsigned code = (unsigned(exponent + bias - 1) << digits) + count, most = fnuz ? 0x7f : infinity - 1;
  if (code > most)
    return uint8_t(fnuz ? 0x80 : sign | infinity);
  return uint8_t(fnuz && code == 0 ? 0 : sign | code);
}

template <bool isBf8> float smallOf(const Wave &w, uint32_t code) {
  bool fnuz = w.family == Family::Gfx9; // gfx942; gfx12 has the formats of OCP
  return isBf8 ? smallToFloat(uint8_t(code), fnuz ? 16 : 15, 2, fnuz)
               : smallToFloat(uint8_t(code), fnuz ? 8 : 7, 3, fnuz);
}

template <bool isBf8> void fromSmall(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) { w.setF32(i, l, smallOf<isBf8>(w, w.b32(i.operands[1], l) >> 8 * i.byteSel)); });
}

template <bool isBf8> void pairFromSmall(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    uint32_t both = w.b16(i.operands[1], l);
    w.setWord(i.operands[0], l, std::bit_cast<uint32_t>(smallOf<isBf8>(w, both)), 0);
    w.setWord(i.operands[0], l, std::bit_cast<uint32_t>(smallOf<isBf8>(w, both >> 8)), 1);
  });
}

/// Two results in the half of the destination that op_sel chooses.
template <bool isBf8> void pairToSmall(Wave &w, const Instruction &i) {
  bool fnuz = w.family == Family::Gfx9;
  int bias = isBf8 ? (fnuz ? 16 : 15) : fnuz ? 8 : 7;
  forLanes(w, [&](unsigned l) {
    auto code = [&](size_t source) {
      return uint32_t(floatToSmall(w.f32(i.operands[source], l), bias, isBf8 ? 2 : 3, fnuz));
    };
    uint32_t both = code(1) | code(2) << 8, old = w.word(i.operands[0], l);
    w.setWord(i.operands[0], l, i.opSel & 8 ? (old & 0xffff) | both << 16 : (old & 0xffff0000) | both);
  });
}

template <class F> void toF32(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) { w.setF32(i, l, F{}(w, i.operands[1], l)); });
}
template <class F> void toF64(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) { w.setF64(i, l, F{}(w, i.operands[1], l)); });
}
template <class F> void toF16(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) { w.setF16(i, l, F{}(w, i.operands[1], l)); });
}
template <class F> void toB32(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) { w.setB32(i, l, uint32_t(F{}(w, i.operands[1], l))); });
}
template <class F> void toB16(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) { w.setB16(i, l, uint16_t(F{}(w, i.operands[1], l))); });
}

template <class F> void pack(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    uint32_t low = F{}(w.f32(i.operands[1], l)), high = F{}(w.f32(i.operands[2], l));
    w.setB32(i, l, low | high << 16);
  });
}

#define READ(expression) decltype([](const Wave &w, const Operand &o, unsigned l) { return expression; })

} // namespace

float smallToFloat(uint8_t code, int bias, unsigned digits, bool fnuz) {
  unsigned magnitude = code & 0x7f, exponent = magnitude >> digits, fraction = magnitude & ((1u << digits) - 1);
  float sign = code & 0x80 ? -1.0f : 1.0f, none = std::numeric_limits<float>::quiet_NaN();
  if (fnuz && code == 0x80)
    return none;
  if (!fnuz && digits == 3 && magnitude == 0x7f)
    return none;
  if (!fnuz && digits == 2 && exponent == 31)
    return fraction ? none : sign * HUGE_VALF;
  if (exponent == 0)
    return sign * std::ldexp(float(fraction), 1 - bias - int(digits));
  return sign * std::ldexp(float(fraction + (1u << digits)), int(exponent) - bias - int(digits));
}

void addConversions(HandlerTable &t) {
  auto add = [&](std::initializer_list<const char *> names, Handler handler) {
    for (const char *name : names)
      t.emplace_back(name, handler);
  };
  add({"v_cvt_f32_f16"}, toF32<READ(w.f16(o, l))>);
  add({"v_cvt_f32_f64"}, toF32<READ(float(w.f64(o, l)))>);
  add({"v_cvt_f32_i32"}, toF32<READ(float(int32_t(w.b32(o, l))))>);
  add({"v_cvt_f32_u32"}, toF32<READ(float(w.b32(o, l)))>);
  add({"v_cvt_f32_ubyte0"}, toF32<READ(float(w.b32(o, l) & 0xff))>);
  add({"v_cvt_f32_ubyte1"}, toF32<READ(float(w.b32(o, l) >> 8 & 0xff))>);
  add({"v_cvt_f32_ubyte2"}, toF32<READ(float(w.b32(o, l) >> 16 & 0xff))>);
  add({"v_cvt_f32_ubyte3"}, toF32<READ(float(w.b32(o, l) >> 24))>);
  add({"v_cvt_f64_f32"}, toF64<READ(double(w.f32(o, l)))>);
  add({"v_cvt_f64_i32"}, toF64<READ(double(int32_t(w.b32(o, l))))>);
  add({"v_cvt_f64_u32"}, toF64<READ(double(w.b32(o, l)))>);
  add({"v_cvt_f16_f32"}, toF16<READ(w.f32(o, l))>);
  add({"v_cvt_f16_i16"}, toF16<READ(float(int16_t(w.b16(o, l))))>);
  add({"v_cvt_f16_u16"}, toF16<READ(float(w.b16(o, l)))>);
  add({"v_cvt_i32_f32"}, toB32<READ(toInteger<int32_t>(double(w.f32(o, l))))>);
  add({"v_cvt_u32_f32"}, toB32<READ(toInteger<uint32_t>(double(w.f32(o, l))))>);
  add({"v_cvt_i32_f64"}, toB32<READ(toInteger<int32_t>(w.f64(o, l)))>);
  add({"v_cvt_u32_f64"}, toB32<READ(toInteger<uint32_t>(w.f64(o, l)))>);
  add({"v_cvt_i16_f16"}, toB16<READ(toInteger<int16_t>(double(w.f16(o, l))))>);
  add({"v_cvt_u16_f16"}, toB16<READ(toInteger<uint16_t>(double(w.f16(o, l))))>);
  add({"v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32"}, toB32<READ(toInteger<int32_t>(std::floor(double(w.f32(o, l)))))>);
  add({"v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32"},
      toB32<READ(toInteger<int32_t>(std::floor(double(w.f32(o, l)) + 0.5)))>);
  add({"v_cvt_i32_i16"}, toB32<READ(int32_t(int16_t(w.b16(o, l))))>);
  add({"v_cvt_u32_u16"}, toB32<READ(uint32_t(w.b16(o, l)))>);
  add({"v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"},
      pack<decltype([](float x) { return uint32_t(halfTowardZero(x)); })>);
  add({"v_cvt_f32_fp8"}, fromSmall<false>);
  add({"v_cvt_f32_bf8"}, fromSmall<true>);
  add({"v_cvt_pk_f32_fp8"}, pairFromSmall<false>);
  add({"v_cvt_pk_f32_bf8"}, pairFromSmall<true>);
  add({"v_cvt_pk_fp8_f32"}, pairToSmall<false>);
  add({"v_cvt_pk_bf8_f32"}, pairToSmall<true>);
}

} // namespace tegula::emulator
