// Exact conversions between the small float formats and double, one value at a time. They define the formats; the CPU's
// vectorised kernels are tested against them.
#pragma once

#include "core/support/ScalarType.h"

#include <cstdint>

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
};

/// Format of f16, bf16, f32, f64 or one of the fp8 types; throws InternalError for other types.
const FloatFormat &floatFormat(ScalarType type);

/// The value of the low 1 + e + m bits of `bits`; exact.
double decodeFloat(const FloatFormat &format, uint64_t bits);

/// Rounds once, to nearest even or toward zero. Beyond the largest finite value, to nearest gives infinity, or NaN
/// where the format has no infinity; toward zero gives the largest finite value. An infinite operand gives infinity or
/// NaN in both. These are LLVM's APFloat rules for the formats of the same names.
uint64_t encodeFloat(const FloatFormat &format, double value, bool towardZero = false);

} // namespace tegula
