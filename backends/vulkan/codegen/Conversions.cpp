// Conversions between floats, and between floats and integers. Rounding to narrow formats is done by integer
// operations: Vulkan leaves the rounding direction open unless a device promises one, and Vulkan has no bf16 and no
// 8-bit floats. FloatFormats.h defines the formats, and tests use it as the reference.
#include "backends/vulkan/codegen/Scalars.h"
#include "core/support/FloatFormats.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tegula::vulkan {

using spirv::Id;
using spv::Op;

namespace {

constexpr uint32_t kInfinity = 0x7f800000; // f32's infinity
constexpr unsigned kDigits = 23;           // stored significand bits of f32
constexpr int kBias = 127;                 // exponent bias of f32

/// The bit patterns, without the sign bit, of a format's largest number, of the result of an overflow, and of NaN.
struct Codes {
  uint32_t largest, overflow, nan;
};

Codes codesOf(const FloatFormat &format) {
  uint32_t top = (1u << format.exponentBits) - 1, m = format.mantissaBits;
  uint32_t last = (top << m) + (1u << m) - 1, infinity = top << m;
  switch (format.specials) {
  case Specials::Ieee: return {infinity - 1, format.saturates ? infinity - 1 : infinity, infinity + (1u << (m - 1))};
  case Specials::NanOnly: return {last - 1, last - 1, last};
  case Specials::UnsignedZero: break;
  }
  return {last, last, last + 1}; // NaN has the bit pattern of -0
}

} // namespace

/// Converts a format that registers hold as bits, or f16, to f32. The conversion is exact.
Id Scalars::decode(ScalarType from, Id value) {
  const FloatFormat &format = floatFormat(from);
  Id i32 = m.intType(32), raw = toWord(from, value);
  if (from == ScalarType::BF16)
    return b.bitcast(shiftLeft(raw, u32(16)), m.floatType(32));
  unsigned width = format.exponentBits + format.mantissaBits;
  uint32_t top = (1u << format.exponentBits) - 1;
  Id magnitude = both(raw, u32((1u << width) - 1));
  Id normal =
      add(shiftLeft(magnitude, u32(kDigits - format.mantissaBits)), u32(uint32_t(kBias - format.bias) << kDigits));
  // The magnitude bits of a subnormal number count multiples of the smallest subnormal number.
  Id count = b.cast(Op::OpConvertUToF, magnitude, m.floatType(32));
  Id tiny = multiply(count, f32(std::ldexp(1.0f, 1 - format.bias - int(format.mantissaBits))));
  Id result = b.select(below(magnitude, u32(1u << format.mantissaBits)), b.bitcast(tiny, i32), normal);
  if (format.specials == Specials::Ieee) {
    Id special = either(u32(kInfinity), shiftLeft(magnitude, u32(kDigits - format.mantissaBits)));
    result = b.select(below(magnitude, u32(top << format.mantissaBits)), result, special);
  } else if (format.specials == Specials::NanOnly) {
    result = b.select(same(magnitude, u32((1u << width) - 1)), u32(kInfinity | 1u << 22), result);
  } else {
    result = b.select(same(raw, u32(1u << width)), u32(kInfinity | 1u << 22), result);
  }
  Id sign = shiftLeft(shiftRight(raw, u32(width)), u32(31));
  return b.bitcast(either(result, sign), m.floatType(32));
}

/// Converts f32 to a format that registers hold as bits, or to f16. The result's bits are in a 32-bit integer.
Id Scalars::encode(ScalarType to, Id value, bool towardZero) {
  const FloatFormat &format = floatFormat(to);
  Codes codes = codesOf(format);
  unsigned drop = kDigits - format.mantissaBits, width = format.exponentBits + format.mantissaBits;
  Id raw = b.bitcast(value, m.intType(32)), magnitude = both(raw, u32(0x7fffffff));

  auto roundUp = [&](Id quotient, Id rest, Id half) { // to nearest, ties to even
    Id isOdd = same(both(quotient, u32(1)), u32(1));
    Id up = either(below(half, rest), both(same(half, rest), isOdd));
    return add(quotient, b.select(up, u32(1), u32(0)));
  };
  // For a normal number, a carry of the rounding into the exponent gives the next power of two, as it should.
  uint32_t rebias = uint32_t(kBias - format.bias) << format.mantissaBits;
  Id code = shiftRight(magnitude, u32(drop));
  if (!towardZero)
    code = roundUp(code, both(magnitude, u32((1u << drop) - 1)), u32(1u << (drop - 1)));
  code = sub(code, u32(rebias));
  if (kBias != format.bias) {
    // For a subnormal result, the significand with its leading one is shifted, so that it counts multiples of the
    // smallest number.
    Id digits = either(both(magnitude, u32((1u << kDigits) - 1)), u32(1u << kDigits));
    Id exponent = shiftRight(magnitude, u32(kDigits));
    Id shift = sub(u32(drop + uint32_t(kBias + 1 - format.bias)), exponent);
    shift = b.select(below(shift, u32(25)), shift, u32(25)); // after a shift by 25, 24 bits are less than 1/2
    Id quotient = shiftRight(digits, shift);
    if (!towardZero) {
      Id half = shiftLeft(u32(1), sub(shift, u32(1)));
      quotient = roundUp(quotient, sub(digits, shiftLeft(quotient, shift)), half);
    }
    Id isTiny = below(magnitude, u32(uint32_t(kBias + 1 - format.bias) << kDigits));
    code = b.select(isTiny, quotient, code);
  }
  Id overflow = u32(codes.overflow);
  if (towardZero && codes.overflow != codes.largest) // infinity stays infinity
    overflow = b.select(same(magnitude, u32(kInfinity)), overflow, u32(codes.largest));
  Id isTooLarge = either(b.compare(Op::OpUGreaterThanEqual, magnitude, u32(kInfinity)),
                         b.compare(Op::OpSGreaterThan, code, u32(codes.largest)));
  code = b.select(isTooLarge, overflow, code);
  code = b.select(below(u32(kInfinity), magnitude), u32(codes.nan), code);
  Id sign = shiftLeft(shiftRight(raw, u32(31)), u32(width));
  if (format.specials == Specials::UnsignedZero) // the pattern of -0 would be NaN
    sign = b.select(same(code, u32(0)), u32(0), sign);
  return either(code, sign);
}

Id Scalars::toF32(ScalarType from, Id value) {
  if (from == ScalarType::F32)
    return value;
  if (isSoft(from))
    return decode(from, value);
  return b.convertFloat(value, m.floatType(32));
}

Id Scalars::fromF32(ScalarType to, Id value, bool towardZero) {
  if (to == ScalarType::F32)
    return value;
  bool native =
      to == ScalarType::F64 || (!isSoft(to) && !towardZero && profile_.features.has(Feature::RoundToNearest16));
  if (native) {
    Id rounded = b.convertFloat(value, type(to));
    return to == ScalarType::F16 && unknownZero_ ? fromBits(to, differ(bits(to, rounded), unknownZero_)) : rounded;
  }
  return fromWord(to, encode(to, value, towardZero));
}

/// Converts f64 to f32, rounded to odd: the last bit of an inexact result is set, so that a second rounding gives the
/// correctly rounded result.
Id Scalars::roundToOdd(Id wide) {
  Id narrow = b.convertFloat(wide, m.floatType(32)), back = b.convertFloat(narrow, m.floatType(64));
  Id bits = b.bitcast(narrow, m.intType(32));
  Id beyond = b.compare(Op::OpFOrdGreaterThan, extended(4 /* FAbs */, {back}), extended(4, {wide}));
  Id odd = either(b.select(beyond, sub(bits, u32(1)), bits), u32(1));
  return b.bitcast(b.select(b.compare(Op::OpFOrdNotEqual, back, wide), odd, bits), m.floatType(32));
}

Id Scalars::convertFloat(ScalarType from, ScalarType to, Id value, bool towardZero) {
  if (from == to)
    return value;
  if (from != ScalarType::F64)
    return fromF32(to, toF32(from, value), towardZero);
  if (to != ScalarType::F32)
    return fromF32(to, roundToOdd(value), towardZero);
  Id narrow = b.convertFloat(value, m.floatType(32));
  if (!towardZero)
    return narrow;
  Id bits = b.bitcast(narrow, m.intType(32)), back = b.convertFloat(narrow, m.floatType(64));
  Id beyond = b.compare(Op::OpFOrdGreaterThan, extended(4 /* FAbs */, {back}), extended(4, {value}));
  Id isInfinite = b.op(Op::OpIsInf, m.boolType(), {value});
  return b.bitcast(b.select(both(beyond, invert(isInfinite)), sub(bits, u32(1)), bits), m.floatType(32));
}

Id Scalars::integerToFloat(ScalarType from, ScalarType to, Id value, bool isSigned) {
  if (from == ScalarType::I1) {
    value = b.select(value, u32(isSigned ? ~0u : 1u), u32(0));
    from = ScalarType::I32;
  }
  if (!isHeld(from))
    value = widen(from, value, isSigned);
  bool isNarrow = to != ScalarType::F32 && to != ScalarType::F64;
  unsigned width = bitWidth(from);
  Op convert = isSigned ? Op::OpConvertSToF : Op::OpConvertUToF;
  if (!isNarrow || width <= 16) // f32 holds these integers exactly
    return fromF32OrWider(to, b.cast(convert, value, m.floatType(to == ScalarType::F64 ? 64 : 32)));
  // If the integer has more significant bits than f32, the lowest ones are merged into one sticky bit, so that the
  // rounding to the narrow format is correct.
  // The sign of a 64-bit integer is read from its upper word: for a 32-bit integer widened to 64 bits, Mesa 22.3
  // compares a negative value as if it were positive.
  auto negative = [&] {
    Id upperWord = width == 64 ? b.cast(Op::OpUConvert, shiftRight(value, u32(32)), m.intType(32)) : value;
    return b.compare(Op::OpSLessThan, upperWord, like(upperWord, 0));
  };
  Id isNegative = isSigned ? negative() : m.constantBool(false);
  Id magnitude = b.select(isNegative, b.unary(Op::OpSNegate, value), value);
  Id scale = f32(1);
  auto sticky = [&](Id kept, Id lost) {
    return either(kept, b.select(b.compare(Op::OpINotEqual, lost, u32(0)), u32(1), u32(0)));
  };
  if (width == 64) {
    Id low = b.cast(Op::OpUConvert, magnitude, m.intType(32));
    Id high = b.cast(Op::OpUConvert, shiftRight(magnitude, u32(32)), m.intType(32));
    Id isLarge = b.compare(Op::OpINotEqual, high, u32(0));
    // A magnitude of more than 32 bits is reduced to 32 bits, whose last bit is set if a dropped bit was set (sticky):
    // to the upper half if that has more than 16 significant bits, otherwise to bits 16 to 47. `scale` makes up for the
    // dropped bits.
    Id upper = either(shiftLeft(high, u32(16)), sticky(shiftRight(low, u32(16)), both(low, u32(0xffff))));
    Id isHuge = b.compare(Op::OpUGreaterThanEqual, high, u32(1u << 16));
    magnitude = b.select(isLarge, b.select(isHuge, sticky(high, low), upper), low);
    scale = b.select(isLarge, b.select(isHuge, f32(0x1p32f), f32(0x1p16f)), scale);
  }
  // A magnitude of 25 to 32 significant bits loses its last 8, so that f32 holds the rest exactly. The rest has at
  // least 17 bits, more than a narrow format, and its last bit is sticky.
  Id isLong = b.compare(Op::OpUGreaterThanEqual, magnitude, u32(1u << 24));
  Id kept = b.select(isLong, sticky(shiftRight(magnitude, u32(8)), both(magnitude, u32(0xff))), magnitude);
  Id number = multiply(b.cast(Op::OpConvertUToF, kept, m.floatType(32)), b.select(isLong, f32(256), f32(1)));
  number = multiply(number, scale);
  number = b.select(isNegative, b.unary(Op::OpFNegate, number), number);
  return fromF32(to, number);
}

Id Scalars::fromF32OrWider(ScalarType to, Id value) { return to == ScalarType::F64 ? value : fromF32(to, value); }

Id Scalars::floatToInteger(ScalarType from, ScalarType to, Id value, bool isSigned) {
  if (from != ScalarType::F64)
    value = toF32(from, value);
  // An integer of 8 or 16 bits is converted through 32 bits.
  ScalarType wide = bitWidth(to) < 32 ? ScalarType::I32 : to;
  Id result = b.cast(isSigned || bitWidth(to) < 32 ? Op::OpConvertFToS : Op::OpConvertFToU, value, type(wide));
  return resize(wide, to, result, isSigned);
}

Id Scalars::resize(ScalarType from, ScalarType to, Id value, bool isSigned) {
  if (from == to)
    return value;
  if (from == ScalarType::I1) {
    uint64_t yes = isSigned ? ~uint64_t(0) : 1;
    return b.select(value, constant(to, yes), constant(to, 0));
  }
  if (to == ScalarType::I1)
    return b.compare(Op::OpINotEqual, both(value, like(value, 1)), like(value, 0));
  Op convert = isSigned ? Op::OpSConvert : Op::OpUConvert;
  if (isHeld(from) && isHeld(to))
    return b.cast(convert, value, type(to));
  value = widen(from, value, isSigned); // one of the two types is held in a wider 32-bit integer
  if (bitWidth(to) < 32)
    return narrow(to, bitWidth(from) == 64 ? b.cast(Op::OpUConvert, value, m.intType(32)) : value);
  return bitWidth(to) == 32 ? value : b.cast(convert, value, type(to));
}

} // namespace tegula::vulkan
