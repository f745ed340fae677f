#include "core/support/FloatFormats.h"

#include "core/support/Diagnostic.h"

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tegula {

namespace {

constexpr FloatFormat kHalf{5, 10, 15, Specials::Ieee, false};
constexpr FloatFormat kBfloat{8, 7, 127, Specials::Ieee, false};
constexpr FloatFormat kSingle{8, 23, 127, Specials::Ieee, false};
constexpr FloatFormat kDouble{11, 52, 1023, Specials::Ieee, false};
constexpr FloatFormat kE4M3{4, 3, 7, Specials::NanOnly, true};
constexpr FloatFormat kE5M2{5, 2, 15, Specials::Ieee, true};
constexpr FloatFormat kE4M3Fnuz{4, 3, 8, Specials::UnsignedZero, true};
constexpr FloatFormat kE5M2Fnuz{5, 2, 16, Specials::UnsignedZero, true};

uint64_t signBit(const FloatFormat &f) { return uint64_t{1} << (f.exponentBits + f.mantissaBits); }
uint64_t allOnes(const FloatFormat &f) { return signBit(f) - 1; }

/// The bit pattern of the largest finite magnitude.
uint64_t largestCode(const FloatFormat &f) {
  switch (f.specials) {
  case Specials::Ieee: return allOnes(f) - (uint64_t{1} << f.mantissaBits);
  case Specials::NanOnly: return allOnes(f) - 1;
  case Specials::UnsignedZero: return allOnes(f);
  }
  return 0;
}

uint64_t nanCode(const FloatFormat &f, bool negative) {
  switch (f.specials) {
  case Specials::Ieee:
    return (negative ? signBit(f) : 0) | (largestCode(f) + 1) | (uint64_t{1} << (f.mantissaBits - 1));
  case Specials::NanOnly: return (negative ? signBit(f) : 0) | allOnes(f);
  case Specials::UnsignedZero: return signBit(f);
  }
  return 0;
}

/// The bit pattern of a finite non-zero magnitude, rounded to the format's precision. For magnitudes beyond the
/// format's range, the patterns continue after that of the largest finite one.
uint64_t roundMagnitude(const FloatFormat &f, double magnitude, bool towardZero) {
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude = f * 2^exponent with f in [0.5, 1)
  const int smallest = 1 - f.bias;
  const int top = std::max(exponent - 1, smallest);
  // In units of the last place, the magnitude is an integer below 2^(m+1), plus a fraction.
  const double scaled = std::ldexp(magnitude, static_cast<int>(f.mantissaBits) - top);
  const double whole = std::floor(scaled);
  auto code = static_cast<uint64_t>(whole);
  const double rest = scaled - whole;
  if (!towardZero && (rest > 0.5 || (rest == 0.5 && (code & 1))))
    ++code;
  return code + (static_cast<uint64_t>(top - smallest) << f.mantissaBits);
}

} // namespace

const FloatFormat &floatFormat(ScalarType type) {
  switch (type) {
  case ScalarType::F16: return kHalf;
  case ScalarType::BF16: return kBfloat;
  case ScalarType::F32: return kSingle;
  case ScalarType::F64: return kDouble;
  case ScalarType::F8E4M3: return kE4M3;
  case ScalarType::F8E5M2: return kE5M2;
  case ScalarType::F8E4M3FNUZ: return kE4M3Fnuz;
  case ScalarType::F8E5M2FNUZ: return kE5M2Fnuz;
  default: throw InternalError("no float format: " + std::string(name(type)));
  }
}

double decodeFloat(const FloatFormat &f, uint64_t bits) {
  const bool negative = bits & signBit(f);
  const uint64_t code = bits & allOnes(f);
  if (code > largestCode(f)) {
    if (f.specials == Specials::Ieee && code == largestCode(f) + 1)
      return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), negative ? -1.0 : 1.0);
  }
  if (f.specials == Specials::UnsignedZero && negative && code == 0)
    return std::numeric_limits<double>::quiet_NaN();
  const uint64_t field = code >> f.mantissaBits;
  uint64_t mantissa = code & ((uint64_t{1} << f.mantissaBits) - 1);
  if (field)
    mantissa |= uint64_t{1} << f.mantissaBits;
  const int exponent = static_cast<int>(field ? field : 1) - f.bias - static_cast<int>(f.mantissaBits);
  const double magnitude = std::ldexp(static_cast<double>(mantissa), exponent);
  return negative ? -magnitude : magnitude;
}

uint64_t encodeFloat(const FloatFormat &f, double value, bool towardZero) {
  const bool negative = std::signbit(value);
  if (std::isnan(value))
    return nanCode(f, negative);
  const uint64_t sign = negative ? signBit(f) : 0;
  const uint64_t infinity = f.saturates ? largestCode(f) : largestCode(f) + 1; // formats without infinity saturate
  if (std::isinf(value))
    return sign | infinity;
  uint64_t code = value == 0 ? 0 : roundMagnitude(f, std::fabs(value), towardZero);
  if (code > largestCode(f))
    code = towardZero ? largestCode(f) : infinity;
  if (f.specials == Specials::UnsignedZero && code == 0)
    return 0;
  return sign | code;
}

namespace {

/// Formats like printf's %.*g in the locale "C".
std::string withDigits(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  std::string result = text;
  const std::string point = std::localeconv()->decimal_point;
  if (size_t at = result.find(point); at != std::string::npos)
    result.replace(at, point.size(), ".");
  return result;
}

bool readsBack(const std::string &text, double value) {
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read == value;
}

} // namespace

std::string floatText(double value) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  std::string text = withDigits(value, 15);
  for (int digits = 16; digits <= 17 && !readsBack(text, value); ++digits)
    text = withDigits(value, digits);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

} // namespace tegula
