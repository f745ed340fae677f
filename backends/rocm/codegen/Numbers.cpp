// Functions and conversions of floats where LLVM's own lowering does not do.
#include "backends/llvm/SmallFloats.h"
#include "backends/rocm/codegen/AmdgcnPrinter.h"

using namespace mlir;

namespace tegula::rocm {

/// Computes quotients and square roots of f16 in f32 and rounds the result to f16. The second rounding gives the
/// correctly rounded result, because f32 has 24 bits (Figueroa, "When is double rounding innocuous?", 1995). LLVM 19's
/// own f16 sequences round wrongly near ties (LLVM pull request 109295), and LLVM also uses them for an f32 quotient
/// that is then rounded to f16. `opaque` hides the f32 result, so that LLVM keeps the f32 sequence.
llvm::Value *AmdgcnPrinter::targetElement(Operation *op, llvm::ArrayRef<llvm::Value *> x) {
  if (!isa<arith::DivFOp, math::SqrtOp>(op))
    return nullptr;
  auto computed = [&](Values operands) {
    return isa<arith::DivFOp>(op) ? b.CreateFDiv(operands[0], operands[1])
                                  : b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, operands[0]);
  };
  llvm::Type *type = x.front()->getType();
  if (type->isHalfTy()) {
    Values wide;
    for (llvm::Value *operand : x)
      wide.push_back(b.CreateFPExt(operand, b.getFloatTy()));
    return b.CreateFPTrunc(opaque(computed(wide)), type);
  }
  bool isRounded = type->isFloatTy() && op->getResult(0).hasOneUse() && isa<arith::TruncFOp>(*op->user_begin());
  return isRounded ? opaque(computed(Values(x))) : nullptr;
}

Values AmdgcnPrinter::castFloats(Operation *op, llvm::ArrayRef<llvm::Value *> from) {
  mlir::Type source = getElementTypeOrSelf(op->getOperand(0).getType());
  mlir::Type result = getElementTypeOrSelf(op->getResult(0).getType());
  if (tile::isFp8Scalar(source) || tile::isFp8Scalar(result))
    return {};
  return llvmir::castBetween(b, from, elementType(op->getResult(0).getType()), llvmir::roundsTowardZero(op));
}

} // namespace tegula::rocm
