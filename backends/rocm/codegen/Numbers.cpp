// Functions and conversions of floats where LLVM's own lowering does not do.
#include "backends/llvm/SmallFloats.h"
#include "backends/rocm/codegen/AmdgcnPrinter.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace mlir;

namespace tegula::rocm {

/// exp2 of an f32 by v_exp_f32, with an error of 1 ulp (AMD's instruction set manuals). The instruction gives zero for
/// subnormal results; below -126 this computes exp2(x + 64) * 2^-64.
llvm::Value *AmdgcnPrinter::exp2(llvm::Value *x) {
  auto number = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
  llvm::Value *isSmall = b.CreateFCmpOLT(x, number(-126));
  llvm::Value *raised = b.CreateFAdd(x, b.CreateSelect(isSmall, number(64), number(0)));
  if (architecture_.generation == 12) // where LLVM has v_s_exp_f32 for uniform operands, which was never executed here
    raised = opaque(raised);
  llvm::Value *power = intrinsic(llvm::Intrinsic::amdgcn_exp2, {raised}, {x->getType()});
  return b.CreateFMul(power, b.CreateSelect(isSmall, number(0x1p-64), number(1)));
}

/// Computes quotients and square roots of f16 in f32 and rounds the result to f16. The second rounding gives the
/// correctly rounded result, because f32 has 24 bits (Figueroa, "When is double rounding innocuous?", 1995). LLVM 19's
/// own f16 sequences round wrongly near ties (LLVM pull request 109295), and LLVM also uses them for an f32 quotient
/// that is then rounded to f16. `opaque` hides the f32 result, so that LLVM keeps the f32 sequence.
llvm::Value *AmdgcnPrinter::targetElement(Operation *op, llvm::ArrayRef<llvm::Value *> x) {
  if (isa<math::Exp2Op>(op) && x.front()->getType()->isFloatTy())
    return exp2(x.front());
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

/// Products and sums of f32 on CDNA: instructions for two elements (v_pk_mul_f32).
Values AmdgcnPrinter::targetElements(Operation *op) {
  bool isSum = isa<arith::AddFOp>(op);
  if (architecture_.generation != 9 || (!isSum && !isa<arith::MulFOp>(op)))
    return {};
  const Values &left = get(op->getOperand(0)), &right = get(op->getOperand(1));
  if (!left.front()->getType()->isFloatTy() || left.size() % 2 || left.size() != right.size())
    return {};
  auto *pair = llvm::FixedVectorType::get(b.getFloatTy(), 2);
  auto pairOf = [&](const Values &values, size_t i) {
    llvm::Value *first = b.CreateInsertElement(llvm::PoisonValue::get(pair), values[i], uint64_t(0));
    return b.CreateInsertElement(first, values[i + 1], uint64_t(1));
  };
  Values result;
  for (size_t i = 0; i < left.size(); i += 2) {
    llvm::Value *a = pairOf(left, i), *c = pairOf(right, i);
    llvm::Value *both = isSum ? b.CreateFAdd(a, c) : b.CreateFMul(a, c);
    result.push_back(b.CreateExtractElement(both, uint64_t(0)));
    result.push_back(b.CreateExtractElement(both, uint64_t(1)));
  }
  return result;
}

Values AmdgcnPrinter::castFloats(Operation *op, llvm::ArrayRef<llvm::Value *> from) {
  mlir::Type source = getElementTypeOrSelf(op->getOperand(0).getType());
  mlir::Type result = getElementTypeOrSelf(op->getResult(0).getType());
  if (tile::isFp8Scalar(source) || tile::isFp8Scalar(result))
    return {};
  return llvmir::castBetween(b, from, elementType(op->getResult(0).getType()), llvmir::roundsTowardZero(op));
}

} // namespace tegula::rocm
