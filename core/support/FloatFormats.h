// Exact conversions between the small float formats and double, one value at a time. They define the formats: the CPU's
// vectorised kernels are tested against them.
#pragma once

#include "core/support/ScalarType.h"

#include <cstdint>
#include <string>

namespace tegula {

/// The bit patterns of a binary format that are not finite numbers.
enum class Specials : uint8_t {
  Ieee,         // the largest exponent means infinity and NaN
  NanOnly,      // no infinity; all ones is NaN, with either sign ("fn")
  UnsignedZero, // no infinity and no -0; the pattern of -0 is the only NaN ("fnuz")
};

/// A binary float format of 1 + exponentBits + mantissaBits bits.
struct FloatFormat {
  unsigned exponentBits, mantissaBits;
  int bias;
  Specials specials;
  /// Conversions to the format saturate: infinities and numbers beyond the largest one become the largest finite
  /// number. True for the 8-bit formats, as in Triton.
  bool saturates;
};

/// The format of f16, bf16, f32, f64 or an fp8 type. Throws InternalError for other types.
const FloatFormat &floatFormat(ScalarType type);

/// The value of the low 1 + exponentBits + mantissaBits bits of `bits`. The conversion is exact.
double decodeFloat(const FloatFormat &format, uint64_t bits);

/// Rounds once, to nearest even or toward zero. NaN stays NaN. If the format saturates, infinities and numbers beyond
/// the largest finite value become that value, with their sign, in both modes. Otherwise, such numbers become infinity
/// if rounded to nearest, and the largest finite value if rounded toward zero; infinity stays infinity. The latter are
/// the rules of LLVM's APFloat, whose 8-bit formats do not saturate.
uint64_t encodeFloat(const FloatFormat &format, double value, bool towardZero = false);

/// The shortest text that reads back as the same number, with a point or an exponent: 0.1, 1.0, 1e+20; inf, -inf, nan.
/// It has at most 15 digits if these suffice. The program's locale has no effect. (std::to_chars of floats would add
/// 100 KB of tables to the runtime library.)
std::string floatText(double value);

} // namespace tegula
