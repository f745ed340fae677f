// Arithmetic on single elements as the simt level means it, written with what Vulkan guarantees: no MLIR, no kernels.
// An element is an id of its register type: i1 a bool, integers of 8 to 64 bits, f16, f32 and f64 floats; bf16 and
// 8-bit floats are their bits, as integers, and are computed in f32. So is f16 where the profile has none; integers of
// 8 and 16 bits that it lacks are held in 32, their upper bits zero. Vulkan rounds sums, products and conversions
// correctly, but divides to 2.5 ulp and takes square roots to about 5: where a result must be the correctly rounded
// one, the device's is an estimate that integer arithmetic puts right (Exact.cpp).
#pragma once

#include "backends/vulkan/Profiles.h"
#include "backends/vulkan/spirv/Builder.h"

#include <span>
#include <utility>
#include <vector>

namespace tegula::vulkan {

/// What a result may differ by from the op's definition.
struct FastMath {
  bool contract = false;    // products and sums may be fused
  bool approximate = false; // afn: the device's function will do
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
  /// A float constant of f16, f32 or f64.
  Id number(ScalarType type, double value);
  /// The integer type of the element's width (i1: bool), and the element's bits in it, and the way back.
  Id bitsType(ScalarType type);
  Id bits(ScalarType type, Id value);
  Id fromBits(ScalarType type, Id bits);
  /// Whether registers hold bits of it that are computed with in f32: bf16, the 8-bit floats, and f16 without hardware.
  bool isSoft(ScalarType type) const;
  /// Whether registers have integers of the element's width; else its bits are the lower ones of 32, below zeros.
  bool isHeld(ScalarType type) const;
  /// The element's bits in a word of 32, below zeros, and back from a word's lower bits: types of at most 16 bits, i1
  /// too.
  Id toWord(ScalarType type, Id value);
  Id fromWord(ScalarType type, Id word);
  /// An integer of fewer than 32 bits as one of 32; wider ones as they are.
  Id widen(ScalarType type, Id value, bool isSigned);

  // --- conversions (Conversions.cpp) ---
  /// Exact for all formats but f64, which is rounded by the device.
  Id toF32(ScalarType from, Id value);
  /// Rounded once, to nearest even or towards zero; overflow as core/support/FloatFormats.h says.
  Id fromF32(ScalarType to, Id value, bool towardZero = false);
  Id convertFloat(ScalarType from, ScalarType to, Id value, bool towardZero = false);
  Id integerToFloat(ScalarType from, ScalarType to, Id value, bool isSigned);
  /// NVIDIA's compiler takes f32 to f16 and back for no conversion at all. From here on what is rounded to f16 goes
  /// through an operation that no compiler sees through: `zero` (u32) is one that is not known before the kernel runs.
  void keepHalvesRounded(Id zero) { unknownZero_ = b.cast(spv::Op::OpUConvert, zero, m.intType(16)); }
  Id floatToInteger(ScalarType from, ScalarType to, Id value, bool isSigned);
  Id resize(ScalarType from, ScalarType to, Id value, bool isSigned);

  // --- floats (Floats.cpp) ---
  /// OpFAdd, OpFSub, OpFMul.
  Id arithmetic(spv::Op op, ScalarType type, Id x, Id y, FastMath fast = {});
  /// f16 and narrower: rounded once. f32 and f64: fused where the device fuses GLSL's Fma.
  Id fma(ScalarType type, Id x, Id y, Id z);
  /// Ignores a NaN (number) or gives it back; the latter orders zeros by their sign.
  Id extremum(ScalarType type, Id x, Id y, bool isMaximum, bool number);
  Id negate(ScalarType type, Id value);
  Id absolute(ScalarType type, Id value);
  Id copySign(ScalarType type, Id magnitude, Id sign);
  /// SPIR-V's comparison, OpFOrdEqual, ...; false and true where it is ordered or unordered alone.
  Id compareFloats(spv::Op op, ScalarType type, Id x, Id y);
  Id isUnordered(ScalarType type, Id x, Id y);

  // --- exact results (Exact.cpp) ---
  /// Of whole register tiles, whose elements share the choice between a quick way and one for all operands.
  std::vector<Id> divide(ScalarType type, std::span<const Id> x, std::span<const Id> y, FastMath fast);
  std::vector<Id> squareRoots(ScalarType type, std::span<const Id> x, FastMath fast);
  /// C's fmod: the sign of x, exact.
  Id remainder(ScalarType type, Id x, Id y);

  // --- integers (Integers.cpp) ---
  /// OpIAdd, OpSDiv, OpShiftRightArithmetic, ... and OpSRem for C's remainder.
  Id integer(spv::Op op, ScalarType type, Id x, Id y);
  Id divideUp(ScalarType type, Id x, Id y, bool isSigned);
  Id divideDown(ScalarType type, Id x, Id y);
  Id extremumInteger(ScalarType type, Id x, Id y, bool isMaximum, bool isSigned);
  Id absoluteInteger(ScalarType type, Id x);
  Id leadingZeros(ScalarType type, Id x);
  Id trailingZeros(ScalarType type, Id x);
  Id populationCount(ScalarType type, Id x);
  /// The high half of a product.
  Id multiplyHigh(ScalarType type, Id x, Id y, bool isSigned);

  // --- functions of math.*, by their name in the dialect (Functions.cpp); 0: not known for this type ---
  Id function(std::string_view name, ScalarType type, Id x);
  /// Of f32: the device's, and below the normal numbers that of a larger power, rounded once more. Needs Feature::Exp2.
  Id exp2(Id x);
  Id power(ScalarType type, Id x, Id y);
  Id arcTangent2(ScalarType type, Id y, Id x);

  spirv::Builder &b;
  spirv::Module &m;

  // Shorthand for the files of this class.
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
  /// x < y, signed. Of 64 bits the sign bits are turned over and the unsigned order is taken: Mesa 22.3 takes the
  /// signed order of an extended i32 and a 64-bit constant for a constant.
  Id lessSigned(Id x, Id y);
  /// A constant of the type of `like`, an integer.
  Id like(Id x, uint64_t value) { return m.constant(m.typeOf(x), value); }
  bool isBool(Id x) { return m.infoOf(x).op == spv::Op::OpTypeBool; }

private:
  /// An integer of 32 bits, or of as many as a wider `type` has, as one of `type`, whose bits it keeps.
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

  const Profile &profile_;
  Id unknownZero_ = 0; // of i16
};

} // namespace tegula::vulkan
