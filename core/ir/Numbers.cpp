#include "core/ir/Numbers.h"

#include "core/ir/tile/Tile.h"
#include "core/support/FloatFormats.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tegula::tile {

std::optional<ScalarType> scalarType(Type type) {
  type = getElementTypeOrSelf(type);
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1: return ScalarType::I1;
    case 8: return ScalarType::I8;
    case 16: return ScalarType::I16;
    case 32: return ScalarType::I32;
    case 64: return ScalarType::I64;
    default: return std::nullopt;
    }
  }
  if (type.isF16())
    return ScalarType::F16;
  if (type.isBF16())
    return ScalarType::BF16;
  if (type.isF32())
    return ScalarType::F32;
  if (type.isF64())
    return ScalarType::F64;
  if (isa<Float8E4M3FNType>(type))
    return ScalarType::F8E4M3;
  if (isa<Float8E5M2Type>(type))
    return ScalarType::F8E5M2;
  if (isa<Float8E4M3FNUZType>(type))
    return ScalarType::F8E4M3FNUZ;
  if (isa<Float8E5M2FNUZType>(type))
    return ScalarType::F8E5M2FNUZ;
  return std::nullopt;
}

Type typeOf(MLIRContext *context, ScalarType type) {
  switch (type) {
  case ScalarType::F16: return Float16Type::get(context);
  case ScalarType::BF16: return BFloat16Type::get(context);
  case ScalarType::F32: return Float32Type::get(context);
  case ScalarType::F64: return Float64Type::get(context);
  case ScalarType::F8E4M3: return Float8E4M3FNType::get(context);
  case ScalarType::F8E5M2: return Float8E5M2Type::get(context);
  case ScalarType::F8E4M3FNUZ: return Float8E4M3FNUZType::get(context);
  case ScalarType::F8E5M2FNUZ: return Float8E5M2FNUZType::get(context);
  default: return IntegerType::get(context, bitWidth(type));
  }
}

llvm::APFloat roundedTo(FloatType type, double value, bool towardZero) {
  uint64_t code = encodeFloat(floatFormat(*scalarType(type)), value, towardZero);
  return llvm::APFloat(type.getFloatSemantics(), llvm::APInt(type.getWidth(), code));
}

bool computesFp8(Operation *op) {
  auto isFp8 = [](Type type) { return isFp8Scalar(getElementTypeOrSelf(type)); };
  bool isNumeric = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) || isa<FunctionOp>(op);
  bool keepsValues = isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp, arith::ExtFOp>(op);
  return isNumeric && !keepsValues &&
         (llvm::any_of(op->getOperandTypes(), isFp8) || llvm::any_of(op->getResultTypes(), isFp8));
}

} // namespace tegula::tile
