// Quotients of many numbers by one.
#include "backends/cuda/codegen/NvptxPrinter.h"

#include "llvm/IR/MDBuilder.h"

#include <bit>

using namespace mlir;
namespace N = llvm::Intrinsic;

namespace tegula::cuda {

/// Correctly rounded quotients of f32. ptxas computes each with a reciprocal of its own, a test and a branch, and calls
/// a function for a numerator of 0, which masked elements often are. Here they share the reciprocal and the branch:
///
///   r = 1 / d, rounded;   q = x * r;   x / d = q - (q * d - x) * r     in two fused multiply-adds
///
/// (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990.) This holds where
/// q is a normal number and q * d - x is exact: for 2^-60 <= d <= 2^28, and numerators that are 0 or between 2^-96 and
/// 2^60. The signs are such that -0 / d is -0. If an operand is outside, all quotients are computed by division.
///
/// `isNarrowed`: the quotients are only used rounded to f16. Those of smaller numerators than 2^-96 then become 0.
Values NvptxPrinter::quotients(llvm::ArrayRef<llvm::Value *> numerators, llvm::Value *divisor, bool isNarrowed) {
  constexpr float kLeast = 0x1p-96F, kMost = 0x1p60F, kLeastDivisor = 0x1p-60F, kMostDivisor = 0x1p28F;
  auto number = [&](float value) { return llvm::ConstantFP::get(b.getFloatTy(), value); };
  auto fused = [&](llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    return b.CreateIntrinsic(N::fma, {b.getFloatTy()}, {x, y, z});
  };
  // Bits of |x| as a fraction of 2^32, less one: 0 is above all others.
  auto place = [&](llvm::Value *bits) { return b.CreateSub(b.CreateShl(bits, 1), b.getInt32(1)); };
  llvm::Value *reciprocal = b.CreateFDiv(number(1), divisor), *least = b.getInt32(~0U), *most = number(0);
  Values quick;
  for (llvm::Value *x : numerators) {
    llvm::Value *quotient = b.CreateFMul(x, reciprocal);
    llvm::Value *rest = fused(quotient, divisor, b.CreateFNeg(x));
    quick.push_back(fused(b.CreateFNeg(rest), reciprocal, quotient));
    if (!isNarrowed)
      least = b.CreateBinaryIntrinsic(N::umin, least, place(b.CreateBitCast(x, b.getInt32Ty())));
    most = b.CreateBinaryIntrinsic(N::maxnum, most, b.CreateUnaryIntrinsic(N::fabs, x));
  }
  llvm::Value *isUsual = b.CreateICmpUGE(least, b.getInt32(2 * std::bit_cast<uint32_t>(kLeast) - 1));
  isUsual = b.CreateAnd(isUsual, b.CreateFCmpOLE(most, number(kMost)));
  isUsual = b.CreateAnd(isUsual, b.CreateFCmpOGE(divisor, number(kLeastDivisor)));
  isUsual = b.CreateAnd(isUsual, b.CreateFCmpOLE(divisor, number(kMostDivisor)));
  llvm::BasicBlock *before = b.GetInsertBlock(), *rare = newBlock("divide"), *done = newBlock("divided");
  b.CreateCondBr(isUsual, done, rare, llvm::MDBuilder(b.getContext()).createLikelyBranchWeights());

  b.SetInsertPoint(rare);
  Values slow;
  for (llvm::Value *x : numerators)
    slow.push_back(b.CreateFDiv(x, divisor));
  b.CreateBr(done);

  b.SetInsertPoint(done);
  Values result;
  for (auto [fromQuick, fromSlow] : llvm::zip(quick, slow)) {
    llvm::PHINode *phi = b.CreatePHI(b.getFloatTy(), 2);
    phi->addIncoming(fromQuick, before);
    phi->addIncoming(fromSlow, rare);
    result.push_back(phi);
  }
  return result;
}

Values NvptxPrinter::targetElements(Operation *op) {
  constexpr size_t kFewest = 4, kMost = 32; // as many share a branch
  if (!isa<arith::DivFOp>(op) || !elementType(op->getResult(0).getType())->isFloatTy() ||
      arith::bitEnumContainsAll(llvmir::fastMathOf(op), arith::FastMathFlags::afn))
    return {};
  const Values numerators = get(op->getOperand(0)), divisors = get(op->getOperand(1));
  if (numerators.size() < kFewest || !llvm::all_equal(divisors))
    return {};
  bool isNarrowed = llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<arith::TruncFOp, tile::FpCastOp>(user) && getElementTypeOrSelf(user->getResult(0).getType()).isF16();
  });
  Values result;
  for (size_t at = 0; at < numerators.size(); at += kMost)
    llvm::append_range(result,
                       quotients(llvm::ArrayRef(numerators).drop_front(at).take_front(kMost), divisors[0], isNarrowed));
  return result;
}

} // namespace tegula::cuda
