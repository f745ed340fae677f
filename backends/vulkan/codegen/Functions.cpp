// Prints functions of math.* by GLSL.std.450, whose accuracy is low: exp2 and log2 have errors of a few ulp near 1, sin
// and cos of 2^-11 absolute on [-pi, pi]. They serve ops with the flag `afn` and functions that core/math does not
// have. The pass simt-expand-math has replaced all others, except exp2 on devices where it is accurate. Narrow floats
// are computed in f32 and rounded. For f64, GLSL has only the rounding functions.
#include "backends/vulkan/codegen/Scalars.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <map>

namespace tegula::vulkan {

using spirv::Id;
using spv::Op;

namespace {

constexpr float kLog2Of10 = 3.321928095f, kLn2 = 0.693147181f;

/// The GLSL instruction that is equivalent to the function; 0 if there is none.
uint32_t plainFunction(std::string_view name) {
  static const std::map<std::string_view, uint32_t> table = {
      {"exp", GLSLstd450Exp},           {"exp2", GLSLstd450Exp2},   {"log", GLSLstd450Log},
      {"log2", GLSLstd450Log2},         {"sin", GLSLstd450Sin},     {"cos", GLSLstd450Cos},
      {"tan", GLSLstd450Tan},           {"asin", GLSLstd450Asin},   {"acos", GLSLstd450Acos},
      {"atan", GLSLstd450Atan},         {"sinh", GLSLstd450Sinh},   {"cosh", GLSLstd450Cosh},
      {"asinh", GLSLstd450Asinh},       {"acosh", GLSLstd450Acosh}, {"atanh", GLSLstd450Atanh},
      {"rsqrt", GLSLstd450InverseSqrt},
  };
  auto found = table.find(name);
  return found == table.end() ? 0 : found->second;
}

uint32_t roundingFunction(std::string_view name) {
  return name == "floor"       ? GLSLstd450Floor
         : name == "ceil"      ? GLSLstd450Ceil
         : name == "trunc"     ? GLSLstd450Trunc
         : name == "roundeven" ? GLSLstd450RoundEven
                               : 0;
}

} // namespace

Id Scalars::functionF32(std::string_view name, Id x) {
  if (uint32_t plain = plainFunction(name))
    return extended(plain, {x});
  auto exp = [&](Id value) { return extended(GLSLstd450Exp, {value}); };
  auto log2 = [&](Id value) { return extended(GLSLstd450Log2, {value}); };
  Id one = f32(1);
  if (name == "log10")
    return multiply(log2(x), f32(1 / kLog2Of10));
  if (name == "log1p") { // log(u) * x / (u - 1), where u = 1 + x, rounded (Kahan)
    Id u = plus(one, x), over = minus(u, one);
    Id corrected = multiply(log2(u), multiply(f32(kLn2), b.binary(Op::OpFDiv, x, over)));
    Id isInfinite = b.op(Op::OpIsInf, m.boolType(), {x});
    return b.select(b.compare(Op::OpFOrdEqual, over, f32(0)), x, b.select(isInfinite, x, corrected));
  }
  if (name == "expm1") { // (u - 1) * x / log(u), where u = exp(x), rounded (Kahan)
    Id u = exp(x), over = minus(u, one);
    Id corrected = multiply(over, b.binary(Op::OpFDiv, x, multiply(log2(u), f32(kLn2))));
    Id isFar = either(b.compare(Op::OpFOrdLessThan, x, f32(-17)), b.compare(Op::OpFOrdGreaterThan, x, f32(88)));
    return b.select(b.compare(Op::OpFOrdEqual, over, f32(0)), x, b.select(isFar, over, corrected));
  }
  if (name == "tanh") { // 1 - 2 / (exp(2 |x|) + 1); near 0 a Taylor series
    Id size = absolute(ScalarType::F32, x), square = multiply(x, x);
    Id far = minus(one, b.binary(Op::OpFDiv, f32(2), plus(exp(plus(size, size)), one)));
    Id series = plus(f32(-1.0f / 3), multiply(square, plus(f32(2.0f / 15), multiply(square, f32(-17.0f / 315)))));
    Id near = plus(size, multiply(size, multiply(square, series)));
    return copySign(ScalarType::F32, b.select(b.compare(Op::OpFOrdLessThan, size, f32(0.25f)), near, far), x);
  }
  if (name == "erf") { // Abramowitz and Stegun, 7.1.26: absolute error 1.5e-7
    Id size = absolute(ScalarType::F32, x);
    Id t = b.binary(Op::OpFDiv, one, plus(one, multiply(f32(0.3275911f), size)));
    Id sum = f32(1.061405429f);
    for (float coefficient : {-1.453152027f, 1.421413741f, -0.284496736f, 0.254829592f})
      sum = plus(multiply(sum, t), f32(coefficient));
    Id rest = multiply(multiply(sum, t), exp(b.unary(Op::OpFNegate, multiply(size, size))));
    return copySign(ScalarType::F32, minus(one, rest), x);
  }
  if (name == "cbrt") { // the estimate exp2(log2 |x| / 3), improved by one Newton step
    Id size = absolute(ScalarType::F32, x);
    Id root = extended(GLSLstd450Exp2, {multiply(log2(size), f32(1.0f / 3))});
    Id error = minus(root, b.binary(Op::OpFDiv, size, multiply(root, root)));
    root = minus(root, multiply(error, f32(1.0f / 3)));
    Id isSpecial = either(b.compare(Op::OpFOrdEqual, size, f32(0)), this->isSpecial(b.bitcast(x, m.intType(32))));
    return b.select(isSpecial, x, copySign(ScalarType::F32, root, x));
  }
  return 0;
}

Id Scalars::exp2(Id x) {
  Id isTiny = b.compare(Op::OpFOrdLessThan, x, f32(-126)); // for subnormal results the instruction gives 0
  Id power = extended(GLSLstd450Exp2, {b.select(isTiny, plus(x, f32(24)), x)});
  return b.select(isTiny, multiply(power, f32(0x1p-24f)), power);
}

// On processors without 512-bit vectors, Trunc and RoundEven of Mesa's llvmpipe leave f64 values beyond 2^31 unrounded
// (seen with Mesa 22.3); Floor and Ceil round them correctly.
Id Scalars::truncatedF64(Id x) {
  Id isBelow = b.compare(Op::OpFOrdLessThan, x, number(ScalarType::F64, 0));
  return b.select(isBelow, extended(GLSLstd450Ceil, {x}), extended(GLSLstd450Floor, {x}));
}

Id Scalars::roundedToEvenF64(Id x) {
  auto f64 = [&](double value) { return number(ScalarType::F64, value); };
  auto floor = [&](Id value) { return extended(GLSLstd450Floor, {value}); };
  Id below = floor(x), rest = b.exact(b.binary(Op::OpFSub, x, below)), half = b.binary(Op::OpFMul, below, f64(0.5));
  Id isOdd = b.compare(Op::OpFOrdNotEqual, floor(half), half);
  Id isMore = b.compare(Op::OpFOrdGreaterThan, rest, f64(0.5)), isHalf = b.compare(Op::OpFOrdEqual, rest, f64(0.5));
  Id step = b.select(either(isMore, both(isHalf, isOdd)), f64(1), f64(0));
  return b.exact(b.binary(Op::OpFAdd, below, step));
}

Id Scalars::function(std::string_view name, ScalarType type, Id x) {
  bool isWide = type == ScalarType::F64;
  if (!isWide && type != ScalarType::F32) {
    Id result = function(name, ScalarType::F32, toF32(type, x));
    return result ? fromF32(type, result) : 0;
  }
  if (isWide && name == "trunc")
    return copySign(type, truncatedF64(x), x);
  if (isWide && name == "roundeven")
    return copySign(type, roundedToEvenF64(x), x);
  if (uint32_t rounding = roundingFunction(name)) // a zero result gets the sign of x
    return copySign(type, extended(rounding, {x}), x);
  if (name == "round") { // halves round away from zero
    Id whole = isWide ? truncatedF64(x) : extended(GLSLstd450Trunc, {x}),
       rest = absolute(type, b.exact(b.binary(Op::OpFSub, x, whole)));
    Id more = b.compare(Op::OpFOrdGreaterThanEqual, rest, number(type, 0.5));
    Id step = b.select(more, copySign(type, number(type, 1), x), number(type, 0));
    return copySign(type, b.exact(b.binary(Op::OpFAdd, whole, step)), x);
  }
  if (isWide && name == "rsqrt")
    return extended(GLSLstd450InverseSqrt, {x});
  return isWide ? 0 : functionF32(name, x);
}

/// exp2(y log2 |x|), with the signs and special cases of C's pow.
Id Scalars::power(ScalarType type, Id x, Id y) {
  if (type == ScalarType::F64)
    return 0;
  if (type != ScalarType::F32)
    return fromF32(type, power(ScalarType::F32, toF32(type, x), toF32(type, y)));
  Id size = absolute(type, x), zero = f32(0), one = f32(1);
  Id result = extended(GLSLstd450Exp2, {multiply(y, extended(GLSLstd450Log2, {size}))});
  Id isWhole = b.compare(Op::OpFOrdEqual, extended(GLSLstd450Trunc, {y}), y), half = multiply(y, f32(0.5f));
  Id isOdd = both(isWhole, b.compare(Op::OpFUnordNotEqual, extended(GLSLstd450Trunc, {half}), half));
  Id isNegative = b.compare(Op::OpSLessThan, b.bitcast(x, m.intType(32)), u32(0));
  Id isBelow = b.compare(Op::OpFOrdLessThan, x, zero);
  result = b.select(both(isNegative, isOdd), b.unary(Op::OpFNegate, result), result);
  Id isFinite = b.compare(Op::OpFOrdLessThan, size, b.bitcast(u32(0x7f800000), m.floatType(32)));
  result =
      b.select(both(both(isBelow, isFinite), invert(isWhole)), b.bitcast(u32(0x7fc00000), m.floatType(32)), result);
  Id isOne = either(b.compare(Op::OpFOrdEqual, y, zero), b.compare(Op::OpFOrdEqual, x, one));
  return b.select(isOne, one, result);
}

Id Scalars::arcTangent2(ScalarType type, Id y, Id x) {
  if (type == ScalarType::F64)
    return 0;
  if (type != ScalarType::F32)
    return fromF32(type, arcTangent2(ScalarType::F32, toF32(type, y), toF32(type, x)));
  return extended(GLSLstd450Atan2, {y, x});
}

} // namespace tegula::vulkan
