// Functions and conversions of floats where LLVM's own lowering does not do.
#include "backends/llvm/SmallFloats.h"
#include "backends/rocm/codegen/AmdgcnPrinter.h"

using namespace mlir;

namespace tegula::rocm {

llvm::Value *AmdgcnPrinter::targetElement(Operation *op, llvm::ArrayRef<llvm::Value *> x) {
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
    return maxOrMin(isa<arith::MaxNumFOp>(op) ? llvm::Intrinsic::maxnum : llvm::Intrinsic::minnum, x[0], x[1]);
  return nullptr;
}

Values AmdgcnPrinter::castFloats(Operation *op, llvm::ArrayRef<llvm::Value *> from) {
  mlir::Type source = getElementTypeOrSelf(op->getOperand(0).getType());
  mlir::Type result = getElementTypeOrSelf(op->getResult(0).getType());
  if (tile::isFp8Scalar(source) || tile::isFp8Scalar(result))
    return {};
  return llvmir::castBetween(b, from, elementType(op->getResult(0).getType()), llvmir::roundsTowardZero(op));
}

} // namespace tegula::rocm
