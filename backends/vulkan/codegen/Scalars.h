// Arithmetic on single elements with the simt level's semantics, built from Vulkan's guarantees. This class does not
// use MLIR and does not know kernels. An element is an id of its register type: bool for i1, integers of 8 to 64 bits,
// floats for f16, f32 and f64. bf16 and 8-bit floats are held as integers of their bits and computed in f32; so is f16
// where the profile lacks it. Integers of 8 and 16 bits that the profile lacks are held zero-extended in 32. Vulkan
// rounds sums, products and conversions correctly, but allows an error of 2.5 ulp for quotients and about 5 ulp for
// square roots. If the correctly rounded result is required, the device's result is an estimate that integer arithmetic
// corrects (Exact.cpp).
#pragma once

#include "backends/vulkan/Profiles.h"
#include "backends/vulkan/spirv/Builder.h"

#include <span>
#include <utility>
#include <vector>

namespace tegula::vulkan {

/// The deviations from exact semantics that an op's fast-math flags allow.
struct FastMath {
  bool contract = false;    // contract: products and sums may be fused
  bool approximate = false; // afn: the device's own function may be used
  bool reciprocal = false;  // arcp: a quotient may be a product with 1 / divisor
};

class Scalars {
public:
  using Id = spirv::Id;

  Scalars(spirv::Builder &builder, const Profile &profile) : b(builder), m(builder.module()), profile_(profile) {}

  // --- types and constants ---
  Id type(ScalarType type);
  Id constant(ScalarType type, uint64_t bits);
  Id u32(uint32_t value) { return m.constantU32(value); }
  Id f32(float value) { return m.constantF32(value); }
  /// A constant of type f16, f32 or f64.
  Id number(ScalarType type, double value);
  /// bitsType: the integer type of an element's width (for i1: bool). bits: the element's bits in this type; fromBits
  /// is the inverse.
  Id bitsType(ScalarType type);
  Id bits(ScalarType type, Id value);
  Id fromBits(ScalarType type, Id bits);
  /// True if registers hold the type as bits and compute it in f32: bf16, the 8-bit floats, and f16 if the profile does
  /// not have it.
  bool isSoft(ScalarType type) const;
  /// True if registers have integers of the element's width; otherwise a 32-bit integer holds its bits, zero-extended.
  bool isHeld(ScalarType type) const;
  /// toWord zero-extends the element's bits to a 32-bit word; fromWord makes an element of the word's lower bits. For
  /// types of at most 16 bits, including i1.
  Id toWord(ScalarType type, Id value);
  Id fromWord(ScalarType type, Id word);
  /// Extends an integer of fewer than 32 bits to 32 bits; leaves wider ones unchanged.
  Id widen(ScalarType type, Id value, bool isSigned);

  // --- conversions (Conversions.cpp) ---
  /// Converts to f32: exactly, except from f64, which the device rounds.
  Id toF32(ScalarType from, Id value);
  /// Converts from f32, rounded once, to nearest even or towards zero. core/support/FloatFormats.h defines overflow.
  Id fromF32(ScalarType to, Id value, bool towardZero = false);
  Id convertFloat(ScalarType from, ScalarType to, Id value, bool towardZero = false);
  Id integerToFloat(ScalarType from, ScalarType to, Id value, bool isSigned);
  /// Keeps NVIDIA's compiler from removing a conversion of f32 to f16 and back. After this call, values rounded to f16
  /// pass through an integer operation with `zero` (u32), a zero that no compiler can know before the kernel runs.
  void keepHalvesRounded(Id zero) { unknownZero_ = b.cast(spv::Op::OpUConvert, zero, m.intType(16)); }
  Id floatToInteger(ScalarType from, ScalarType to, Id value, bool isSigned);
  Id resize(ScalarType from, ScalarType to, Id value, bool isSigned);

  // --- floats (Floats.cpp) ---
  /// `op`: OpFAdd, OpFSub or OpFMul.
  Id arithmetic(spv::Op op, ScalarType type, Id x, Id y, FastMath fast = {});
  /// Fused multiply-add. f16 and narrower: correctly rounded. f32 and f64: GLSL's Fma, which rounds once only if the
  /// device has a fused instruction.
  Id fma(ScalarType type, Id x, Id y, Id z);
  /// Minimum or maximum. If one operand is NaN: with `number` the result is the other operand, otherwise NaN. Without
  /// `number`, -0 is less than +0.
  Id extremum(ScalarType type, Id x, Id y, bool isMaximum, bool number);
  Id negate(ScalarType type, Id value);
  Id absolute(ScalarType type, Id value);
  Id copySign(ScalarType type, Id magnitude, Id sign);
  /// Compares two floats by `op`, a comparison of SPIR-V such as OpFOrdEqual. If an operand is NaN, an ordered
  /// comparison is false, an unordered one true.
  Id compareFloats(spv::Op op, ScalarType type, Id x, Id y);
  Id isUnordered(ScalarType type, Id x, Id y);

  // --- exact results (Exact.cpp) ---
  /// Divides whole register tiles, because all elements share one branch between the fast path, for common operands,
  /// and the general path.
  std::vector<Id> divide(ScalarType type, std::span<const Id> x, std::span<const Id> y, FastMath fast);
  std::vector<Id> squareRoots(ScalarType type, std::span<const Id> x, FastMath fast);
  /// C's fmod: exact; the result has the sign of x.
  Id remainder(ScalarType type, Id x, Id y);

  // --- integers (Integers.cpp) ---
  /// `op`: OpIAdd, OpSDiv, OpShiftRightArithmetic, ..., or OpSRem for C's remainder.
  Id integer(spv::Op op, ScalarType type, Id x, Id y);
  Id longRemainder(Id x, Id y);
  Id divideUp(ScalarType type, Id x, Id y, bool isSigned);
  Id divideDown(ScalarType type, Id x, Id y);
  Id extremumInteger(ScalarType type, Id x, Id y, bool isMaximum, bool isSigned);
  Id absoluteInteger(ScalarType type, Id x);
  Id leadingZeros(ScalarType type, Id x);
  Id trailingZeros(ScalarType type, Id x);
  Id populationCount(ScalarType type, Id x);
  /// The high half of x * y, where the product has twice the width of x and y.
  Id multiplyHigh(ScalarType type, Id x, Id y, bool isSigned);

  // --- functions of math.*, by their name in the dialect (Functions.cpp); 0: unknown for this type ---
  Id function(std::string_view name, ScalarType type, Id x);
  /// 2^x in f32: the device's Exp2; for subnormal results exp2(x + 24), scaled by 2^-24. Needs Feature::Exp2.
  Id exp2(Id x);
  Id power(ScalarType type, Id x, Id y);
  Id arcTangent2(ScalarType type, Id y, Id x);

  spirv::Builder &b;
  spirv::Module &m;

  // Short names for single instructions, for the files that implement this class.
  Id add(Id x, Id y) { return b.binary(spv::Op::OpIAdd, x, y); }
  Id sub(Id x, Id y) { return b.binary(spv::Op::OpISub, x, y); }
  Id mul(Id x, Id y) { return b.binary(spv::Op::OpIMul, x, y); }
  Id both(Id x, Id y) { return b.binary(isBool(x) ? spv::Op::OpLogicalAnd : spv::Op::OpBitwiseAnd, x, y); }
  Id either(Id x, Id y) { return b.binary(isBool(x) ? spv::Op::OpLogicalOr : spv::Op::OpBitwiseOr, x, y); }
  Id differ(Id x, Id y) { return b.binary(isBool(x) ? spv::Op::OpLogicalNotEqual : spv::Op::OpBitwiseXor, x, y); }
  Id shiftLeft(Id x, Id by) { return b.binary(spv::Op::OpShiftLeftLogical, x, by); }
  Id shiftRight(Id x, Id by) { return b.binary(spv::Op::OpShiftRightLogical, x, by); }
  Id invert(Id condition) { return b.unary(spv::Op::OpLogicalNot, condition); }
  Id same(Id x, Id y) { return b.compare(spv::Op::OpIEqual, x, y); }
  Id below(Id x, Id y) { return b.compare(spv::Op::OpULessThan, x, y); }
  /// x < y, signed. For 64 bits, both sign bits are inverted and the operands are compared as unsigned, because Mesa
  /// 22.3 wrongly folds signed comparisons of a sign-extended i32 with a 64-bit constant.
  Id lessSigned(Id x, Id y);
  /// A constant that has the integer type of `x`.
  Id like(Id x, uint64_t value) { return m.constant(m.typeOf(x), value); }
  bool isBool(Id x) { return m.infoOf(x).op == spv::Op::OpTypeBool; }

private:
  /// Narrows an integer of 32 bits (64 for a 64-bit `type`) to `type`, keeping the low bits.
  Id narrow(ScalarType type, Id value);
  bool hasHalf() const { return profile_.features.has(Feature::Float16) && profile_.features.has(Feature::Int16); }
  Id countOnes(Id x);
  Id countLeading(Id x);
  std::pair<Id, Id> split(Id magnitude);
  struct FusedNumbers;
  Id all(std::span<const Id> conditions);
  Id suitsFused(Id bits);
  Id suitFusedDivision(Id x, Id y);
  Id divideF32(Id x, Id y);
  Id squareRootF32(Id x);
  Id fromF32OrWider(ScalarType to, Id value);
  Id roundToOdd(Id wide);
  Id isSpecial(Id bits);
  Id encode(ScalarType to, Id value, bool towardZero);
  Id decode(ScalarType from, Id value);
  Id extended(uint32_t instruction, std::initializer_list<Id> operands);
  Id multiply(Id x, Id y) { return b.exact(b.binary(spv::Op::OpFMul, x, y)); }
  Id plus(Id x, Id y) { return b.exact(b.binary(spv::Op::OpFAdd, x, y)); }
  Id minus(Id x, Id y) { return b.exact(b.binary(spv::Op::OpFSub, x, y)); }
  Id functionF32(std::string_view name, Id x);
  Id truncatedF64(spirv::Id x);
  Id roundedToEvenF64(spirv::Id x);

  const Profile &profile_;
  Id unknownZero_ = 0; // an i16 zero that compilers cannot know; 0: not used
};

} // namespace tegula::vulkan
