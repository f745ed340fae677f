// Element types by their definition: sign, exponent and mantissa widths, and how each float format spends its special
// codes.
#include "tests/conformance/Numbers.h"

#include <algorithm>

namespace tegula::conformance {

namespace {

/// Ieee: all-ones exponent is infinity or NaN. Fn: only all-ones is NaN. Fnuz: only the code of minus zero is NaN.
enum class Special { Ieee, Fn, Fnuz };

struct FloatFormat {
  int exponentBits, mantissaBits, bias;
  Special special;
};

int widthOf(DType type) { return type == DType::I1 ? 1 : static_cast<int>(byteSize(type) * 8); }

FloatFormat formatOf(DType type) {
  switch (type) {
  case DType::F16: return {5, 10, 15, Special::Ieee};
  case DType::BF16: return {8, 7, 127, Special::Ieee};
  case DType::F32: return {8, 23, 127, Special::Ieee};
  case DType::F64: return {11, 52, 1023, Special::Ieee};
  case DType::F8E4M3: return {4, 3, 7, Special::Fn};
  case DType::F8E5M2: return {5, 2, 15, Special::Ieee};
  case DType::F8E4M3FNUZ: return {4, 3, 8, Special::Fnuz};
  default: return {5, 2, 16, Special::Fnuz};
  }
}

bool saturates(const FloatFormat &f) { return f.exponentBits + f.mantissaBits == 7; }

Number largest(const FloatFormat &f) {
  int topExponent = (1 << f.exponentBits) - 1 - f.bias - (f.special == Special::Ieee ? 1 : 0);
  Number mantissa = 2 - std::ldexp(Number(1), -f.mantissaBits);
  if (f.special == Special::Fn)
    mantissa -= std::ldexp(Number(1), -f.mantissaBits); // the all-ones code is NaN
  return std::ldexp(mantissa, topExponent);
}

/// Round half to even, without the rounding mode of the machine.
Number nearestEven(Number x) {
  Number down = std::floor(x), rest = x - down;
  if (rest != Number(0.5))
    return rest < Number(0.5) ? down : down + 1;
  return std::fmod(down, Number(2)) == 0 ? down : down + 1;
}

Number roundFloat(const FloatFormat &f, Number value) {
  if (std::isnan(value) || value == 0)
    return value;
  if (std::isinf(value))
    return saturates(f) ? std::copysign(largest(f), value) : value;
  int exponent;
  std::frexp(value, &exponent); // value in [0.5, 1) * 2^exponent
  int unit = std::max(exponent - 1, 1 - f.bias) - f.mantissaBits;
  Number result = std::copysign(std::ldexp(nearestEven(std::ldexp(value, -unit)), unit), value); // to -0, not to 0
  if (std::abs(result) > largest(f))
    return std::copysign(saturates(f) ? largest(f) : kInf, value);
  return result;
}

Number wrapInteger(DType type, Number value) {
  int width = widthOf(type);
  if (type == DType::I1)
    return value != 0;
  Number modulus = std::ldexp(Number(1), width);
  Number result = std::fmod(std::trunc(value), modulus);
  if (result < 0)
    result += modulus;
  return isSigned(type) && result >= modulus / 2 ? result - modulus : result;
}

} // namespace

Number rounded(DType type, Number value) {
  return isFloat(type) ? roundFloat(formatOf(type), value) : wrapInteger(type, value);
}

uint64_t encode(DType type, Number value) {
  if (!isFloat(type)) {
    Number whole = wrapInteger(type, value);
    return whole < 0 ? static_cast<uint64_t>(static_cast<int64_t>(whole)) : static_cast<uint64_t>(whole);
  }
  FloatFormat f = formatOf(type);
  if (!std::isinf(value) || f.special != Special::Ieee)
    value = roundFloat(f, value);
  int width = widthOf(type);
  uint64_t sign = std::signbit(value) ? uint64_t(1) << (width - 1) : 0;
  uint64_t exponentMask = (uint64_t(1) << f.exponentBits) - 1, mantissaMask = (uint64_t(1) << f.mantissaBits) - 1;
  if (std::isnan(value))
    return f.special == Special::Fnuz ? uint64_t(1) << (width - 1) : (exponentMask << f.mantissaBits) | mantissaMask;
  if (std::isinf(value))
    return sign | (exponentMask << f.mantissaBits);
  if (value == 0)
    return f.special == Special::Fnuz ? 0 : sign;
  int exponent;
  Number magnitude = std::abs(value);
  std::frexp(magnitude, &exponent);
  int field = exponent - 1 + f.bias;
  if (field < 1) // subnormal
    return sign | static_cast<uint64_t>(std::ldexp(magnitude, f.bias - 1 + f.mantissaBits));
  uint64_t mantissa = static_cast<uint64_t>(std::ldexp(magnitude, f.mantissaBits - (exponent - 1))) & mantissaMask;
  return sign | (static_cast<uint64_t>(field) << f.mantissaBits) | mantissa;
}

Number decode(DType type, uint64_t bits) {
  int width = widthOf(type);
  if (!isFloat(type)) {
    if (type == DType::I1)
      return (bits & 0xff) != 0;
    if (width < 64)
      bits &= (uint64_t(1) << width) - 1;
    bool negative = isSigned(type) && (bits >> (width - 1));
    return negative ? static_cast<Number>(bits) - std::ldexp(Number(1), width) : static_cast<Number>(bits);
  }
  FloatFormat f = formatOf(type);
  uint64_t exponentMask = (uint64_t(1) << f.exponentBits) - 1, mantissaMask = (uint64_t(1) << f.mantissaBits) - 1;
  uint64_t field = (bits >> f.mantissaBits) & exponentMask, mantissa = bits & mantissaMask;
  bool negative = (bits >> (width - 1)) & 1;
  if (f.special == Special::Fnuz && negative && field == 0 && mantissa == 0)
    return kNan;
  if (f.special == Special::Fn && field == exponentMask && mantissa == mantissaMask)
    return kNan;
  if (f.special == Special::Ieee && field == exponentMask)
    return mantissa ? kNan : negative ? -kInf : kInf;
  Number magnitude =
      field == 0 ? std::ldexp(Number(mantissa), 1 - f.bias - f.mantissaBits)
                 : std::ldexp(Number(mantissa | (mantissaMask + 1)), static_cast<int>(field) - f.bias - f.mantissaBits);
  return negative ? -magnitude : magnitude;
}

} // namespace tegula::conformance
