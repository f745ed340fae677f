// Integers of 8 to 64 bits. Vulkan takes GLSL's bit searches and OpBitCount for 32 bits alone, and leaves OpSRem
// undefined for negative operands.
#include "backends/vulkan/codegen/Scalars.h"

#include <spirv/unified1/GLSL.std.450.h>

namespace tegula::vulkan {

using spirv::Id;
using spv::Op;

Id Scalars::remainderSigned(Id x, Id y) { return sub(x, mul(b.binary(Op::OpSDiv, x, y), y)); }

/// The quotient towards zero, one more where a rest of the right sign is left.
Id Scalars::divideUp(Id x, Id y, bool isSigned) {
  Id quotient = b.binary(isSigned ? Op::OpSDiv : Op::OpUDiv, x, y), rest = sub(x, mul(quotient, y));
  Id more = b.compare(Op::OpINotEqual, rest, like(x, 0));
  if (isSigned)
    more = both(more, b.compare(Op::OpSGreaterThanEqual, differ(rest, y), like(x, 0)));
  return add(quotient, b.select(more, like(x, 1), like(x, 0)));
}

Id Scalars::divideDown(Id x, Id y) {
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

Id Scalars::extremumInteger(Id x, Id y, bool isMaximum, bool isSigned) {
  if (isBool(x)) // signed, true is -1
    return isMaximum == isSigned ? both(x, y) : either(x, y);
  Id first = isSigned ? lessSigned(x, y) : b.compare(Op::OpULessThan, x, y);
  return isMaximum ? b.select(first, y, x) : b.select(first, x, y);
}

Id Scalars::absoluteInteger(Id x) {
  return b.select(lessSigned(x, like(x, 0)), b.unary(Op::OpSNegate, x), x);
}

Id Scalars::leadingZeros(Id x) {
  uint32_t bits = m.infoOf(x).bits;
  if (bits == 64) {
    Id high = b.cast(Op::OpUConvert, shiftRight(x, u32(32)), m.intType(32)),
       low = b.cast(Op::OpUConvert, x, m.intType(32));
    Id count = b.select(same(high, u32(0)), add(leadingZeros(low), u32(32)), leadingZeros(high));
    return b.cast(Op::OpUConvert, count, m.typeOf(x));
  }
  Id wide = bits == 32 ? x : b.cast(Op::OpUConvert, x, m.intType(32));
  // The number of the highest set bit, -1 without one.
  Id count = sub(u32(bits - 1), extended(GLSLstd450FindUMsb, {wide}));
  return bits == 32 ? count : b.cast(Op::OpUConvert, count, m.typeOf(x));
}

Id Scalars::populationCount(Id x) {
  uint32_t bits = m.infoOf(x).bits;
  if (bits == 32)
    return b.unary(Op::OpBitCount, x);
  Id low = b.unary(Op::OpBitCount, b.cast(Op::OpUConvert, x, m.intType(32)));
  if (bits == 64)
    low = add(low, b.unary(Op::OpBitCount, b.cast(Op::OpUConvert, shiftRight(x, u32(32)), m.intType(32))));
  return b.cast(Op::OpUConvert, low, m.typeOf(x));
}

/// The bits below the lowest set one, counted; of 0 they are all.
Id Scalars::trailingZeros(Id x) { return populationCount(both(b.unary(Op::OpNot, x), sub(x, like(x, 1)))); }

Id Scalars::multiplyHigh(Id x, Id y, bool isSigned) {
  uint32_t bits = m.infoOf(x).bits;
  Id narrow = m.typeOf(x);
  if (bits < 64) {
    Id wide = m.intType(2 * bits);
    Op widen = isSigned ? Op::OpSConvert : Op::OpUConvert;
    Id product = mul(b.cast(widen, x, wide), b.cast(widen, y, wide));
    return b.cast(Op::OpUConvert, shiftRight(product, u32(bits)), narrow);
  }
  // Halves of 32 bits: (xh, xl) * (yh, yl), with the carries of the middle products.
  auto low = [&](Id value) { return both(value, like(x, 0xffffffff)); };
  auto high = [&](Id value) { return shiftRight(value, u32(32)); };
  Id first = mul(low(x), low(y)), left = mul(high(x), low(y)), right = mul(low(x), high(y));
  Id middle = add(add(high(first), low(left)), low(right));
  Id product = add(add(mul(high(x), high(y)), high(left)), add(high(right), high(middle)));
  if (!isSigned)
    return product;
  // As unsigned, a negative factor counts 2^64 too much.
  Id zero = like(x, 0);
  product = sub(product, b.select(b.compare(Op::OpSLessThan, x, zero), y, zero));
  return sub(product, b.select(b.compare(Op::OpSLessThan, y, zero), x, zero));
}

} // namespace tegula::vulkan
