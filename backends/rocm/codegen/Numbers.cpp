// Prints functions and conversions of floats for which LLVM's own lowering is wrong or slow.
#include "backends/llvm/SmallFloats.h"
#include "backends/rocm/codegen/AmdgcnPrinter.h"
#include "backends/rocm/codegen/ShortLives.h"
#include "backends/rocm/codegen/UniformTests.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"

#include <array>

using namespace mlir;

namespace tegula::rocm {

/// exp2 of an f32 by v_exp_f32, with an error of 1 ulp (AMD's instruction set manuals). For subnormal results the
/// instruction returns zero; therefore exp2(x) is computed as exp2(x + 64) * 2^-64 for x below -126. `isNormal`: no
/// result is subnormal.
llvm::Value *AmdgcnPrinter::exp2(llvm::Value *x, bool isNormal) {
  auto number = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
  auto power = [&](llvm::Value *of) {
    // On RDNA 4, LLVM selects v_s_exp_f32 for uniform operands, an instruction that no test here has executed. An empty
    // instruction (keptHere, opaque) puts the operand into a vector register, which avoids v_s_exp_f32.
    auto *call = llvm::dyn_cast<llvm::CallInst>(of);
    auto *text = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
    bool isOpaque = text && llvm::StringRef(text->getAsmString()).empty();
    llvm::Value *operand = architecture_.generation == 12 && !isOpaque ? opaque(of) : of;
    return intrinsic(llvm::Intrinsic::amdgcn_exp2, {operand}, {x->getType()});
  };
  if (isNormal)
    return power(x);
  llvm::Value *isSmall = b.CreateFCmpOLT(x, number(-126));
  llvm::Value *raised = power(b.CreateFAdd(x, b.CreateSelect(isSmall, number(64), number(0))));
  return b.CreateFMul(raised, b.CreateSelect(isSmall, number(0x1p-64), number(1)));
}

/// An f32 quotient with an error of at most 2.5 ulp: LLVM multiplies the mantissas by `v_rcp_f32`, whose error is 1
/// ulp, and subtracts the exponents. The flag `arcp` is removed: with it, LLVM would take the reciprocal of the whole
/// divisor, which may be infinite.
static llvm::Value *relaxedQuotient(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y) {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  llvm::Value *quotient = b.CreateFDiv(x, y);
  if (auto *division = llvm::dyn_cast<llvm::Instruction>(quotient)) // not if it was folded to a constant
    division->setMetadata(llvm::LLVMContext::MD_fpmath, llvm::MDBuilder(b.getContext()).createFPMath(2.5F));
  return quotient;
}

/// Computes quotients and square roots of f16 in f32 and rounds the result to f16. The second rounding gives the
/// correctly rounded result, because f32 has 24 bits (Figueroa, "When is double rounding innocuous?", 1995). LLVM 22's
/// own square root of f16 is an instruction that need not be correctly rounded. Its quotient of f16 is, and takes as
/// many instructions; LLVM also uses it for an f32 quotient that is then rounded to f16. `opaque` hides the f32 result,
/// so that LLVM keeps the f32 sequence.
llvm::Value *AmdgcnPrinter::targetElement(Operation *op, llvm::ArrayRef<llvm::Value *> x) {
  if (isa<math::Exp2Op>(op) && x.front()->getType()->isFloatTy())
    return exp2(x.front(), op->hasAttr(kNormalResults));
  if (!isa<arith::DivFOp, math::SqrtOp>(op))
    return nullptr;
  bool isRelaxed = arith::bitEnumContainsAll(llvmir::fastMathOf(op), arith::FastMathFlags::arcp);
  auto computed = [&](Values operands) -> llvm::Value * {
    if (isa<math::SqrtOp>(op))
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, operands[0]);
    return isRelaxed ? relaxedQuotient(b, operands[0], operands[1]) : b.CreateFDiv(operands[0], operands[1]);
  };
  llvm::Type *type = x.front()->getType();
  if (type->isHalfTy()) {
    Values wide;
    for (llvm::Value *operand : x)
      wide.push_back(b.CreateFPExt(operand, b.getFloatTy()));
    return b.CreateFPTrunc(opaque(computed(wide)), type);
  }
  bool isRounded = type->isFloatTy() && op->getResult(0).hasOneUse() && isa<arith::TruncFOp>(*op->user_begin());
  if (isRounded)
    return opaque(computed(Values(x)));
  return isRelaxed && type->isFloatTy() ? computed(Values(x)) : nullptr;
}

namespace {

/// If the value's elements are copies of a few registers, with at least four copies of each: the number of each
/// element's register. Empty otherwise, and for a splat of a constant or of a block argument.
llvm::SmallVector<int32_t> copiedRegisters(mlir::Value value) {
  constexpr size_t kFewestCopies = 4; // copying the register costs one instruction
  if (auto splat = value.getDefiningOp<simt::SplatOp>()) {
    Operation *source = splat.getSrc().getDefiningOp();
    bool isKnown = !source || isa<arith::ConstantOp>(source);
    return llvm::SmallVector<int32_t>(isKnown ? 0 : size_t(simt::elementsOf(splat.getType())), 0);
  }
  auto pick = value.getDefiningOp<simt::PickOp>();
  if (!pick)
    return {};
  llvm::SmallDenseMap<int32_t, size_t> copies;
  for (int32_t number : pick.getRegisters())
    ++copies[number];
  if (llvm::any_of(copies, [](const auto &each) { return each.second < kFewestCopies; }))
    return {};
  return llvm::SmallVector<int32_t>(pick.getRegisters());
}

} // namespace

/// Prints ops of which one instruction can compute several elements: a select by a scalar condition between vectors of
/// narrow elements, one 32-bit word at a time; and f32 sums, differences and products, two elements at a time. Returns
/// nothing for other ops.
Values AmdgcnPrinter::targetElements(Operation *op) {
  if (op->hasAttr(kStaysHere))
    return keptHere(get(op->getOperand(0)));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return selectWords(select);
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return {};
  Values left = get(op->getOperand(0)), right = get(op->getOperand(1));
  if (left.size() % 2 || left.size() != right.size())
    return {};
  return architecture_.generation == 9 ? packedPairs(op, left, right) : dualPairs(op, left, right);
}

Values AmdgcnPrinter::selectWords(arith::SelectOp op) {
  llvm::Type *type = elementType(op.getType());
  unsigned bits = type->getScalarSizeInBits();
  if (isa<VectorType>(op.getCondition().getType()) || !isa<VectorType>(op.getType()) || (bits != 8 && bits != 16) ||
      simt::elementsOf(op.getType()) * bits % 32 != 0)
    return {};
  llvm::Value *condition = one(op.getCondition());
  if (architecture_.generation >= 11) // v_dual_cndmask_b32 reads its condition from VCC, which is soon overwritten
    condition = b.CreateICmpNE(opaque(b.CreateZExt(condition, b.getInt32Ty())), i32(0));
  Values words;
  for (auto [onTrue, onFalse] : llvm::zip_equal(pack(get(op.getTrueValue())), pack(get(op.getFalseValue()))))
    words.push_back(b.CreateSelect(condition, onTrue, onFalse));
  return unpack(words, type);
}

/// On CDNA: prints f32 sums and products of two elements each, for which LLVM selects v_pk_add_f32 and v_pk_mul_f32.
/// Returns nothing for differences.
Values AmdgcnPrinter::packedPairs(Operation *op, const Values &left, const Values &right) {
  if (isa<arith::SubFOp>(op))
    return {};
  auto *pair = llvm::FixedVectorType::get(b.getFloatTy(), 2);
  auto pairOf = [&](const Values &values, size_t i) {
    llvm::Value *first = b.CreateInsertElement(llvm::PoisonValue::get(pair), values[i], uint64_t(0));
    return b.CreateInsertElement(first, values[i + 1], uint64_t(1));
  };
  Values result;
  for (size_t i = 0; i < left.size(); i += 2) {
    llvm::Value *a = pairOf(left, i), *c = pairOf(right, i);
    llvm::Value *both = isa<arith::AddFOp>(op) ? b.CreateFAdd(a, c) : b.CreateFMul(a, c);
    result.push_back(b.CreateExtractElement(both, uint64_t(0)));
    result.push_back(b.CreateExtractElement(both, uint64_t(1)));
  }
  return result;
}

/// On RDNA 3 and 4: LLVM joins two instructions into one (v_dual_mul_f32) if their operands are in registers of
/// different banks; a register's two lowest bits number its bank. Therefore an operand that several elements share is
/// copied to two neighbouring registers, which the elements use alternately.
Values AmdgcnPrinter::dualPairs(Operation *op, Values left, Values right) {
  if (architecture_.generation < 11)
    return {};
  auto *pair = llvm::FixedVectorType::get(b.getFloatTy(), 2);
  auto copied = [&](mlir::Value operand, Values &elements) {
    struct Halves {
      std::array<llvm::Value *, 2> values;
      size_t uses = 0;
    };
    llvm::SmallDenseMap<int32_t, Halves> made;
    llvm::SmallVector<int32_t> registers = copiedRegisters(operand);
    for (auto [number, element] : llvm::zip(registers, elements)) {
      auto [found, isNew] = made.try_emplace(number);
      Halves &halves = found->second;
      if (isNew) {
        llvm::Value *both = b.CreateVectorSplat(2, element);
        auto *same = llvm::InlineAsm::get(llvm::FunctionType::get(pair, {pair}, false), "", "=v,0", false);
        both = b.CreateCall(same, {both});
        halves.values = {b.CreateExtractElement(both, uint64_t(0)), b.CreateExtractElement(both, uint64_t(1))};
      }
      element = halves.values[halves.uses++ % 2];
    }
    return !registers.empty();
  };
  bool some = copied(op->getOperand(0), left);
  some |= copied(op->getOperand(1), right);
  Values result;
  for (auto [x, y] : llvm::zip_equal(left, right)) {
    if (!some)
      break;
    result.push_back(isa<arith::AddFOp>(op)   ? b.CreateFAdd(x, y)
                     : isa<arith::SubFOp>(op) ? b.CreateFSub(x, y)
                                              : b.CreateFMul(x, y));
  }
  return result;
}

/// Rounds f32 values to f16 by x * 1 + -0, which is x rounded once. LLVM selects v_fma_mixlo_f16 and v_fma_mixhi_f16,
/// which write the lower and the upper half of a word. Two conversions would need a third instruction to pack their
/// results.
Values AmdgcnPrinter::roundPairs(llvm::ArrayRef<llvm::Value *> from) {
  if (!one_) { // 1 and -0 in a form that LLVM cannot fold
    llvm::IRBuilderBase::InsertPointGuard guard(b);
    llvm::BasicBlock &entry = function()->getEntryBlock();
    b.SetInsertPoint(&entry, entry.getFirstInsertionPt());
    one_ = b.CreateBitCast(ownConstant(0x3f800000, 0), b.getFloatTy());
    minusZero_ = b.CreateBitCast(ownConstant(0x80000000, 0), b.getFloatTy());
  }
  Values result;
  for (llvm::Value *x : from)
    result.push_back(
        b.CreateFPTrunc(b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, one_, minusZero_}), b.getHalfTy()));
  return result;
}

Values AmdgcnPrinter::castFloats(Operation *op, llvm::ArrayRef<llvm::Value *> from) {
  mlir::Type source = getElementTypeOrSelf(op->getOperand(0).getType());
  mlir::Type result = getElementTypeOrSelf(op->getResult(0).getType());
  if (tile::isFp8Scalar(source) || tile::isFp8Scalar(result))
    return {};
  if (source.isF32() && result.isF16() && from.size() % 2 == 0 && !llvmir::roundsTowardZero(op))
    return roundPairs(from);
  return llvmir::castBetween(b, from, elementType(op->getResult(0).getType()), llvmir::roundsTowardZero(op));
}

/// Passes elements (f32, or words of narrower elements) through empty instructions that LLVM does not move.
Values AmdgcnPrinter::keptHere(const Values &elements) {
  llvm::Type *type = elements.front()->getType();
  if (elements.size() * type->getScalarSizeInBits() % 32 != 0)
    return elements;
  bool isWord = type->getScalarSizeInBits() == 32;
  llvm::Type *word = isWord ? type : b.getInt32Ty(); // a bitcast of the elements LLVM would move, too
  auto *same = llvm::InlineAsm::get(llvm::FunctionType::get(word, {word}, false), "", "=v,0", /*hasSideEffects=*/true);
  Values words;
  for (llvm::Value *each : isWord ? elements : pack(elements))
    words.push_back(b.CreateCall(same, {each}));
  return isWord ? words : unpack(words, type);
}

} // namespace tegula::rocm
