// Exact conversions between the small float formats and double, one value at a time. They define the formats; the CPU's
// vectorised kernels are tested against them.
#pragma once

#include "core/support/ScalarType.h"

#include <cstdint>
#include <string>

namespace tegula {

/// Which codes of a binary format are not finite numbers.
enum class Specials : uint8_t {
  Ieee,         // the top exponent is infinity and NaN
  NanOnly,      // no infinity; all-ones is NaN, of either sign ("fn")
  UnsignedZero, // no infinity, no -0; the pattern of -0 is the only NaN ("fnuz")
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

/// Format of f16, bf16, f32, f64 or one of the fp8 types; throws InternalError for other types.
const FloatFormat &floatFormat(ScalarType type);

/// The value of the low 1 + e + m bits of `bits`; exact.
double decodeFloat(const FloatFormat &format, uint64_t bits);

/// Rounds once, to nearest even or toward zero. NaN stays NaN. In a format that saturates, infinities and numbers
/// beyond the largest finite value give that value, with their sign, in both modes. In the others, such numbers give
/// infinity to nearest and the largest finite value toward zero, and infinity stays infinity; these are the rules of
/// LLVM's APFloat, whose 8-bit formats do not saturate.
uint64_t encodeFloat(const FloatFormat &format, double value, bool towardZero = false);

/// A number as text that reads back as the same number: with as few digits as tell it apart, but at most 15 where these
/// are enough, and with a point or an exponent: 0.1, 1.0, 1e+20; inf, -inf, nan. The program's locale is without
/// effect. (std::to_chars of floats would add 100 KB of tables to the runtime library.)
std::string floatText(double value);

} // namespace tegula
