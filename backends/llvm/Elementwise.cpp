// Prints elementwise ops of arith and math by a table from op to the LLVM instructions for one element.
#include "backends/llvm/Printer.h"
#include "backends/llvm/SmallFloats.h"
#include "core/ir/Numbers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace tegula::llvmir {
namespace {

/// One element of an op: its operands, the result's type, and the op's promises that an integer does not wrap.
struct Element {
  llvm::IRBuilder<> &b;
  llvm::ArrayRef<llvm::Value *> x;
  llvm::Type *type;
  arith::IntegerOverflowFlags noWrap;
};
using Rule = llvm::Value *(*)(const Element &);

template <llvm::Intrinsic::ID id> llvm::Value *unary(const Element &e) { return e.b.CreateUnaryIntrinsic(id, e.x[0]); }
template <llvm::Intrinsic::ID id> llvm::Value *binary(const Element &e) {
  return e.b.CreateBinaryIntrinsic(id, e.x[0], e.x[1]);
}
/// llvm.abs, ctlz or cttz with the flag false, so that no result is undefined: abs of the smallest integer is that
/// integer, ctlz and cttz of zero are the bit width.
template <llvm::Intrinsic::ID id> llvm::Value *unaryFlag(const Element &e) {
  return e.b.CreateBinaryIntrinsic(id, e.x[0], e.b.getFalse());
}
template <llvm::Instruction::BinaryOps op> llvm::Value *arithmetic(const Element &e) {
  return e.b.CreateBinOp(op, e.x[0], e.x[1]);
}
/// Gives the LLVM instruction the op's flags `nsw` and `nuw`. With them, LLVM rewrites extend(x + constant) to
/// extend(x) + constant, and the constant becomes the immediate offset of a load or store.
template <llvm::Instruction::BinaryOps op> llvm::Value *integerArithmetic(const Element &e) {
  llvm::Value *result = e.b.CreateBinOp(op, e.x[0], e.x[1]);
  if (auto *made = llvm::dyn_cast<llvm::BinaryOperator>(result)) { // not if it was folded to a constant
    made->setHasNoSignedWrap(bitEnumContainsAll(e.noWrap, arith::IntegerOverflowFlags::nsw));
    made->setHasNoUnsignedWrap(bitEnumContainsAll(e.noWrap, arith::IntegerOverflowFlags::nuw));
  }
  return result;
}
template <llvm::Instruction::CastOps op> llvm::Value *convert(const Element &e) {
  return e.b.CreateCast(op, e.x[0], e.type);
}

/// Rounds to odd at bit `last`, a power of two: clears the bits below `last`, and sets `last` if any of them was set. A
/// later rounding to fewer bits then cannot mistake a number near the middle of two results for the middle itself.
llvm::Value *toOdd(llvm::IRBuilder<> &b, llvm::Value *number, uint64_t last) {
  llvm::Value *anySet = b.CreateICmpNE(b.CreateAnd(number, b.getInt64(last - 1)), b.getInt64(0));
  return b.CreateOr(b.CreateAnd(number, b.getInt64(~(last - 1))),
                    b.CreateSelect(anySet, b.getInt64(last), b.getInt64(0)));
}

/// Converts an integer of 32 or 64 bits to bf16 with the result of a single rounding; LLVM 22 would round to f32 and
/// then to bf16. Here the steps before the last one round to odd: a number of magnitude 2^53 or more to f64, then every
/// number to f32.
llvm::Value *toBFloat(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Type *type, llvm::Instruction::CastOps op) {
  if (x->getType()->isIntegerTy(64)) {
    constexpr uint64_t kExact = uint64_t(1) << 53;
    llvm::Value *isExact = op == llvm::Instruction::SIToFP
                               ? b.CreateICmpULT(b.CreateAdd(x, b.getInt64(kExact)), b.getInt64(2 * kExact))
                               : b.CreateICmpULT(x, b.getInt64(kExact));
    x = b.CreateSelect(isExact, x, toOdd(b, x, uint64_t(1) << 11));
  }
  llvm::Value *wide = b.CreateBitCast(b.CreateCast(op, x, b.getDoubleTy()), b.getInt64Ty());
  llvm::Value *odd = b.CreateBitCast(toOdd(b, wide, uint64_t(1) << 29), b.getDoubleTy());
  return b.CreateFPTrunc(b.CreateFPTrunc(odd, b.getFloatTy()), type);
}

/// Converts an integer to a float. An i1 that is true becomes 1, or -1 if the conversion is signed.
template <llvm::Instruction::CastOps op> llvm::Value *toFloat(const Element &e) {
  bool roundsTwice = e.type->isBFloatTy() && e.x[0]->getType()->getIntegerBitWidth() >= 32;
  return roundsTwice ? toBFloat(e.b, e.x[0], e.type, op) : convert<op>(e);
}

using I = llvm::Instruction;
namespace N = llvm::Intrinsic;

/// Computes ceil(a / b) without the overflow of a + b - 1: the quotient rounded towards zero, plus one if the exact
/// quotient is positive and no integer.
llvm::Value *divideUp(const Element &e, bool isSigned) {
  llvm::Value *zero = llvm::ConstantInt::get(e.type, 0);
  llvm::Value *quotient = isSigned ? e.b.CreateSDiv(e.x[0], e.x[1]) : e.b.CreateUDiv(e.x[0], e.x[1]);
  llvm::Value *rest = e.b.CreateSub(e.x[0], e.b.CreateMul(quotient, e.x[1]));
  llvm::Value *more = e.b.CreateICmpNE(rest, zero);
  if (isSigned) // the exact quotient is positive if remainder and divisor have equal signs
    more = e.b.CreateAnd(more, e.b.CreateICmpSGE(e.b.CreateXor(rest, e.x[1]), zero));
  return e.b.CreateAdd(quotient, e.b.CreateZExt(more, e.type));
}

llvm::Value *divideDown(const Element &e) {
  llvm::Value *zero = llvm::ConstantInt::get(e.type, 0);
  llvm::Value *quotient = e.b.CreateSDiv(e.x[0], e.x[1]);
  llvm::Value *rest = e.b.CreateSub(e.x[0], e.b.CreateMul(quotient, e.x[1]));
  llvm::Value *less = e.b.CreateAnd(e.b.CreateICmpNE(rest, zero), e.b.CreateICmpSLT(e.b.CreateXor(rest, e.x[1]), zero));
  return e.b.CreateAdd(quotient, e.b.CreateSExt(less, e.type));
}

/// Converts a float to an integer: saturates to the integer's range, and NaN becomes zero, as on every backend. LLVM's
/// plain conversions are undefined in these cases.
template <llvm::Intrinsic::ID intrinsic> llvm::Value *toInteger(const Element &e) {
  return e.b.CreateIntrinsic(intrinsic, {e.type, e.x[0]->getType()}, {e.x[0]});
}

/// x * y + z with one rounding.
llvm::Value *fused(const Element &e) { return e.b.CreateIntrinsic(N::fma, {e.type}, {e.x[0], e.x[1], e.x[2]}); }

const llvm::StringMap<Rule> &rules() {
  static const llvm::StringMap<Rule> table = {
      {"arith.addf", arithmetic<I::FAdd>},
      {"arith.subf", arithmetic<I::FSub>},
      {"arith.mulf", arithmetic<I::FMul>},
      {"arith.divf", arithmetic<I::FDiv>},
      {"arith.remf", arithmetic<I::FRem>},
      {"arith.negf", [](const Element &e) { return e.b.CreateFNeg(e.x[0]); }},
      {"arith.maxnumf", binary<N::maxnum>},
      {"arith.minnumf", binary<N::minnum>},
      {"arith.maximumf", binary<N::maximum>},
      {"arith.minimumf", binary<N::minimum>},
      {"arith.addi", integerArithmetic<I::Add>},
      {"arith.subi", integerArithmetic<I::Sub>},
      {"arith.muli", integerArithmetic<I::Mul>},
      {"arith.divsi", arithmetic<I::SDiv>},
      {"arith.divui", arithmetic<I::UDiv>},
      {"arith.remsi", arithmetic<I::SRem>},
      {"arith.remui", arithmetic<I::URem>},
      {"arith.ceildivsi", [](const Element &e) { return divideUp(e, true); }},
      {"arith.ceildivui", [](const Element &e) { return divideUp(e, false); }},
      {"arith.floordivsi", divideDown},
      {"arith.andi", arithmetic<I::And>},
      {"arith.ori", arithmetic<I::Or>},
      {"arith.xori", arithmetic<I::Xor>},
      {"arith.shli", integerArithmetic<I::Shl>},
      {"arith.shrsi", arithmetic<I::AShr>},
      {"arith.shrui", arithmetic<I::LShr>},
      {"arith.maxsi", binary<N::smax>},
      {"arith.minsi", binary<N::smin>},
      {"arith.maxui", binary<N::umax>},
      {"arith.minui", binary<N::umin>},
      {"arith.extf", convert<I::FPExt>},
      {"arith.truncf", convert<I::FPTrunc>},
      {"arith.sitofp", toFloat<I::SIToFP>},
      {"arith.uitofp", toFloat<I::UIToFP>},
      {"arith.fptosi", toInteger<N::fptosi_sat>},
      {"arith.fptoui", toInteger<N::fptoui_sat>},
      {"arith.extsi", convert<I::SExt>},
      {"arith.extui", convert<I::ZExt>},
      {"arith.trunci", convert<I::Trunc>},
      {"arith.bitcast", convert<I::BitCast>},
      {"arith.select", [](const Element &e) { return e.b.CreateSelect(e.x[0], e.x[1], e.x[2]); }},
      {"math.fma", fused},
      {"math.absf", unary<N::fabs>},
      {"math.absi", unaryFlag<N::abs>},
      {"math.ctlz", unaryFlag<N::ctlz>},
      {"math.cttz", unaryFlag<N::cttz>},
      {"math.ctpop", unary<N::ctpop>},
      {"math.copysign", binary<N::copysign>},
      {"math.sqrt", unary<N::sqrt>},
      {"math.floor", unary<N::floor>},
      {"math.ceil", unary<N::ceil>},
      {"math.trunc", unary<N::trunc>},
      {"math.round", unary<N::round>},
      {"math.roundeven", unary<N::roundeven>},
  };
  return table;
}

llvm::FastMathFlags flagsOf(Operation *op) {
  llvm::FastMathFlags flags;
  arith::FastMathFlags given = fastMathOf(op);
  auto has = [&](arith::FastMathFlags flag) { return arith::bitEnumContainsAll(given, flag); };
  flags.setAllowReassoc(has(arith::FastMathFlags::reassoc));
  flags.setNoNaNs(has(arith::FastMathFlags::nnan));
  flags.setNoInfs(has(arith::FastMathFlags::ninf));
  flags.setNoSignedZeros(has(arith::FastMathFlags::nsz));
  flags.setAllowReciprocal(has(arith::FastMathFlags::arcp));
  flags.setAllowContract(has(arith::FastMathFlags::contract));
  flags.setApproxFunc(has(arith::FastMathFlags::afn));
  return flags;
}

llvm::CmpInst::Predicate predicateOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  using L = llvm::CmpInst;
  switch (predicate) {
  case P::AlwaysFalse: return L::FCMP_FALSE;
  case P::OEQ: return L::FCMP_OEQ;
  case P::OGT: return L::FCMP_OGT;
  case P::OGE: return L::FCMP_OGE;
  case P::OLT: return L::FCMP_OLT;
  case P::OLE: return L::FCMP_OLE;
  case P::ONE: return L::FCMP_ONE;
  case P::ORD: return L::FCMP_ORD;
  case P::UEQ: return L::FCMP_UEQ;
  case P::UGT: return L::FCMP_UGT;
  case P::UGE: return L::FCMP_UGE;
  case P::ULT: return L::FCMP_ULT;
  case P::ULE: return L::FCMP_ULE;
  case P::UNE: return L::FCMP_UNE;
  case P::UNO: return L::FCMP_UNO;
  case P::AlwaysTrue: return L::FCMP_TRUE;
  }
  llvm_unreachable("all predicates are listed");
}

llvm::CmpInst::Predicate predicateOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  using L = llvm::CmpInst;
  switch (predicate) {
  case P::eq: return L::ICMP_EQ;
  case P::ne: return L::ICMP_NE;
  case P::slt: return L::ICMP_SLT;
  case P::sle: return L::ICMP_SLE;
  case P::sgt: return L::ICMP_SGT;
  case P::sge: return L::ICMP_SGE;
  case P::ult: return L::ICMP_ULT;
  case P::ule: return L::ICMP_ULE;
  case P::ugt: return L::ICMP_UGT;
  case P::uge: return L::ICMP_UGE;
  }
  llvm_unreachable("all predicates are listed");
}

} // namespace

arith::FastMathFlags fastMathOf(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlagsAttr flags = fast ? fast.getFastMathFlagsAttr() : arith::FastMathFlagsAttr();
  return flags ? flags.getValue() : arith::FastMathFlags::none;
}

void Printer::printConstant(arith::ConstantOp op) {
  llvm::Type *type = elementType(op.getType());
  auto constant = [&](Attribute value) -> llvm::Value * {
    if (auto integer = dyn_cast<IntegerAttr>(value))
      return llvm::ConstantInt::get(type, integer.getValue());
    llvm::APFloat number = cast<FloatAttr>(value).getValue();
    if (type->isIntegerTy()) // an 8-bit float, which registers hold as an integer
      return llvm::ConstantInt::get(type, number.bitcastToAPInt());
    return llvm::ConstantFP::get(type, number);
  };
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return set(op, constant(op.getValue()));
  if (dense.isSplat())
    return set(op, Values(size_t(dense.getNumElements()), constant(dense.getSplatValue<Attribute>())));
  Values elements;
  for (Attribute value : dense.getValues<Attribute>())
    elements.push_back(constant(value));
  set(op, elements);
}

void Printer::printCompare(Operation *op) {
  auto integers = dyn_cast<arith::CmpIOp>(op);
  llvm::CmpInst::Predicate predicate =
      integers ? predicateOf(integers.getPredicate()) : predicateOf(cast<arith::CmpFOp>(op).getPredicate());
  Values result;
  for (auto [left, right] : llvm::zip(get(op->getOperand(0)), get(op->getOperand(1))))
    result.push_back(b.CreateCmp(predicate, left, right));
  set(op->getResult(0), result);
}

/// Prints arith.mulsi_extended and arith.mului_extended: the low and the high half of a product.
void Printer::printWideMultiply(Operation *op) {
  bool isSigned = isa<arith::MulSIExtendedOp>(op);
  Values low, high;
  for (auto [left, right] : llvm::zip(get(op->getOperand(0)), get(op->getOperand(1)))) {
    llvm::Type *narrow = left->getType(), *wide = b.getIntNTy(2 * narrow->getIntegerBitWidth());
    auto widen = [&](llvm::Value *value) { return isSigned ? b.CreateSExt(value, wide) : b.CreateZExt(value, wide); };
    llvm::Value *product = b.CreateMul(widen(left), widen(right));
    low.push_back(b.CreateTrunc(product, narrow));
    high.push_back(b.CreateTrunc(b.CreateLShr(product, narrow->getIntegerBitWidth()), narrow));
  }
  set(op->getResult(0), low);
  set(op->getResult(1), high);
}

bool Printer::printElementwise(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    printConstant(constant);
    return true;
  }
  bool known = op->getName().getDialectNamespace() == "arith" || op->getName().getDialectNamespace() == "math";
  if (!known && !isa<tile::FpCastOp>(op))
    return false;
  if (tile::computesFp8(op)) // 8-bit floats are held as integers
    failMissing(op);
  if (isa<arith::CmpIOp, arith::CmpFOp>(op)) {
    printCompare(op);
    return true;
  }
  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op)) {
    printWideMultiply(op);
    return true;
  }
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  b.setFastMathFlags(flagsOf(op));
  if (isa<tile::FpCastOp, arith::ExtFOp, arith::TruncFOp>(op))
    if (Values cast = castFloats(op, get(op->getOperand(0))); !cast.empty()) {
      set(op->getResult(0), cast);
      return true;
    }
  if (std::optional<Values> converted = smallFloats(*this, op)) {
    set(op->getResult(0), *converted);
    return true;
  }
  if (Values elements = targetElements(op); !elements.empty()) {
    set(op->getResult(0), elements);
    return true;
  }
  auto rule = rules().find(op->getName().getStringRef());
  llvm::Type *type = elementType(op->getResult(0).getType());
  size_t count = size_t(simt::elementsOf(op->getResult(0).getType()));
  auto integers = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  arith::IntegerOverflowFlags noWrap =
      integers ? integers.getOverflowAttr().getValue() : arith::IntegerOverflowFlags::none;
  Values result;
  for (size_t i = 0; i < count; ++i) {
    Values operands;
    for (mlir::Value operand : op->getOperands()) {
      const Values &elements = get(operand);
      operands.push_back(elements.size() == 1 ? elements.front() : elements[i]); // a select's condition may be a scalar
    }
    llvm::Value *element = targetElement(op, operands);
    if (!element && rule != rules().end())
      element = rule->second({b, operands, type, noWrap});
    if (!element)
      failMissing(op);
    result.push_back(element);
  }
  set(op->getResult(0), result);
  return true;
}

} // namespace tegula::llvmir
