// Prints sums, products, minima, maxima, signs and comparisons of floats.
#include "backends/vulkan/codegen/Scalars.h"

#include <spirv/unified1/GLSL.std.450.h>

namespace tegula::vulkan {

using spirv::Id;
using spv::Op;

Id Scalars::arithmetic(Op op, ScalarType type, Id x, Id y, FastMath fast) {
  if (isSoft(type)) // f32 has enough bits (2p + 2), so that rounding twice equals rounding once
    return fromF32(type, b.exact(b.binary(op, toF32(type, x), toF32(type, y))));
  Id result = b.binary(op, x, y);
  return fast.contract ? result : b.exact(result);
}

/// x * y + z with one rounding, for types narrower than f32: the product is exact in f32. The sum is rounded to odd
/// (its last bit is set if bits were lost), so that rounding it to the narrow format gives the correctly rounded result
/// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", IEEE Transactions on Computers 57, 2008).
Id Scalars::fma(ScalarType type, Id x, Id y, Id z) {
  if (type == ScalarType::F32 || type == ScalarType::F64)
    return b.exact(extended(GLSLstd450Fma, {x, y, z}));
  Id product = multiply(toF32(type, x), toF32(type, y)), addend = toF32(type, z);
  Id sum = plus(product, addend);
  // The sum's rounding error, by Knuth's TwoSum.
  Id back = minus(sum, product);
  Id error = plus(minus(product, minus(sum, back)), minus(addend, back));
  Id bits = this->bits(ScalarType::F32, sum), errorBits = this->bits(ScalarType::F32, error);
  Id isExact = invert(both(b.compare(Op::OpFOrdNotEqual, error, f32(0)), // ordered: an infinite sum has a NaN error
                           invert(isSpecial(bits))));
  // If the signs of the error and of the sum are opposite, the sum's magnitude was rounded up.
  Id opposed = b.compare(Op::OpSLessThan, differ(bits, errorBits), u32(0));
  Id odd = either(b.select(opposed, sub(bits, u32(1)), bits), u32(1));
  Id isOdd = b.compare(Op::OpINotEqual, both(bits, u32(1)), u32(0));
  Id rounded = b.select(either(isExact, isOdd), bits, odd);
  return fromF32(type, fromBits(ScalarType::F32, rounded));
}

/// True if the bits of an f32 are an infinity or NaN.
Id Scalars::isSpecial(Id bits) {
  return b.compare(Op::OpUGreaterThanEqual, both(bits, u32(0x7fffffff)), u32(0x7f800000));
}

Id Scalars::extremum(ScalarType type, Id x, Id y, bool isMaximum, bool number) {
  if (isSoft(type))
    return fromF32(type, extremum(ScalarType::F32, toF32(type, x), toF32(type, y), isMaximum, number));
  if (number)
    return extended(isMaximum ? GLSLstd450NMax : GLSLstd450NMin, {x, y});
  Id larger = b.compare(isMaximum ? Op::OpFOrdGreaterThan : Op::OpFOrdLessThan, x, y);
  Id chosen = b.select(larger, x, y);
  // Operands that compare equal differ at most in the sign of zero.
  Id equal = b.compare(Op::OpFOrdEqual, x, y), left = bits(type, x), right = bits(type, y);
  chosen = b.select(equal, fromBits(type, isMaximum ? both(left, right) : either(left, right)), chosen);
  chosen = b.select(b.op(Op::OpIsNan, m.boolType(), {x}), x, chosen);
  return b.select(b.op(Op::OpIsNan, m.boolType(), {y}), y, chosen);
}

Id Scalars::negate(ScalarType type, Id value) {
  if (!isSoft(type))
    return b.unary(Op::OpFNegate, value);
  return differ(value, like(value, uint64_t(1) << (bitWidth(type) - 1)));
}

Id Scalars::absolute(ScalarType type, Id value) {
  uint64_t mask = (uint64_t(1) << (bitWidth(type) - 1)) - 1;
  Id raw = bits(type, value);
  return fromBits(type, both(raw, like(raw, mask)));
}

Id Scalars::copySign(ScalarType type, Id magnitude, Id sign) {
  uint64_t top = uint64_t(1) << (bitWidth(type) - 1);
  Id left = bits(type, magnitude), right = bits(type, sign);
  return fromBits(type, either(both(left, like(left, top - 1)), both(right, like(right, top))));
}

Id Scalars::isUnordered(ScalarType type, Id x, Id y) {
  if (isSoft(type))
    return isUnordered(ScalarType::F32, toF32(type, x), toF32(type, y));
  return either(b.op(Op::OpIsNan, m.boolType(), {x}), b.op(Op::OpIsNan, m.boolType(), {y}));
}

Id Scalars::compareFloats(Op op, ScalarType type, Id x, Id y) {
  return isSoft(type) ? b.compare(op, toF32(type, x), toF32(type, y)) : b.compare(op, x, y);
}

} // namespace tegula::vulkan
