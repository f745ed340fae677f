// Prints f32 divisions faster than one by one: several with one divisor, and those whose error may be 2 ulp.
#include "backends/cuda/codegen/InlinePtx.h"
#include "backends/cuda/codegen/NvptxPrinter.h"

#include "llvm/IR/MDBuilder.h"

#include <bit>

using namespace mlir;
namespace N = llvm::Intrinsic;

namespace tegula::cuda {

constexpr float kLeastUnscaled = 0x1p-100F; // a quarter of its reciprocal is a normal number

/// Computes 1 / d by one instruction. The error is 1 ulp; subnormal numbers, as d or as the result, count as 0.
static llvm::Value *reciprocalOf(llvm::IRBuilder<> &b, llvm::Value *d) {
  InlinePtx ptx(b);
  std::string text = "rcp.approx.ftz.f32 " + ptx.output(b.getFloatTy());
  text += ", " + ptx.input(d) + ";";
  return ptx.emit(text, InlinePtx::Pure).front();
}

/// Correctly rounded f32 quotients by one divisor. ptxas would compute a reciprocal, a test and a branch for each, and
/// would call a function for a numerator of 0, which is the usual value of masked elements. Here all quotients share
/// the reciprocal and the branch:
///
///   r = 1 / d, rounded;   q = x * r;   x / d = q - (q * d - x) * r     in two fused multiply-adds
///
/// (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990.) This holds where
/// q is a normal number and q * d - x is exact: for 2^-60 <= d <= 2^28, and numerators that are 0 or between 2^-96 and
/// 2^60. The residual is q * d - x and not x - q * d, so that -0 / d is -0. If an operand is outside these ranges, all
/// quotients are computed by division.
///
/// `areHalves`: all operands are values of f16, so the numerators are large enough and need no test.
Values NvptxPrinter::roundedQuotients(llvm::ArrayRef<llvm::Value *> numerators, llvm::Value *divisor, bool areHalves) {
  constexpr float kLeast = 0x1p-96F, kMost = 0x1p60F, kLeastDivisor = 0x1p-60F, kMostDivisor = 0x1p28F;
  auto number = [&](float value) { return llvm::ConstantFP::get(b.getFloatTy(), value); };
  auto fused = [&](llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    return b.CreateIntrinsic(N::fma, {b.getFloatTy()}, {x, y, z});
  };
  // Maps the bits of x to an unsigned integer that grows with |x|, except that 0 maps to the largest integer: the shift
  // drops the sign, and the subtraction of 1 wraps for 0. One unsigned comparison then tests "x is 0, or |x| is at
  // least the bound".
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

/// f32 quotients by one divisor whose error may be 2 ulp: x * (1 / (d * s)) * s. The power of two s makes the
/// reciprocal a normal number: 1/4 for large divisors, 2^24 for subnormal ones, else 1. One step of Newton's method
/// reduces the reciprocal's error to little more than 1/2 ulp, so the product of x and the reciprocal has an error of
/// at most 1.6 ulp. The multiplication by s is exact, unless the result is subnormal. For a divisor of 0 or infinity
/// the step is skipped, because it would make NaN.
Values NvptxPrinter::relaxedQuotients(llvm::ArrayRef<llvm::Value *> numerators, llvm::Value *divisor) {
  auto number = [&](float value) { return llvm::ConstantFP::get(b.getFloatTy(), value); };
  auto fused = [&](llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    return b.CreateIntrinsic(N::fma, {b.getFloatTy()}, {x, y, z});
  };
  llvm::Value *magnitude = b.CreateUnaryIntrinsic(N::fabs, divisor);
  llvm::Value *isLarge = b.CreateFCmpOGT(magnitude, number(0x1p126F));
  llvm::Value *isSmall = b.CreateFCmpOLT(magnitude, number(0x1p-126F));
  llvm::Value *scale = b.CreateSelect(isLarge, number(0.25F), b.CreateSelect(isSmall, number(0x1p24F), number(1)));
  llvm::Value *scaled = b.CreateFMul(divisor, scale);
  bool isConstant = llvm::isa<llvm::Constant>(divisor);
  llvm::Value *estimate = isConstant ? b.CreateFDiv(number(1), scaled) : reciprocalOf(b, scaled);
  llvm::Value *rest = fused(b.CreateFNeg(scaled), estimate, number(1));
  llvm::Value *improved = fused(estimate, rest, estimate);
  llvm::Value *reciprocal =
      isConstant ? estimate : b.CreateSelect(b.CreateFCmpUNO(improved, improved), estimate, improved);
  Values result;
  for (llvm::Value *x : numerators)
    result.push_back(b.CreateFMul(b.CreateFMul(x, reciprocal), scale));
  return result;
}

/// One f32 quotient x / d with an error of at most 2 ulp (PTX manual), without a branch.
static llvm::Value *approximateQuotient(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *d) {
  InlinePtx ptx(b);
  std::string text = "div.full.f32 " + ptx.output(b.getFloatTy());
  text += ", " + ptx.input(x);
  text += ", " + ptx.input(d) + ";";
  return ptx.emit(text, InlinePtx::Pure).front();
}

static bool isPowerOfTwo(float value) { return (std::bit_cast<uint32_t>(value) & 0x7fffff) == 0; }

/// Computes numerator / d as (1 / (d / 4)) * (numerator / 4). The numerator must be a power of two, d positive, and
/// both at least `kLeastUnscaled`. The error is that of the reciprocal, 1 ulp. It is cheaper than `div.full`, which
/// compares the divisor with both ends of the exponent range to select a scale; here the scale is always 1/4, because
/// the reciprocal of d / 4 is a normal number. Only the product may be subnormal.
static llvm::Value *quotientByLarge(llvm::IRBuilder<> &b, float numerator, llvm::Value *d) {
  auto number = [&](float value) { return llvm::ConstantFP::get(b.getFloatTy(), value); };
  llvm::Value *reciprocal = reciprocalOf(b, b.CreateFMul(d, number(0.25F)));
  return b.CreateFMul(reciprocal, number(0.25F * numerator));
}

/// The type from which the value was extended to f32; null if it was not extended.
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

/// True if each f32 element is known to be at least `kLeastUnscaled`, or NaN. Recognised: exp(x) + constant, as in a
/// sigmoid.
static bool isLarge(Value value) {
  auto sum = value.getDefiningOp<arith::AddFOp>();
  auto isSum = [&](Value number, Value power) {
    std::optional<float> least = constantOf(number);
    return least && *least >= kLeastUnscaled && isa_and_nonnull<math::ExpOp, math::Exp2Op>(power.getDefiningOp());
  };
  return sum && (isSum(sum.getLhs(), sum.getRhs()) || isSum(sum.getRhs(), sum.getLhs()));
}

Values NvptxPrinter::quotientsOf(Operation *op) {
  constexpr size_t kFewest = 4, kMost = 32; // quotients that share one branch
  if (!isa<arith::DivFOp>(op) || !elementType(op->getResult(0).getType())->isFloatTy() ||
      arith::bitEnumContainsAll(llvmir::fastMathOf(op), arith::FastMathFlags::afn))
    return {};
  const Values numerators = get(op->getOperand(0)), divisors = get(op->getOperand(1));
  bool isRelaxed = // marked by tile-relax-quotients
      arith::bitEnumContainsAll(llvmir::fastMathOf(op), arith::FastMathFlags::arcp);
  llvm::MapVector<llvm::Value *, llvm::SmallVector<size_t>> byDivisor; // divisor -> numbers of its elements
  for (auto [number, divisor] : llvm::enumerate(divisors))
    byDivisor[divisor].push_back(number);
  Values result(numerators.size());
  auto set = [&](llvm::ArrayRef<size_t> numbers, const Values &quotients) {
    for (auto [number, quotient] : llvm::zip_equal(numbers, quotients))
      result[number] = quotient;
  };
  auto numeratorsOf = [&](llvm::ArrayRef<size_t> numbers) {
    return llvm::map_to_vector(numbers, [&](size_t number) { return numerators[number]; });
  };
  if (isRelaxed) {
    std::optional<float> constant = constantOf(op->getOperand(0));
    bool isByLarge =
        constant && isPowerOfTwo(*constant) && std::abs(*constant) >= kLeastUnscaled && isLarge(op->getOperand(1));
    for (const auto &[divisor, numbers] : byDivisor) {
      if (numbers.size() >= kFewest || llvm::isa<llvm::Constant>(divisor))
        set(numbers, relaxedQuotients(numeratorsOf(numbers), divisor));
      else
        for (size_t number : numbers)
          result[number] =
              isByLarge ? quotientByLarge(b, *constant, divisor) : approximateQuotient(b, numerators[number], divisor);
    }
    return result;
  }
  if (llvm::any_of(byDivisor, [&](const auto &each) { return each.second.size() < kFewest; }))
    return {};
  Type numeratorType = widenedFrom(op->getOperand(0)), divisorType = widenedFrom(op->getOperand(1));
  bool areHalves = numeratorType && divisorType && numeratorType.isF16() && divisorType.isF16();
  for (const auto &[divisor, numbers] : byDivisor)
    for (size_t at = 0; at < numbers.size(); at += kMost) {
      auto some = llvm::ArrayRef(numbers).drop_front(at).take_front(kMost);
      set(some, roundedQuotients(numeratorsOf(some), divisor, areHalves));
    }
  return result;
}

} // namespace tegula::cuda
