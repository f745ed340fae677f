// Integer arithmetic of 8 to 64 bits. Vulkan has GLSL's bit searches and OpBitCount for 32 bits only, and OpSRem is
// undefined for negative operands. Integers of a width that the profile does not have are held zero-extended in 32
// bits: operands are sign-extended if the op depends on the sign, and results are truncated.
#include "backends/vulkan/codegen/Scalars.h"

#include <spirv/unified1/GLSL.std.450.h>

namespace tegula::vulkan {

using spirv::Id;
using spv::Op;

Id Scalars::widen(ScalarType type, Id value, bool isSigned) {
  if (bitWidth(type) >= 32)
    return value;
  if (isHeld(type))
    return b.cast(isSigned ? Op::OpSConvert : Op::OpUConvert, value, m.intType(32));
  return isSigned ? b.op(Op::OpBitFieldSExtract, m.typeOf(value), {value, u32(0), u32(bitWidth(type))}) : value;
}

Id Scalars::narrow(ScalarType type, Id value) {
  if (bitWidth(type) >= 32)
    return value;
  if (isHeld(type))
    return b.cast(Op::OpUConvert, value, m.intType(bitWidth(type)));
  return both(value, u32((1u << bitWidth(type)) - 1));
}

/// The remainder of 64 bits, with the dividend's sign, from that of the magnitudes. Where more is subtracted from
/// x - x / y * y, NVIDIA's driver 580 computes a wrong result (elementwise/mod_of_bits of the suite).
Id Scalars::longRemainder(Id x, Id y) {
  auto signOf = [&](Id value) { return b.binary(Op::OpShiftRightArithmetic, value, like(value, 63)); };
  auto negatedIf = [&](Id value, Id sign) { return sub(differ(value, sign), sign); }; // `sign` is 0 or -1
  Id sign = signOf(x);
  return negatedIf(b.binary(Op::OpUMod, negatedIf(x, sign), negatedIf(y, signOf(y))), sign);
}

Id Scalars::integer(Op op, ScalarType type, Id x, Id y) {
  bool isRemainder = op == Op::OpSRem, isSigned = isRemainder || op == Op::OpSDiv;
  if (!isHeld(type) && (isSigned || op == Op::OpShiftRightArithmetic)) {
    x = widen(type, x, true);
    y = isSigned ? widen(type, y, true) : y;
  }
  Id result = !isRemainder             ? b.binary(op, x, y)
              : m.infoOf(x).bits == 64 ? longRemainder(x, y)
                                       : sub(x, mul(b.binary(Op::OpSDiv, x, y), y));
  return isHeld(type) ? result : narrow(type, result);
}

/// The quotient rounded up: the quotient towards zero, plus one if the exact quotient is positive and no integer.
Id Scalars::divideUp(ScalarType type, Id x, Id y, bool isSigned) {
  if (!isHeld(type))
    return narrow(type, divideUp(ScalarType::I32, widen(type, x, isSigned), widen(type, y, isSigned), isSigned));
  Id quotient = b.binary(isSigned ? Op::OpSDiv : Op::OpUDiv, x, y), rest = sub(x, mul(quotient, y));
  Id more = b.compare(Op::OpINotEqual, rest, like(x, 0));
  if (isSigned)
    more = both(more, b.compare(Op::OpSGreaterThanEqual, differ(rest, y), like(x, 0)));
  return add(quotient, b.select(more, like(x, 1), like(x, 0)));
}

Id Scalars::divideDown(ScalarType type, Id x, Id y) {
  if (!isHeld(type))
    return narrow(type, divideDown(ScalarType::I32, widen(type, x, true), widen(type, y, true)));
  Id quotient = b.binary(Op::OpSDiv, x, y), rest = sub(x, mul(quotient, y));
  Id less = both(b.compare(Op::OpINotEqual, rest, like(x, 0)), b.compare(Op::OpSLessThan, differ(rest, y), like(x, 0)));
  return sub(quotient, b.select(less, like(x, 1), like(x, 0)));
}

Id Scalars::lessSigned(Id x, Id y) {
  if (m.infoOf(x).bits != 64)
    return b.compare(Op::OpSLessThan, x, y);
  Id sign = like(x, uint64_t(1) << 63);
  return b.compare(Op::OpULessThan, differ(x, sign), differ(y, sign));
}

Id Scalars::extremumInteger(ScalarType type, Id x, Id y, bool isMaximum, bool isSigned) {
  if (type == ScalarType::I1) // signed, true is -1
    return isMaximum == isSigned ? both(x, y) : either(x, y);
  bool extends = isSigned && !isHeld(type);
  Id left = extends ? widen(type, x, true) : x, right = extends ? widen(type, y, true) : y;
  Id first = isSigned ? lessSigned(left, right) : below(left, right);
  return isMaximum ? b.select(first, y, x) : b.select(first, x, y);
}

Id Scalars::absoluteInteger(ScalarType type, Id x) {
  if (!isHeld(type))
    return narrow(type, absoluteInteger(ScalarType::I32, widen(type, x, true)));
  return b.select(lessSigned(x, like(x, 0)), b.unary(Op::OpSNegate, x), x);
}

/// The number of leading zeros of a 32-bit integer; FindUMsb returns -1 for zero, so the result is 32.
Id Scalars::countLeading(Id x) { return sub(u32(31), extended(GLSLstd450FindUMsb, {x})); }

Id Scalars::leadingZeros(ScalarType type, Id x) {
  uint32_t bits = bitWidth(type);
  if (bits == 64) {
    Id high = b.cast(Op::OpUConvert, shiftRight(x, u32(32)), m.intType(32)),
       low = b.cast(Op::OpUConvert, x, m.intType(32));
    Id count = b.select(same(high, u32(0)), add(countLeading(low), u32(32)), countLeading(high));
    return b.cast(Op::OpUConvert, count, m.typeOf(x));
  }
  Id count = countLeading(widen(type, x, false));
  return bits == 32 ? count : narrow(type, sub(count, u32(32 - bits)));
}

Id Scalars::countOnes(Id x) { return b.unary(Op::OpBitCount, x); }

Id Scalars::populationCount(ScalarType type, Id x) {
  if (bitWidth(type) < 64) {
    Id count = countOnes(widen(type, x, false));
    return isHeld(type) ? narrow(type, count) : count;
  }
  Id low = countOnes(b.cast(Op::OpUConvert, x, m.intType(32)));
  Id high = countOnes(b.cast(Op::OpUConvert, shiftRight(x, u32(32)), m.intType(32)));
  return b.cast(Op::OpUConvert, add(low, high), m.typeOf(x));
}

/// Counts the bits below the lowest set bit; for zero, all bits.
Id Scalars::trailingZeros(ScalarType type, Id x) {
  Id below = both(b.unary(Op::OpNot, x), sub(x, like(x, 1)));
  return populationCount(type, isHeld(type) ? below : narrow(type, below));
}

Id Scalars::multiplyHigh(ScalarType type, Id x, Id y, bool isSigned) {
  uint32_t bits = bitWidth(type);
  if (bits < 32)
    return narrow(type, shiftRight(mul(widen(type, x, isSigned), widen(type, y, isSigned)), u32(bits)));
  if (bits == 32) {
    Op extend = isSigned ? Op::OpSConvert : Op::OpUConvert;
    Id product = mul(b.cast(extend, x, m.intType(64)), b.cast(extend, y, m.intType(64)));
    return b.cast(Op::OpUConvert, shiftRight(product, u32(32)), m.intType(32));
  }
  // The high half is computed from 32-bit halves: (xh, xl) * (yh, yl), with the carries of the middle products.
  auto low = [&](Id value) { return both(value, like(x, 0xffffffff)); };
  auto high = [&](Id value) { return shiftRight(value, u32(32)); };
  Id first = mul(low(x), low(y)), left = mul(high(x), low(y)), right = mul(low(x), high(y));
  Id middle = add(add(high(first), low(left)), low(right));
  Id product = add(add(mul(high(x), high(y)), high(left)), add(high(right), high(middle)));
  if (!isSigned)
    return product;
  // A negative factor that is read as unsigned is too large by 2^64, which this corrects.
  Id zero = like(x, 0);
  product = sub(product, b.select(b.compare(Op::OpSLessThan, x, zero), y, zero));
  return sub(product, b.select(b.compare(Op::OpSLessThan, y, zero), x, zero));
}

} // namespace tegula::vulkan
