// Scalar instructions on floats, of gfx1151 and gfx12.
#include "tests/emulator/ScalarFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tegula::emulator {
namespace {

float f32(const Wave &w, const Operand &o) { return std::bit_cast<float>(w.scalar32(o)); }
float f16(const Wave &w, const Operand &o) {
  return halfToFloat(o.kind == Operand::Kind::Real ? floatToHalf(float(o.real)) : uint16_t(w.scalar32(o)));
}

template <bool half> float read(const Wave &w, const Operand &o) { return half ? f16(w, o) : f32(w, o); }
template <bool half> void write(Wave &w, const Operand &o, float value) {
  w.setScalar32(o, half ? floatToHalf(value) : std::bit_cast<uint32_t>(value));
}

template <class F, bool half> void binary(Wave &w, const Instruction &i) {
  write<half>(w, i.operands[0], F{}(read<half>(w, i.operands[1]), read<half>(w, i.operands[2])));
}
template <class F, bool half> void unary(Wave &w, const Instruction &i) {
  write<half>(w, i.operands[0], F{}(read<half>(w, i.operands[1])));
}
template <class F, bool half> void compare(Wave &w, const Instruction &i) {
  w.scc = F{}(read<half>(w, i.operands[0]), read<half>(w, i.operands[1]));
}

/// The other number where one is none; -0 is less than +0.
float smaller(float a, float b) {
  if (a != a || b != b)
    return a != a ? (b != b ? a + b : b) : a;
  return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
}
float larger(float a, float b) {
  if (a != a || b != b)
    return a != a ? (b != b ? a + b : b) : a;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}

template <class To> To toInteger(double x) {
  if (x != x)
    return 0;
  double whole = std::trunc(x), least = double(std::numeric_limits<To>::min()),
         most = double(std::numeric_limits<To>::max());
  return whole <= least ? std::numeric_limits<To>::min() : whole >= most ? std::numeric_limits<To>::max() : To(whole);
}

template <bool half> void addOf(HandlerTable &t, const std::string &type) {
  auto add = [&](std::initializer_list<const char *> names, Handler handler) {
    for (const char *name : names)
      t.emplace_back("s_" + std::string(name) + "_" + type, handler);
  };
  add({"add"}, binary<decltype([](float a, float b) { return a + b; }), half>);
  add({"sub"}, binary<decltype([](float a, float b) { return a - b; }), half>);
  add({"mul"}, binary<decltype([](float a, float b) { return a * b; }), half>);
  add({"min", "min_num"}, binary<decltype([](float a, float b) { return smaller(a, b); }), half>);
  add({"max", "max_num"}, binary<decltype([](float a, float b) { return larger(a, b); }), half>);
  add({"minimum"}, binary<decltype([](float a, float b) { return a != a || b != b ? a + b : smaller(a, b); }), half>);
  add({"maximum"}, binary<decltype([](float a, float b) { return a != a || b != b ? a + b : larger(a, b); }), half>);
  add({"floor"}, unary<decltype([](float a) { return std::floor(a); }), half>);
  add({"ceil"}, unary<decltype([](float a) { return std::ceil(a); }), half>);
  add({"trunc"}, unary<decltype([](float a) { return std::trunc(a); }), half>);
  add({"rndne"}, unary<decltype([](float a) { return std::nearbyint(a); }), half>);
  add({"cmp_lt"}, compare<decltype([](float a, float b) { return a < b; }), half>);
  add({"cmp_eq"}, compare<decltype([](float a, float b) { return a == b; }), half>);
  add({"cmp_le"}, compare<decltype([](float a, float b) { return a <= b; }), half>);
  add({"cmp_gt"}, compare<decltype([](float a, float b) { return a > b; }), half>);
  add({"cmp_ge"}, compare<decltype([](float a, float b) { return a >= b; }), half>);
  add({"cmp_lg"}, compare<decltype([](float a, float b) { return a < b || a > b; }), half>);
  add({"cmp_o"}, compare<decltype([](float a, float b) { return a == a && b == b; }), half>);
  add({"cmp_u"}, compare<decltype([](float a, float b) { return a != a || b != b; }), half>);
  add({"cmp_nge"}, compare<decltype([](float a, float b) { return !(a >= b); }), half>);
  add({"cmp_nlg"}, compare<decltype([](float a, float b) { return !(a < b || a > b); }), half>);
  add({"cmp_ngt"}, compare<decltype([](float a, float b) { return !(a > b); }), half>);
  add({"cmp_nle"}, compare<decltype([](float a, float b) { return !(a <= b); }), half>);
  add({"cmp_neq"}, compare<decltype([](float a, float b) { return !(a == b); }), half>);
  add({"cmp_nlt"}, compare<decltype([](float a, float b) { return !(a < b); }), half>);
}

} // namespace

void addScalarFloats(HandlerTable &t) {
  addOf<false>(t, "f32");
  addOf<true>(t, "f16");
  auto add = [&](const char *name, Handler handler) { t.emplace_back(name, handler); };
  add("s_fmac_f32", [](Wave &w, const Instruction &i) {
    write<false>(w, i.operands[0], std::fma(f32(w, i.operands[1]), f32(w, i.operands[2]), f32(w, i.operands[0])));
  });
  add("s_fmaak_f32", [](Wave &w, const Instruction &i) {
    write<false>(w, i.operands[0], std::fma(f32(w, i.operands[1]), f32(w, i.operands[2]), f32(w, i.operands[3])));
  });
  add("s_fmamk_f32", [](Wave &w, const Instruction &i) {
    write<false>(w, i.operands[0], std::fma(f32(w, i.operands[1]), f32(w, i.operands[2]), f32(w, i.operands[3])));
  });
  // Of the vector unit, with scalar operands.
  add("v_s_rcp_f32", unary<decltype([](float a) { return float(1.0 / double(a)); }), false>);
  add("v_s_rsq_f32", unary<decltype([](float a) { return float(1.0 / std::sqrt(double(a))); }), false>);
  add("v_s_sqrt_f32", unary<decltype([](float a) { return std::sqrt(a); }), false>);
  add("s_cvt_f32_i32",
      [](Wave &w, const Instruction &i) { write<false>(w, i.operands[0], float(int32_t(w.scalar32(i.operands[1])))); });
  add("s_cvt_f32_u32",
      [](Wave &w, const Instruction &i) { write<false>(w, i.operands[0], float(w.scalar32(i.operands[1]))); });
  add("s_cvt_i32_f32", [](Wave &w, const Instruction &i) {
    w.setScalar32(i.operands[0], uint32_t(toInteger<int32_t>(double(f32(w, i.operands[1])))));
  });
  add("s_cvt_u32_f32", [](Wave &w, const Instruction &i) {
    w.setScalar32(i.operands[0], toInteger<uint32_t>(double(f32(w, i.operands[1]))));
  });
  add("s_cvt_f16_f32", [](Wave &w, const Instruction &i) { write<true>(w, i.operands[0], f32(w, i.operands[1])); });
  add("s_cvt_f32_f16", [](Wave &w, const Instruction &i) { write<false>(w, i.operands[0], f16(w, i.operands[1])); });
  add("s_cvt_hi_f32_f16", [](Wave &w, const Instruction &i) {
    write<false>(w, i.operands[0], halfToFloat(uint16_t(w.scalar32(i.operands[1]) >> 16)));
  });
}

} // namespace tegula::emulator
