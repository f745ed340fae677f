// Vector instructions on floats: arithmetic, divisions' steps, functions. Denormal numbers are kept, as code for HIP
// asks for, except by v_exp_f32 and v_log_f32, which have none.
#include "tests/emulator/Conversions.h"
#include "tests/emulator/Wave.h"

#include <algorithm>
#include <cfenv>
#include <limits>

namespace tegula::emulator {
namespace {

template <class T> T read(const Wave &w, const Operand &o, unsigned lane) {
  if constexpr (std::is_same_v<T, double>)
    return w.f64(o, lane);
  else if constexpr (std::is_same_v<T, float>)
    return w.f32(o, lane);
  else
    return _Float16(w.f16(o, lane));
}

template <class T> void write(Wave &w, const Instruction &i, unsigned lane, T value) {
  if constexpr (std::is_same_v<T, double>)
    w.setF64(i, lane, value);
  else if constexpr (std::is_same_v<T, float>)
    w.setF32(i, lane, value);
  else
    w.setF16(i, lane, float(value));
}

template <class F, class T> void unary(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) { write<T>(w, i, l, T(F{}(read<T>(w, i.operands[1], l)))); });
}

template <class F, class T> void binary(Wave &w, const Instruction &i) {
  forLanes(w,
           [&](unsigned l) { write<T>(w, i, l, T(F{}(read<T>(w, i.operands[1], l), read<T>(w, i.operands[2], l)))); });
}

template <class F, class T> void ternary(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    write<T>(w, i, l, T(F{}(read<T>(w, i.operands[1], l), read<T>(w, i.operands[2], l), read<T>(w, i.operands[3], l))));
  });
}

/// x * y + z, rounded once. For f16 the product and, but for its last bits, the sum are exact in f64: the sum is
/// rounded to odd, which a second rounding does not change (Boldo and Melquiond, 'When double rounding is odd', 2005).
template <class T> T fused(T x, T y, T z) {
  if constexpr (std::is_same_v<T, _Float16>) {
    double product = double(x) * double(y), addend = double(z), sum = product + addend;
    double high = std::fabs(product) > std::fabs(addend) ? product : addend;
    double low = high == product ? addend : product;
    double rest = low - (sum - high);
    if (rest != 0 && std::isfinite(sum) && !(std::bit_cast<uint64_t>(sum) & 1))
      sum = std::nextafter(sum, rest > 0 ? HUGE_VAL : -HUGE_VAL);
    return _Float16(sum);
  } else {
    return std::fma(x, y, z);
  }
}

/// The destination is the third source: {d, a, b}.
template <class T> void accumulate(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    write<T>(w, i, l,
             fused<T>(read<T>(w, i.operands[1], l), read<T>(w, i.operands[2], l), read<T>(w, i.operands[0], l)));
  });
}

/// A number that is none becomes quiet; of one number, that one; -0 is less than +0.
template <class T> T smaller(T a, T b) {
  if (a != a)
    return b != b ? T(a + b) : b;
  if (b != b)
    return a;
  return a == b ? (std::signbit(double(a)) ? a : b) : a < b ? a : b;
}
template <class T> T larger(T a, T b) {
  if (a != a)
    return b != b ? T(a + b) : b;
  if (b != b)
    return a;
  return a == b ? (std::signbit(double(a)) ? b : a) : a > b ? a : b;
}
template <class T> T smallerOrNone(T a, T b) { return a != a || b != b ? T(a + b) : smaller(a, b); }
template <class T> T largerOrNone(T a, T b) { return a != a || b != b ? T(a + b) : larger(a, b); }

template <class T> T middle(T a, T b, T c) {
  if (a != a || b != b || c != c)
    return smaller(smaller(a, b), c);
  T top = larger(larger(a, b), c); // the manuals compare, so that -0 equals +0
  return top == a ? larger(b, c) : top == b ? larger(a, c) : larger(a, b);
}

float withoutDenormal(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

constexpr double kTurn = 6.283185307179586476925;

template <class T> T rounded(T x) {
  return T(std::nearbyint(double(x))); // to nearest even, the default
}

template <class T> int exponentOf(T x) {
  int exponent = 0;
  if (std::isfinite(double(x)) && x != 0)
    std::frexp(double(x), &exponent);
  return exponent;
}

template <class T> T mantissaOf(T x) {
  int exponent = 0;
  return std::isfinite(double(x)) && x != 0 ? T(std::frexp(double(x), &exponent)) : x;
}

template <class T> void addCommon(HandlerTable &t, const std::string &type) {
  auto add = [&](const std::string &name, Handler handler) { t.emplace_back("v_" + name + "_" + type, handler); };
  add("add", binary<decltype([](T a, T b) { return T(a + b); }), T>);
  add("mul", binary<decltype([](T a, T b) { return T(a * b); }), T>);
  add("fma", ternary<decltype([](T a, T b, T c) { return fused<T>(a, b, c); }), T>);
  add("fmac", accumulate<T>);
  for (const char *name : {"min", "min_num"})
    add(name, binary<decltype([](T a, T b) { return smaller<T>(a, b); }), T>);
  for (const char *name : {"max", "max_num"})
    add(name, binary<decltype([](T a, T b) { return larger<T>(a, b); }), T>);
  add("minimum", binary<decltype([](T a, T b) { return smallerOrNone<T>(a, b); }), T>);
  add("maximum", binary<decltype([](T a, T b) { return largerOrNone<T>(a, b); }), T>);
  add("rcp", unary<decltype([](T x) { return T(1.0 / double(x)); }), T>);
  add("sqrt", unary<decltype([](T x) { return T(std::sqrt(double(x))); }), T>);
  add("rsq", unary<decltype([](T x) { return T(1.0 / std::sqrt(double(x))); }), T>);
  add("floor", unary<decltype([](T x) { return T(std::floor(double(x))); }), T>);
  add("ceil", unary<decltype([](T x) { return T(std::ceil(double(x))); }), T>);
  add("trunc", unary<decltype([](T x) { return T(std::trunc(double(x))); }), T>);
  add("rndne", unary<decltype([](T x) { return rounded<T>(x); }), T>);
  add("fract", unary<decltype([](T x) {
                       T rest = T(x - T(std::floor(double(x))));
                       return rest >= T(1) ? T(1 - (sizeof(T) == 2   ? 0x1p-11
                                                    : sizeof(T) == 4 ? 0x1p-24
                                                                     : 0x1p-53))
                                           : rest; // never 1
                     }),
                     T>);
  add("frexp_mant", unary<decltype([](T x) { return mantissaOf<T>(x); }), T>);
}

/// What f64 does not have.
template <class T> void addNarrow(HandlerTable &t, const std::string &type) {
  auto add = [&](const std::string &name, Handler handler) { t.emplace_back("v_" + name + "_" + type, handler); };
  add("sub", binary<decltype([](T a, T b) { return T(a - b); }), T>);
  add("subrev", binary<decltype([](T a, T b) { return T(b - a); }), T>);
  add("fmaak", ternary<decltype([](T a, T b, T k) { return fused<T>(a, b, k); }), T>);
  add("fmamk", ternary<decltype([](T a, T k, T b) { return fused<T>(a, k, b); }), T>);
  add("madak", ternary<decltype([](T a, T b, T k) { return T(T(a * b) + k); }), T>);
  add("madmk", ternary<decltype([](T a, T k, T b) { return T(T(a * k) + b); }), T>);
  for (const char *name : {"min3", "min3_num"})
    add(name, ternary<decltype([](T a, T b, T c) { return smaller<T>(smaller<T>(a, b), c); }), T>);
  for (const char *name : {"max3", "max3_num"})
    add(name, ternary<decltype([](T a, T b, T c) { return larger<T>(larger<T>(a, b), c); }), T>);
  add("minimum3", ternary<decltype([](T a, T b, T c) { return smallerOrNone<T>(smallerOrNone<T>(a, b), c); }), T>);
  add("maximum3", ternary<decltype([](T a, T b, T c) { return largerOrNone<T>(largerOrNone<T>(a, b), c); }), T>);
  for (const char *name : {"minmax", "minmax_num"})
    add(name, ternary<decltype([](T a, T b, T c) { return larger<T>(smaller<T>(a, b), c); }), T>);
  for (const char *name : {"maxmin", "maxmin_num"})
    add(name, ternary<decltype([](T a, T b, T c) { return smaller<T>(larger<T>(a, b), c); }), T>);
  add("minimummaximum", ternary<decltype([](T a, T b, T c) { return largerOrNone<T>(smallerOrNone<T>(a, b), c); }), T>);
  add("maximumminimum", ternary<decltype([](T a, T b, T c) { return smallerOrNone<T>(largerOrNone<T>(a, b), c); }), T>);
  for (const char *name : {"med3", "med3_num"})
    add(name, ternary<decltype([](T a, T b, T c) { return middle<T>(a, b, c); }), T>);
  add("sin", unary<decltype([](T x) { return T(std::sin(std::fmod(double(x), 1.0) * kTurn)); }), T>);
  add("cos", unary<decltype([](T x) { return T(std::cos(std::fmod(double(x), 1.0) * kTurn)); }), T>);
}

// --- divisions. Source: V_DIV_SCALE, V_DIV_FMAS and V_DIV_FIXUP in the instruction set manuals ---

template <class T> struct Format;
template <> struct Format<float> {
  static constexpr int scale = 64, apart = 96, tiny = 23;
};
template <> struct Format<double> {
  static constexpr int scale = 128, apart = 768, tiny = 53;
};

/// The exponent field.
template <class T> int fieldOf(T x) {
  if constexpr (sizeof(T) == 8)
    return int(std::bit_cast<uint64_t>(x) >> 52 & 2047);
  else
    return int(std::bit_cast<uint32_t>(x) >> 23 & 255);
}

template <class T> bool isDenormal(T x) { return std::fpclassify(x) == FP_SUBNORMAL; }

/// {result, flags, value, denominator, numerator}: the value, which is one of the other two, scaled so that the steps
/// of the division neither overflow nor lose bits; the flag says that v_div_fmas must scale back.
template <class T> void divScale(Wave &w, const Instruction &i) {
  using F = Format<T>;
  uint64_t flags = 0;
  forLanes(w, [&](unsigned l) {
    T value = read<T>(w, i.operands[2], l), denominator = read<T>(w, i.operands[3], l),
      numerator = read<T>(w, i.operands[4], l);
    bool isDenominator = std::bit_cast<std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>(value) ==
                         std::bit_cast<std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>(denominator);
    T result = value;
    bool flag = false;
    if (numerator == 0 || denominator == 0) {
      result = std::numeric_limits<T>::quiet_NaN();
    } else if (fieldOf(numerator) - fieldOf(denominator) >= F::apart) { // the quotient may be near overflow
      flag = true;
      if (isDenominator)
        result = std::ldexp(value, F::scale);
    } else if (isDenormal(denominator)) {
      result = std::ldexp(value, F::scale);
    } else if (isDenormal(T(1) / denominator) && isDenormal(numerator / denominator)) {
      flag = true; // the manuals say 2^+scale, which overflows: no such denominator is below 2^126
      if (isDenominator)
        result = std::ldexp(value, -F::scale);
    } else if (isDenormal(T(1) / denominator)) {
      result = std::ldexp(value, -F::scale);
    } else if (isDenormal(numerator / denominator)) {
      flag = true;
      if (!isDenominator)
        result = std::ldexp(value, F::scale);
    } else if (fieldOf(numerator) <= F::tiny) {
      result = std::ldexp(value, F::scale);
    }
    flags |= uint64_t(flag) << l;
    write<T>(w, i, l, result);
  });
  w.setMask(i.operands[1], flags);
}

/// (a * b + c) * 2^scale, rounded once: a double holds the product of floats, and a sum that is rounded to odd.
float scaledSum(float a, float b, float c, int scale) {
  double product = double(a) * double(b), sum = product + double(c);
  double high = std::fabs(product) > std::fabs(double(c)) ? product : double(c), low = high == product ? c : product;
  double rest = low - (sum - high);
  if (rest != 0 && std::isfinite(sum) && !(std::bit_cast<uint64_t>(sum) & 1))
    sum = std::nextafter(sum, rest > 0 ? HUGE_VAL : -HUGE_VAL);
  return float(std::ldexp(sum, scale));
}
/// The product of doubles is exact in 113 bits; a sum that is rounded to odd there is rounded once at the end.
double scaledSum(double a, double b, double c, int scale) {
  using Quad = __float128;
  using Bits = unsigned __int128;
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c))
    return std::fma(a, b, c);
  Quad product = Quad(a) * Quad(b), sum = product + Quad(c), back = sum - product;
  Quad rest = (product - (sum - back)) + (Quad(c) - back); // what the sum's rounding lost
  if (Bits bits = std::bit_cast<Bits>(sum); rest != 0 && !(bits & 1))
    sum = std::bit_cast<Quad>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
  return double(sum * Quad(std::ldexp(1.0, scale)));
}

/// a * b + c, scaled back where VCC has the lane's flag: by 2^64 or, where c is small, by its inverse.
template <class T> void divFmas(Wave &w, const Instruction &i) {
  using F = Format<T>;
  uint64_t flags = w.vcc();
  forLanes(w, [&](unsigned l) {
    T a = read<T>(w, i.operands[1], l), b = read<T>(w, i.operands[2], l), c = read<T>(w, i.operands[3], l);
    T result;
    if (!(flags >> l & 1)) {
      result = std::fma(a, b, c);
    } else {
      constexpr int kMiddle = sizeof(T) == 8 ? 1023 : 127;
      int scale = fieldOf(c) > kMiddle ? F::scale : -F::scale;
      result = scaledSum(a, b, c, scale);
    }
    write<T>(w, i, l, result);
  });
}

/// Whether the quotient is less than half of the least number, whatever the steps of the division made of it.
template <class T> bool underflows(T numerator, T denominator) {
  if constexpr (sizeof(T) == 2)
    return false; // f16 is divided in f32
  else
    return fieldOf(numerator) - fieldOf(denominator) < (sizeof(T) == 8 ? -1075 : -150);
}

/// {result, quotient, denominator, numerator}: the quotient, or what IEEE 754 says of special operands.
template <class T> void divFixup(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    double quotient = double(read<T>(w, i.operands[1], l));
    T denominator = read<T>(w, i.operands[2], l), numerator = read<T>(w, i.operands[3], l);
    double d = double(denominator), n = double(numerator);
    bool negative = std::signbit(d) != std::signbit(n);
    double result;
    if (n != n || d != d)
      result = n != n ? n + n : d + d;
    else if ((n == 0 && d == 0) || (std::isinf(n) && std::isinf(d)))
      result = std::numeric_limits<double>::quiet_NaN();
    else if (d == 0 || std::isinf(n))
      result = negative ? -HUGE_VAL : HUGE_VAL;
    else if (std::isinf(d) || n == 0 || underflows(numerator, denominator))
      result = negative ? -0.0 : 0.0;
    else
      result =
          quotient != quotient ? (negative ? -HUGE_VAL : HUGE_VAL) : std::copysign(quotient, negative ? -1.0 : 1.0);
    write<T>(w, i, l, T(result));
  });
}

template <class T> void ldexp(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    int exponent = int(sizeof(T) == 2 ? int16_t(w.b16(i.operands[2], l)) : int32_t(w.b32(i.operands[2], l)));
    write<T>(w, i, l, T(std::ldexp(double(read<T>(w, i.operands[1], l)), std::clamp(exponent, -5000, 5000))));
  });
}
/// In f64 a denormal result would be rounded twice by way of f64's own ldexp: it is exact there.
template <> void ldexp<double>(Wave &w, const Instruction &i) {
  forLanes(w, [&](unsigned l) {
    int exponent = std::clamp(int32_t(w.b32(i.operands[2], l)), -5000, 5000);
    w.setF64(i, l, std::ldexp(w.f64(i.operands[1], l), exponent));
  });
}

} // namespace

void addFloat(HandlerTable &t) {
  addCommon<_Float16>(t, "f16");
  addCommon<float>(t, "f32");
  addCommon<double>(t, "f64");
  addNarrow<_Float16>(t, "f16");
  addNarrow<float>(t, "f32");
  auto add = [&](std::initializer_list<const char *> names, Handler handler) {
    for (const char *name : names)
      t.emplace_back(name, handler);
  };
  add({"v_rcp_iflag_f32"}, unary<decltype([](float x) { return 1.0 / double(x); }), float>);
  add({"v_mul_legacy_f32", "v_mul_dx9_zero_f32"},
      binary<decltype([](float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; }), float>);
  add({"v_mac_f32"}, [](Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) {
      w.setF32(i, l, w.f32(i.operands[1], l) * w.f32(i.operands[2], l) + w.f32(i.operands[0], l));
    });
  });
  add({"v_mad_f32"}, ternary<decltype([](float a, float b, float c) { return a * b + c; }), float>);
  add({"v_exp_f32"},
      unary<decltype([](float x) { return withoutDenormal(float(std::exp2(double(withoutDenormal(x))))); }), float>);
  add({"v_log_f32"}, unary<decltype([](float x) { return float(std::log2(double(withoutDenormal(x)))); }), float>);
  add({"v_exp_f16"}, unary<decltype([](_Float16 x) { return _Float16(std::exp2(double(x))); }), _Float16>);
  add({"v_log_f16"}, unary<decltype([](_Float16 x) { return _Float16(std::log2(double(x))); }), _Float16>);
  add({"v_div_scale_f32"}, divScale<float>);
  add({"v_div_scale_f64"}, divScale<double>);
  add({"v_div_fmas_f32"}, divFmas<float>);
  add({"v_div_fmas_f64"}, divFmas<double>);
  add({"v_div_fixup_f16"}, divFixup<_Float16>);
  add({"v_div_fixup_f32"}, divFixup<float>);
  add({"v_div_fixup_f64"}, divFixup<double>);
  add({"v_ldexp_f16"}, ldexp<_Float16>);
  add({"v_ldexp_f32"}, ldexp<float>);
  add({"v_ldexp_f64"}, ldexp<double>);
  add({"v_frexp_exp_i32_f32"}, [](Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) { w.setB32(i, l, uint32_t(exponentOf(w.f32(i.operands[1], l)))); });
  });
  add({"v_frexp_exp_i32_f64"}, [](Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) { w.setB32(i, l, uint32_t(exponentOf(w.f64(i.operands[1], l)))); });
  });
  add({"v_frexp_exp_i16_f16"}, [](Wave &w, const Instruction &i) {
    forLanes(w, [&](unsigned l) { w.setB16(i, l, uint16_t(exponentOf(w.f16(i.operands[1], l)))); });
  });
  addConversions(t);
}

} // namespace tegula::emulator
