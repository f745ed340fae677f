// Quotients of f32: many by one divisor, and those that only show rounded to fewer bits.
#include "backends/cuda/codegen/InlinePtx.h"
#include "backends/cuda/codegen/NvptxPrinter.h"

#include "llvm/IR/MDBuilder.h"

#include <bit>

using namespace mlir;
namespace N = llvm::Intrinsic;

namespace tegula::cuda {

constexpr float kLeastUnscaled = 0x1p-100F; // a quarter of it is a normal number

/// The values of `slow` where control comes from the current block, which ends here, those of `quick` otherwise.
/// `makeSlow` emits the values of the rarely executed block.
Values NvptxPrinter::quickOr(llvm::Value *isUsual, const Values &quick, llvm::function_ref<Values()> makeSlow) {
  llvm::BasicBlock *before = b.GetInsertBlock(), *rare = newBlock("divide"), *done = newBlock("divided");
  b.CreateCondBr(isUsual, done, rare, llvm::MDBuilder(b.getContext()).createLikelyBranchWeights());
  b.SetInsertPoint(rare);
  Values slow = makeSlow();
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

/// Correctly rounded quotients of f32. ptxas computes each with a reciprocal of its own, a test and a branch, and calls
/// a function for a numerator of 0, which masked elements often are. Here they share the reciprocal and the branch:
///
///   r = 1 / d, rounded;   q = x * r;   x / d = q - (q * d - x) * r     in two fused multiply-adds
///
/// (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990.) This holds where
/// q is a normal number and q * d - x is exact: for 2^-60 <= d <= 2^28, and numerators that are 0 or between 2^-96 and
/// 2^60. The signs are such that -0 / d is -0. If an operand is outside, all quotients are computed by division.
///
/// `areHalves`: all operands are numbers of f16, so that the numerators are large enough without a test.
Values NvptxPrinter::roundedQuotients(llvm::ArrayRef<llvm::Value *> numerators, llvm::Value *divisor, bool areHalves) {
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
    if (!areHalves)
      least = b.CreateBinaryIntrinsic(N::umin, least, place(b.CreateBitCast(x, b.getInt32Ty())));
    most = b.CreateBinaryIntrinsic(N::maxnum, most, b.CreateUnaryIntrinsic(N::fabs, x));
  }
  llvm::Value *isUsual = b.CreateICmpUGE(least, b.getInt32(2 * std::bit_cast<uint32_t>(kLeast) - 1));
  isUsual = b.CreateAnd(isUsual, b.CreateFCmpOLE(most, number(kMost)));
  isUsual = b.CreateAnd(isUsual, b.CreateFCmpOGE(divisor, number(kLeastDivisor)));
  isUsual = b.CreateAnd(isUsual, b.CreateFCmpOLE(divisor, number(kMostDivisor)));
  return quickOr(isUsual, quick, [&] { return divided(numerators, divisor); });
}

/// Quotients of f32 that only show rounded to 16 bits or fewer: x * (1 / d), each factor rounded. Their error is at
/// most 1.5 ulp of f32, 2^-12 ulp of f16, if they are normal numbers. The reciprocal is a normal number for 2^-126 <=
/// |d| <= 2^126; other divisors, infinities and NaN among them, are divided by.
Values NvptxPrinter::narrowedQuotients(llvm::ArrayRef<llvm::Value *> numerators, llvm::Value *divisor) {
  auto number = [&](float value) { return llvm::ConstantFP::get(b.getFloatTy(), value); };
  llvm::Value *reciprocal = b.CreateFDiv(number(1), divisor);
  Values quick;
  for (llvm::Value *x : numerators)
    quick.push_back(b.CreateFMul(x, reciprocal));
  llvm::Value *magnitude = b.CreateUnaryIntrinsic(N::fabs, divisor);
  llvm::Value *isUsual =
      b.CreateAnd(b.CreateFCmpOGE(magnitude, number(0x1p-126F)), b.CreateFCmpOLE(magnitude, number(0x1p126F)));
  return quickOr(isUsual, quick, [&] { return divided(numerators, divisor); });
}

/// A quotient of f32 for the same uses, by a divisor of its own: at most 2 ulp from x / d, without a branch.
static llvm::Value *approximateQuotient(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *d) {
  InlinePtx ptx(b);
  std::string text = "div.full.f32 " + ptx.output(b.getFloatTy());
  text += ", " + ptx.input(x);
  text += ", " + ptx.input(d) + ";";
  return ptx.emit(text, InlinePtx::Pure).front();
}

/// numerator / d for a positive divisor d, with an error of at most 2 ulp, where d and |numerator| are at least
/// `kLeastUnscaled`. `div.full` compares the divisor with both ends of the exponent range and selects a scale; here the
/// scale is always 1/4: the reciprocal of d / 4 is a normal number, and only the last product may be subnormal.
static llvm::Value *quotientByLarge(llvm::IRBuilder<> &b, float numerator, llvm::Value *d) {
  auto number = [&](float value) { return llvm::ConstantFP::get(b.getFloatTy(), value); };
  InlinePtx ptx(b);
  std::string text = "rcp.approx.ftz.f32 " + ptx.output(b.getFloatTy());
  text += ", " + ptx.input(b.CreateFMul(d, number(0.25F))) + ";";
  return b.CreateFMul(ptx.emit(text, InlinePtx::Pure).front(), number(0.25F * numerator));
}

Values NvptxPrinter::divided(llvm::ArrayRef<llvm::Value *> numerators, llvm::Value *divisor) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags(); // with `arcp`, LLVM makes one reciprocal of these
  Values result;
  for (llvm::Value *x : numerators)
    result.push_back(b.CreateFDiv(x, divisor));
  return result;
}

/// The type that elements had before they became f32, if that is where they come from.
static Type widenedFrom(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<arith::ExtFOp, tile::FpCastOp>(op))
      return getElementTypeOrSelf(op->getOperand(0).getType());
    if (!isa<simt::SplatOp, simt::PickOp, simt::SliceOp>(op))
      break;
    value = op->getOperand(0);
  }
  return {};
}

/// The value of a constant scalar, or of a constant whose elements are all equal.
static std::optional<float> constantOf(Value value) {
  FloatAttr number;
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)))
    return splat.getSplatValue<APFloat>().convertToFloat();
  if (matchPattern(value, m_Constant(&number)))
    return number.getValue().convertToFloat();
  return {};
}

/// Whether each f32 element is known to be at least `kLeastUnscaled`, or NaN: the sum of an exponential and a constant
/// that is, as in a sigmoid.
static bool isLarge(Value value) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  auto isSum = [&](Value number, Value power) {
    std::optional<float> least = constantOf(number);
    return least && *least >= kLeastUnscaled && isa_and_nonnull<math::ExpOp, math::Exp2Op>(power.getDefiningOp());
  };
  return sum && (isSum(sum.getLhs(), sum.getRhs()) || isSum(sum.getRhs(), sum.getLhs()));
}

Values NvptxPrinter::quotientsOf(Operation *op) {
  constexpr size_t kFewest = 4, kMost = 32; // as many share a branch
  if (!isa<arith::DivFOp>(op) || !elementType(op->getResult(0).getType())->isFloatTy() ||
      arith::bitEnumContainsAll(llvmir::fastMathOf(op), arith::FastMathFlags::afn))
    return {};
  const Values numerators = get(op->getOperand(0)), divisors = get(op->getOperand(1));
  bool isNarrowed = // as tile-relax-narrowed marks it
      arith::bitEnumContainsAll(llvmir::fastMathOf(op), arith::FastMathFlags::arcp);
  llvm::MapVector<llvm::Value *, llvm::SmallVector<size_t>> byDivisor; // the numbers of the elements
  for (auto [number, divisor] : llvm::enumerate(divisors))
    byDivisor[divisor].push_back(number);
  if (llvm::any_of(byDivisor, [&](const auto &each) { return each.second.size() < kFewest; })) {
    Values quotients;
    if (isNarrowed) {
      std::optional<float> constant = constantOf(op->getOperand(0));
      bool isByLarge = constant && std::abs(*constant) >= kLeastUnscaled && isLarge(op->getOperand(1));
      for (auto [numerator, divisor] : llvm::zip_equal(numerators, divisors))
        quotients.push_back(isByLarge ? quotientByLarge(b, *constant, divisor)
                                      : approximateQuotient(b, numerator, divisor));
    }
    return quotients;
  }
  Type numeratorType = widenedFrom(op->getOperand(0)), divisorType = widenedFrom(op->getOperand(1));
  bool areHalves = numeratorType && divisorType && numeratorType.isF16() && divisorType.isF16();
  Values result(numerators.size());
  for (const auto &[divisor, numbers] : byDivisor)
    for (size_t at = 0; at < numbers.size(); at += kMost) {
      auto some = llvm::ArrayRef(numbers).drop_front(at).take_front(kMost);
      Values of = llvm::map_to_vector(some, [&](size_t number) { return numerators[number]; });
      Values quotients = isNarrowed ? narrowedQuotients(of, divisor) : roundedQuotients(of, divisor, areHalves);
      for (auto [number, quotient] : llvm::zip_equal(some, quotients))
        result[number] = quotient;
    }
  return result;
}

} // namespace tegula::cuda
