// Quotients, square roots and remainders, correctly rounded on every device. The operands' significands become
// integers. The device's division or square root gives an estimate with an error of a few units of the 25th bit; from
// it the integer quotient (or root) and its remainder are computed. The remainder is small, so it is computed modulo
// 2^32. The result is rounded by its last bit and by whether the remainder is zero. Errors that Vulkan allows: 2.5 ulp
// for OpFDiv; for Sqrt those of 1 / inversesqrt, about 5 ulp.
#include "backends/vulkan/codegen/Fused.h"
#include "backends/vulkan/codegen/Scalars.h"
#include "core/support/Diagnostic.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <limits>

namespace tegula::vulkan {

using spirv::Id;
using spv::Op;

namespace {
constexpr uint32_t kOne = 1u << 23; // the leading bit of f32's significand
constexpr uint32_t kExponents = 0x7f800000;
} // namespace

/// Splits the bits of a positive number into its significand, with the leading one at bit 23, and its biased exponent.
/// Subnormal numbers are normalised; their exponent is then below 1.
std::pair<Id, Id> Scalars::split(Id magnitude) {
  Id isTiny = below(magnitude, u32(kOne));
  Id shift = sub(u32(23), extended(GLSLstd450FindUMsb, {either(magnitude, u32(1))}));
  shift = b.select(isTiny, shift, u32(0));
  Id digits = b.select(isTiny, shiftLeft(magnitude, shift), either(both(magnitude, u32(kOne - 1)), u32(kOne)));
  Id exponent = b.select(isTiny, sub(u32(1), shift), shiftRight(magnitude, u32(23)));
  return {digits, exponent};
}

Id Scalars::divideF32(Id x, Id y) {
  Id f32Type = m.floatType(32), i32 = m.intType(32);
  Id xBits = b.bitcast(x, i32), yBits = b.bitcast(y, i32);
  Id xMagnitude = both(xBits, u32(0x7fffffff)), yMagnitude = both(yBits, u32(0x7fffffff));
  // Zeros, infinities and NaN are divided by the device's division.
  auto isPlain = [&](Id magnitude) { return below(sub(magnitude, u32(1)), u32(kExponents - 1)); };
  Id plain = both(isPlain(xMagnitude), isPlain(yMagnitude));
  auto [a, aExponent] = split(xMagnitude);
  auto [d, dExponent] = split(yMagnitude);
  // Scales a so that a / d is in [1, 2); `exponent` is the quotient's biased exponent.
  Id isSmaller = below(a, d);
  a = b.select(isSmaller, shiftLeft(a, u32(1)), a);
  Id exponent = sub(add(sub(aExponent, dExponent), u32(127)), b.select(isSmaller, u32(1), u32(0)));
  Id estimate =
      b.exact(b.binary(Op::OpFDiv, b.cast(Op::OpConvertUToF, a, f32Type), b.cast(Op::OpConvertUToF, d, f32Type)));
  Id quotient = sub(b.cast(Op::OpConvertFToU, multiply(estimate, f32(0x1p24f)), i32), u32(8));
  Id rest = sub(shiftLeft(a, u32(24)), mul(quotient, d)); // 0 <= rest < 16 d
  for (uint32_t step = 8; step; step /= 2) {
    Id more = mul(d, u32(step)), fits = b.compare(Op::OpUGreaterThanEqual, rest, more);
    rest = b.select(fits, sub(rest, more), rest);
    quotient = b.select(fits, add(quotient, u32(step)), quotient);
  }
  // Of the quotient's 25 bits 24 are kept, or fewer for a subnormal result.
  Id missing = b.select(b.compare(Op::OpSLessThan, exponent, u32(1)), sub(u32(1), exponent), u32(0));
  Id shift = add(b.select(below(missing, u32(25)), missing, u32(25)), u32(1));
  Id kept = shiftRight(quotient, shift), lost = sub(quotient, shiftLeft(kept, shift)),
     half = shiftLeft(u32(1), sub(shift, u32(1)));
  Id isTie = same(lost, half), isOdd = same(both(kept, u32(1)), u32(1));
  Id hasRest = b.compare(Op::OpINotEqual, rest, u32(0));
  Id up = either(below(half, lost), both(isTie, either(hasRest, isOdd)));
  kept = add(kept, b.select(up, u32(1), u32(0)));
  Id base = b.select(b.compare(Op::OpSLessThan, exponent, u32(1)), u32(0), shiftLeft(sub(exponent, u32(1)), u32(23)));
  Id magnitude = add(base, kept); // the leading one is added to the exponent
  magnitude = b.select(b.compare(Op::OpSGreaterThan, exponent, u32(254)), u32(kExponents), magnitude);
  Id sign = both(differ(xBits, yBits), u32(0x80000000));
  Id exact = b.bitcast(either(magnitude, sign), f32Type);
  return b.select(plain, exact, b.exact(b.binary(Op::OpFDiv, x, y)));
}

struct Scalars::FusedNumbers {
  using Number = Id;
  Scalars &s;
  Id number(float value) { return s.f32(value); }
  Id fma(Id x, Id y, Id z) { return s.fma(ScalarType::F32, x, y, z); }
  Id multiply(Id x, Id y) { return s.multiply(x, y); }
  Id negate(Id x) { return s.negate(ScalarType::F32, x); }
  Id magnitude(Id x) { return s.absolute(ScalarType::F32, x); }
  Id withSign(Id x, Id sign) { return s.copySign(ScalarType::F32, x, sign); }
  Id inverseRoot(Id x) { return s.extended(GLSLstd450InverseSqrt, {x}); }
  Id selectIfZero(Id x, Id yes, Id no) { return s.b.select(s.b.compare(Op::OpFOrdEqual, x, s.f32(0)), yes, no); }
};

/// The conjunction of all elements' conditions: the whole tile takes one branch, because unsuitable operands are rare.
Id Scalars::all(std::span<const Id> conditions) {
  Id result = conditions.front();
  for (Id condition : conditions.subspan(1))
    result = both(result, condition);
  return result;
}

Id Scalars::suitsFused(Id bits) { return below(sub(bits, u32(kFusedLeast)), u32(kFusedEnd - kFusedLeast)); }

Id Scalars::suitFusedDivision(Id x, Id y) {
  auto magnitude = [&](Id value) { return both(b.bitcast(value, m.intType(32)), u32(0x7fffffff)); };
  Id dividend = magnitude(x), divisor = magnitude(y);
  Id suits = both(either(suitsFused(dividend), same(dividend, u32(0))), suitsFused(divisor));
  return both(suits, below(both(divisor, u32(kOne - 1)), u32(kFusedDivisorDigits)));
}

std::vector<Id> Scalars::divide(ScalarType type, std::span<const Id> x, std::span<const Id> y, FastMath fast) {
  auto each = [&](auto divideOne) {
    std::vector<Id> quotients;
    for (size_t i = 0; i < x.size(); ++i)
      quotients.push_back(type == ScalarType::F64 ? divideOne(x[i], y[i])
                                                  : fromF32(type, divideOne(toF32(type, x[i]), toF32(type, y[i]))));
    return quotients;
  };
  if (fast.reciprocal || fast.approximate)
    return each([&](Id a, Id d) { return b.binary(Op::OpFDiv, a, d); });
  if (type == ScalarType::F64) // f64: the device's own division
    return each([&](Id a, Id d) { return b.exact(b.binary(Op::OpFDiv, a, d)); });
  auto anyOperands = [&] { return each([&](Id a, Id d) { return divideF32(a, d); }); };
  if (!profile_.features.has(Feature::FusedMultiplyAdd32))
    return anyOperands();
  std::vector<Id> suits;
  for (size_t i = 0; i < x.size(); ++i)
    suits.push_back(suitFusedDivision(toF32(type, x[i]), toF32(type, y[i])));
  FusedNumbers numbers{*this};
  auto fused = [&] { return each([&](Id a, Id d) { return divideFused(numbers, a, d); }); };
  return b.ifThenElse(all(suits), fused, anyOperands);
}

Id Scalars::squareRootF32(Id x) {
  Id f32Type = m.floatType(32), i32 = m.intType(32), bits = b.bitcast(x, i32);
  Id plain = below(sub(bits, u32(1)), u32(kExponents - 1)); // positive, finite, not zero
  auto [digits, exponent] = split(both(bits, u32(0x7fffffff)));
  // Here digits * 2^k is the operand, with an even k and digits in [2^23, 2^25): then root * 2^-24 = sqrt(digits *
  // 2^-23) is in [1, 2).
  Id isOdd = same(both(exponent, u32(1)), u32(0)); // exponent is biased by an odd number
  digits = b.select(isOdd, shiftLeft(digits, u32(1)), digits);
  Id scaled = multiply(b.cast(Op::OpConvertUToF, digits, f32Type), f32(0x1p-23f));
  Id estimate = multiply(extended(GLSLstd450Sqrt, {scaled}), f32(0x1p24f));
  Id root = sub(b.cast(Op::OpConvertFToU, estimate, i32), u32(16));
  Id rest = sub(shiftLeft(digits, u32(25)), mul(root, root)); // digits * 2^25 - root^2, modulo 2^32; below 2^31
  for (uint32_t step = 16; step; step /= 2) {                 // (root + step)^2 = root^2 + step * (2 root + step)
    Id more = mul(add(shiftLeft(root, u32(1)), u32(step)), u32(step));
    Id fits = b.compare(Op::OpUGreaterThanEqual, rest, more);
    rest = b.select(fits, sub(rest, more), rest);
    root = b.select(fits, add(root, u32(step)), root);
  }
  // There are no ties: a root of 25 bits that is odd has an odd square, but digits * 2^25 is even.
  Id kept = shiftRight(add(root, u32(1)), u32(1));
  // The result's biased exponent is (exponent - 127 - odd) / 2 + 127; it is computed minus one, because the sum below
  // adds the significand's leading bit to it.
  Id half = shiftRight(add(sub(exponent, b.select(isOdd, u32(1), u32(0))), u32(127)), u32(1));
  Id magnitude = add(shiftLeft(sub(half, u32(1)), u32(23)), kept);
  // Negative subnormal operands are given NaN here, because devices may treat them as zero.
  Id special = b.select(below(u32(0x80000000), bits), f32(std::numeric_limits<float>::quiet_NaN()),
                        extended(GLSLstd450Sqrt, {x}));
  return b.select(plain, b.bitcast(magnitude, f32Type), special);
}

std::vector<Id> Scalars::squareRoots(ScalarType type, std::span<const Id> x, FastMath fast) {
  auto each = [&](auto rootOf) {
    std::vector<Id> roots;
    for (Id one : x)
      roots.push_back(type == ScalarType::F64 ? rootOf(one) : fromF32(type, rootOf(toF32(type, one))));
    return roots;
  };
  if (type == ScalarType::F64 || fast.approximate) // by the device's own square root
    return each([&](Id a) { return extended(GLSLstd450Sqrt, {a}); });
  auto anyOperands = [&] { return each([&](Id a) { return squareRootF32(a); }); };
  if (!profile_.features.has(Feature::FusedMultiplyAdd32))
    return anyOperands();
  std::vector<Id> suits;
  for (Id one : x)
    suits.push_back(suitsFused(b.bitcast(toF32(type, one), m.intType(32)))); // false if the sign bit is set
  FusedNumbers numbers{*this};
  auto fused = [&] { return each([&](Id a) { return squareRootFused(numbers, a); }); };
  return b.ifThenElse(all(suits), fused, anyOperands);
}

/// C's fmod: long division of x's significand by y's. Each step appends up to 8 zero bits to the rest of x.
Id Scalars::remainder(ScalarType type, Id x, Id y) {
  if (type == ScalarType::F64)
    throw InternalError("remainders of f64 are refused before");
  if (type != ScalarType::F32)
    return fromF32(type, remainder(ScalarType::F32, toF32(type, x), toF32(type, y)));
  Id f32Type = m.floatType(32), i32 = m.intType(32);
  Id xBits = b.bitcast(x, i32), xMagnitude = both(xBits, u32(0x7fffffff));
  Id yMagnitude = both(b.bitcast(y, i32), u32(0x7fffffff));
  auto [a, aExponent] = split(xMagnitude);
  auto [d, dExponent] = split(yMagnitude);
  Id steps = sub(aExponent, dExponent); // bits of the quotient after the first
  Id first = b.select(below(a, d), a, sub(a, d));
  Id start[] = {first, steps};
  auto rounds = b.loop(
      start,
      [&](const spirv::Builder::Ids &carried, spirv::Builder::Ids &forwarded) {
        forwarded = carried;
        return b.compare(Op::OpSGreaterThan, carried[1], u32(0));
      },
      [&](const spirv::Builder::Ids &now) {
        Id count = b.select(below(now[1], u32(8)), now[1], u32(8));
        return spirv::Builder::Ids{b.binary(Op::OpUMod, shiftLeft(now[0], count), d), sub(now[1], count)};
      });
  // The remainder `rest` is an integer that counts units of y's last bit. To make a float of it, it is shifted left
  // until its leading bit is bit 23, or by fewer bits if the result is subnormal.
  Id rest = rounds[0];
  Id shift = sub(u32(23), extended(GLSLstd450FindUMsb, {either(rest, u32(1))}));
  Id room = sub(dExponent, u32(1)); // by how much the exponent can decrease until the result is subnormal
  room = b.select(b.compare(Op::OpSLessThan, room, u32(0)), u32(0), room);
  Id deeper = b.select(b.compare(Op::OpSLessThan, dExponent, u32(1)), sub(u32(1), dExponent), u32(0));
  shift = b.select(b.compare(Op::OpSLessThan, room, shift), room, shift);
  Id moved = shiftRight(shiftLeft(rest, shift), deeper);
  Id base = shiftLeft(sub(sub(dExponent, u32(1)), shift), u32(23));
  base = b.select(either(b.compare(Op::OpSLessThan, dExponent, u32(2)), below(moved, u32(kOne))), u32(0), base);
  Id found = add(base, moved);
  found = either(found, both(xBits, u32(0x80000000)));
  Id result = b.bitcast(b.select(below(xMagnitude, yMagnitude), xBits, found), f32Type);
  Id isBad = either(either(b.compare(Op::OpUGreaterThanEqual, xMagnitude, u32(kExponents)), same(yMagnitude, u32(0))),
                    below(u32(kExponents), yMagnitude));
  return b.select(isBad, b.bitcast(u32(0x7fc00000), f32Type), result);
}

} // namespace tegula::vulkan
