#include "core/passes/tosimt/OperandParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tegula::tosimt {
namespace {

constexpr int32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000, kNotANumber = 0x7fc00000; // bit patterns of an f32

class Divider {
public:
  Divider(OpBuilder &builder, Location location, Value numbers, FloatType type)
      : b_(builder), location_(location), numbers_(cast<VectorType>(numbers.getType())),
        bits_(VectorType::get(numbers_.getShape(), builder.getI32Type())), type_(type),
        dropped_(b_.getF32Type().getFPMantissaWidth() - type.getFPMantissaWidth()), half_(1 << (dropped_ - 1)) {}

  /// The elements rounded to the type; an element that is not finite stays so.
  Value rounded(Value numbers) {
    if (!isTf32())
      return roundedNumber(numbers);
    // An instruction for tf32 reads only the upper ten bits of the fraction. A NaN whose other fraction bits alone are
    // set would be read as infinity, so every NaN is replaced by one with an upper bit set.
    Value isNumber = arith::CmpFOp::create(b_, location_, arith::CmpFPredicate::ORD, numbers, numbers);
    Value bits = asBits(roundedNumber(numbers));
    return asNumbers(arith::SelectOp::create(b_, location_, isNumber, bits, words(kNotANumber)));
  }

  OperandParts divide(Value numbers, int64_t count) {
    Value bits = asBits(numbers), magnitude = arith::AndIOp::create(b_, location_, bits, words(kMagnitude));
    // Rounding to the nearest would make infinities of finite numbers whose magnitude, as bits, is kInfinity - half_ or
    // more. They are truncated instead.
    Value above = arith::SubIOp::create(b_, location_, magnitude, words(kInfinity - half_));
    Value first = rounded(asNumbers(arith::SelectOp::create(b_, location_, isBelow(above, half_), cutOff(bits), bits)));
    Value isFinite = isBelow(magnitude, kInfinity);
    OperandParts made;
    made.parts = {first};
    made.finiteFirst = arith::SelectOp::create(b_, location_, isFinite, first, zeros(first.getType()));
    Value rest = arith::SelectOp::create(b_, location_, isFinite, minus(numbers, first), zeros(numbers_));
    for (int64_t i = 1; i < count; ++i) {
      if (i > 1)
        rest = minus(rest, made.parts.back());
      made.parts.push_back(roundedNumber(rest));
    }
    return made;
  }

private:
  bool isTf32() const { return isa<FloatTF32Type>(type_); }
  /// The elements rounded to the type, for elements that are numbers. For tf32: half a unit of the last bit is added.
  /// The lower bits remain, because the instruction does not read them. Infinity, which also gets one of the lower
  /// bits, is still read as infinity. (Tested by the suite's `dot_precision` with extremes.)
  Value roundedNumber(Value numbers) {
    if (!isTf32())
      return arith::TruncFOp::create(b_, location_, VectorType::get(numbers_.getShape(), type_), numbers);
    return asNumbers(arith::AddIOp::create(b_, location_, asBits(numbers), words(half_)));
  }
  Value words(int32_t value) { return arith::ConstantOp::create(b_, location_, DenseElementsAttr::get(bits_, value)); }
  Value zeros(Type type) { return arith::ConstantOp::create(b_, location_, b_.getZeroAttr(type)); }
  Value asBits(Value numbers) { return arith::BitcastOp::create(b_, location_, bits_, numbers); }
  Value asNumbers(Value bits) { return arith::BitcastOp::create(b_, location_, numbers_, bits); }
  /// The bits of numbers, with those fraction bits cleared that the type lacks.
  Value cutOff(Value bits) { return arith::AndIOp::create(b_, location_, bits, words(-(1 << dropped_))); }
  Value isBelow(Value bits, int32_t limit) {
    return arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ult, bits, words(limit));
  }
  /// The f32 number minus the part; the difference is exact.
  Value minus(Value number, Value part) {
    if (part.getType() == numbers_)
      part = asNumbers(cutOff(asBits(part)));
    else
      part = arith::ExtFOp::create(b_, location_, numbers_, part);
    return arith::SubFOp::create(b_, location_, number, part);
  }

  OpBuilder &b_;
  Location location_;
  VectorType numbers_, bits_; // of f32 and i32
  FloatType type_;
  int32_t dropped_; // number of fraction bits that the type lacks
  int32_t half_;    // half a unit of the type's last bit, in bits of an f32
};

} // namespace

OperandParts divideOperand(OpBuilder &builder, Location location, Value numbers, FloatType type, int64_t count) {
  Divider divider(builder, location, numbers, type);
  if (count > 1)
    return divider.divide(numbers, count);
  OperandParts made;
  made.parts = {divider.rounded(numbers)};
  return made;
}

} // namespace tegula::tosimt
