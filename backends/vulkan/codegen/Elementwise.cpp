// Prints elementwise ops of arith and math by a table from op to the SPIR-V for one element.
#include "backends/vulkan/codegen/Printer.h"
#include "core/ir/Numbers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using Code = spv::Op;

namespace tegula::vulkan {
namespace {

/// One element of an op: its operands, the type of the first operand, and the type of the result.
struct Element {
  Scalars &s;
  llvm::ArrayRef<Id> x;
  ScalarType from, to;
  FastMath fast;
};
using Rule = Id (*)(const Element &);

template <Code op> Id integers(const Element &e) { return e.s.integer(op, e.to, e.x[0], e.x[1]); }
template <Code op> Id floats(const Element &e) { return e.s.arithmetic(op, e.to, e.x[0], e.x[1], e.fast); }
template <bool isMaximum, bool number> Id extremum(const Element &e) {
  return e.s.extremum(e.to, e.x[0], e.x[1], isMaximum, number);
}
template <bool isMaximum, bool isSigned> Id extremumInteger(const Element &e) {
  return e.s.extremumInteger(e.to, e.x[0], e.x[1], isMaximum, isSigned);
}
template <bool isSigned> Id toFloat(const Element &e) { return e.s.integerToFloat(e.from, e.to, e.x[0], isSigned); }
template <bool isSigned> Id toInteger(const Element &e) { return e.s.floatToInteger(e.from, e.to, e.x[0], isSigned); }
template <bool isSigned> Id resize(const Element &e) { return e.s.resize(e.from, e.to, e.x[0], isSigned); }
Id convertFloat(const Element &e) { return e.s.convertFloat(e.from, e.to, e.x[0]); }
/// Integer arithmetic; `ofBool` computes i1 modulo 2.
template <Code op, Code ofBool> Id integersOrBool(const Element &e) {
  return e.s.integer(e.to == ScalarType::I1 ? ofBool : op, e.to, e.x[0], e.x[1]);
}

const llvm::StringMap<Rule> &rules() {
  static const llvm::StringMap<Rule> table = {
      {"arith.addf", floats<Code::OpFAdd>},
      {"arith.subf", floats<Code::OpFSub>},
      {"arith.mulf", floats<Code::OpFMul>},
      {"arith.negf", [](const Element &e) { return e.s.negate(e.to, e.x[0]); }},
      {"arith.maxnumf", extremum<true, true>},
      {"arith.minnumf", extremum<false, true>},
      {"arith.maximumf", extremum<true, false>},
      {"arith.minimumf", extremum<false, false>},
      {"arith.addi", integersOrBool<Code::OpIAdd, Code::OpLogicalNotEqual>},
      {"arith.subi", integersOrBool<Code::OpISub, Code::OpLogicalNotEqual>},
      {"arith.muli", integersOrBool<Code::OpIMul, Code::OpLogicalAnd>},
      {"arith.divsi", integers<Code::OpSDiv>},
      {"arith.divui", integers<Code::OpUDiv>},
      {"arith.remsi", integers<Code::OpSRem>},
      {"arith.remui", integers<Code::OpUMod>},
      {"arith.ceildivsi", [](const Element &e) { return e.s.divideUp(e.to, e.x[0], e.x[1], true); }},
      {"arith.ceildivui", [](const Element &e) { return e.s.divideUp(e.to, e.x[0], e.x[1], false); }},
      {"arith.floordivsi", [](const Element &e) { return e.s.divideDown(e.to, e.x[0], e.x[1]); }},
      {"arith.andi", [](const Element &e) { return e.s.both(e.x[0], e.x[1]); }},
      {"arith.ori", [](const Element &e) { return e.s.either(e.x[0], e.x[1]); }},
      {"arith.xori", [](const Element &e) { return e.s.differ(e.x[0], e.x[1]); }},
      {"arith.shli", integers<Code::OpShiftLeftLogical>},
      {"arith.shrsi", integers<Code::OpShiftRightArithmetic>},
      {"arith.shrui", integers<Code::OpShiftRightLogical>},
      {"arith.maxsi", extremumInteger<true, true>},
      {"arith.minsi", extremumInteger<false, true>},
      {"arith.maxui", extremumInteger<true, false>},
      {"arith.minui", extremumInteger<false, false>},
      {"arith.extf", convertFloat},
      {"arith.sitofp", toFloat<true>},
      {"arith.uitofp", toFloat<false>},
      {"arith.fptosi", toInteger<true>},
      {"arith.fptoui", toInteger<false>},
      {"arith.extsi", resize<true>},
      {"arith.extui", resize<false>},
      {"arith.trunci", resize<false>},
      {"arith.bitcast", [](const Element &e) { return e.s.fromBits(e.to, e.s.bits(e.from, e.x[0])); }},
      {"arith.select", [](const Element &e) { return e.s.b.select(e.x[0], e.x[1], e.x[2]); }},
      {"math.fma", [](const Element &e) { return e.s.fma(e.to, e.x[0], e.x[1], e.x[2]); }},
      {"math.absf", [](const Element &e) { return e.s.absolute(e.to, e.x[0]); }},
      {"math.absi", [](const Element &e) { return e.s.absoluteInteger(e.to, e.x[0]); }},
      {"math.ctlz", [](const Element &e) { return e.s.leadingZeros(e.to, e.x[0]); }},
      {"math.cttz", [](const Element &e) { return e.s.trailingZeros(e.to, e.x[0]); }},
      {"math.ctpop", [](const Element &e) { return e.s.populationCount(e.to, e.x[0]); }},
      {"math.copysign", [](const Element &e) { return e.s.copySign(e.to, e.x[0], e.x[1]); }},
      {"math.exp2",
       [](const Element &e) {
         bool isNative = e.to == ScalarType::F32 && !e.fast.approximate; // all others are expanded by core/math
         return isNative ? e.s.exp2(e.x[0]) : e.s.function("exp2", e.to, e.x[0]);
       }},
      {"math.powf", [](const Element &e) { return e.s.power(e.to, e.x[0], e.x[1]); }},
      {"math.atan2", [](const Element &e) { return e.s.arcTangent2(e.to, e.x[0], e.x[1]); }},
  };
  return table;
}

FastMath fastMathOf(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlagsAttr flags = fast ? fast.getFastMathFlagsAttr() : arith::FastMathFlagsAttr();
  if (!flags)
    return {};
  auto has = [&](arith::FastMathFlags flag) { return arith::bitEnumContainsAll(flags.getValue(), flag); };
  return {has(arith::FastMathFlags::contract), has(arith::FastMathFlags::afn), has(arith::FastMathFlags::arcp)};
}

Code comparisonOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OEQ: return Code::OpFOrdEqual;
  case P::OGT: return Code::OpFOrdGreaterThan;
  case P::OGE: return Code::OpFOrdGreaterThanEqual;
  case P::OLT: return Code::OpFOrdLessThan;
  case P::OLE: return Code::OpFOrdLessThanEqual;
  case P::ONE: return Code::OpFOrdNotEqual;
  case P::UEQ: return Code::OpFUnordEqual;
  case P::UGT: return Code::OpFUnordGreaterThan;
  case P::UGE: return Code::OpFUnordGreaterThanEqual;
  case P::ULT: return Code::OpFUnordLessThan;
  case P::ULE: return Code::OpFUnordLessThanEqual;
  case P::UNE: return Code::OpFUnordNotEqual;
  default: return Code::OpNop; // AlwaysFalse, AlwaysTrue, ORD, UNO: not a comparison of values
  }
}

Code comparisonOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq: return Code::OpIEqual;
  case P::ne: return Code::OpINotEqual;
  case P::slt: return Code::OpSLessThan;
  case P::sle: return Code::OpSLessThanEqual;
  case P::sgt: return Code::OpSGreaterThan;
  case P::sge: return Code::OpSGreaterThanEqual;
  case P::ult: return Code::OpULessThan;
  case P::ule: return Code::OpULessThanEqual;
  case P::ugt: return Code::OpUGreaterThan;
  case P::uge: return Code::OpUGreaterThanEqual;
  }
  llvm_unreachable("all predicates are listed");
}

/// The unsigned predicate for a signed one; nothing for other predicates.
std::optional<Code> unsignedOrder(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::slt: return Code::OpULessThan;
  case P::sle: return Code::OpULessThanEqual;
  case P::sgt: return Code::OpUGreaterThan;
  case P::sge: return Code::OpUGreaterThanEqual;
  default: return {};
  }
}

Id compareIntegers(Scalars &s, arith::CmpIPredicate predicate, ScalarType type, Id x, Id y) {
  if (s.isBool(x)) { // i1 is compared as a 32-bit integer; if signed, true is -1
    x = s.b.select(x, s.u32(~0u), s.u32(0));
    y = s.b.select(y, s.u32(~0u), s.u32(0));
  }
  if (!s.isHeld(type)) {
    bool isSigned = unsignedOrder(predicate).has_value();
    x = s.widen(type, x, isSigned);
    y = s.widen(type, y, isSigned);
  }
  // Mesa 22.3 wrongly folds a signed comparison of a sign-extended i32 with a 64-bit constant. With both sign bits
  // inverted, the unsigned comparison gives the same order and is not folded.
  if (std::optional<Code> order = unsignedOrder(predicate); order && bitWidth(type) == 64) {
    Id sign = s.constant(type, uint64_t(1) << 63);
    return s.b.compare(*order, s.differ(x, sign), s.differ(y, sign));
  }
  return s.b.compare(comparisonOf(predicate), x, y);
}

Id compareFloats(Scalars &s, arith::CmpFPredicate predicate, ScalarType type, Id x, Id y) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::AlwaysFalse: return s.m.constantBool(false);
  case P::AlwaysTrue: return s.m.constantBool(true);
  case P::UNO: return s.isUnordered(type, x, y);
  case P::ORD: return s.invert(s.isUnordered(type, x, y));
  default: return s.compareFloats(comparisonOf(predicate), type, x, y);
  }
}

} // namespace

/// True if the device's conversion to f16 rounds correctly, and the kernel both computes and uses f16 values.
static bool roundsAndUsesHalves(func::FuncOp kernel, const Profile &profile, const Scalars &scalars) {
  if (!profile.features.has(Feature::RoundToNearest16) || scalars.isSoft(ScalarType::F16))
    return false;
  auto isHalf = [](mlir::Type type) { return getElementTypeOrSelf(type).isF16(); };
  bool rounds = false, uses = false;
  kernel.walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    bool computes = (dialect == "arith" || dialect == "math" ||
                     isa<tile::FpCastOp, simt::ReduceRegistersOp, simt::AtomicRmwOp, simt::AtomicCasOp>(op)) &&
                    !isa<arith::ConstantOp, arith::SelectOp>(op);
    rounds |= computes && llvm::any_of(op->getResultTypes(), isHalf);
    uses |= computes && llvm::any_of(op->getOperandTypes(), isHalf);
  });
  return rounds && uses;
}

/// If Mesa's llvmpipe knows that an operand is zero, it folds x + 0 to x, x * 0 to 0 and 0 / x to 0; it ignores signs,
/// infinities and NaN in spite of the float controls. Therefore a kernel that contains a zero constant computes this
/// zero at run time in a way that no compiler can fold.
void Printer::readZero() {
  auto isZero = [](Attribute value) { return cast<FloatAttr>(value).getValue().isPosZero(); };
  auto found = kernel_.walk([&](arith::ConstantOp op) {
    if (!isa<FloatType>(getElementTypeOrSelf(op.getType())))
      return WalkResult::advance();
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    bool any = dense ? llvm::any_of(dense.getValues<Attribute>(), isZero) : isZero(op.getValue());
    return any ? WalkResult::interrupt() : WalkResult::advance();
  });
  bool hides = roundsAndUsesHalves(kernel_, profile_, scalars);
  if (found.wasInterrupted() || hides)
    zero_ = unknownZero_;
  if (hides)
    scalars.keepHalvesRounded(zero_);
}

Id Printer::zero(ScalarType type) {
  if (scalars.isSoft(type))
    return scalars.fromWord(type, zero_);
  Id narrow = b.bitcast(zero_, m.floatType(32));
  return type == ScalarType::F32 ? narrow : b.cast(Code::OpFConvert, narrow, scalars.type(type));
}

void Printer::printConstant(arith::ConstantOp op) {
  ScalarType type = scalarOf(op.getResult());
  auto constant = [&](Attribute value) {
    if (auto integer = dyn_cast<IntegerAttr>(value))
      return scalars.constant(type, integer.getValue().getZExtValue());
    const llvm::APFloat &number = cast<FloatAttr>(value).getValue();
    return number.isPosZero() ? zero(type) : scalars.constant(type, number.bitcastToAPInt().getZExtValue());
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
  const Values left = get(op->getOperand(0)), right = get(op->getOperand(1));
  ScalarType type = scalarOf(op->getOperand(0));
  Values result;
  for (size_t i = 0; i < left.size(); ++i)
    if (auto compared = dyn_cast<arith::CmpIOp>(op))
      result.push_back(compareIntegers(scalars, compared.getPredicate(), type, left[i], right[i]));
    else
      result.push_back(compareFloats(scalars, cast<arith::CmpFOp>(op).getPredicate(), type, left[i], right[i]));
  set(op->getResult(0), result);
}

Id Printer::element(Operation *op, llvm::ArrayRef<Id> operands, ScalarType from, ScalarType to) {
  if (auto cast = dyn_cast<tile::FpCastOp>(op))
    return scalars.convertFloat(from, to, operands[0], cast.getRounding() == tile::RoundingMode::TowardZero);
  if (auto cast = dyn_cast<arith::TruncFOp>(op))
    return scalars.convertFloat(from, to, operands[0], cast.getRoundingmode() == arith::RoundingMode::toward_zero);
  if (isa<arith::RemFOp>(op))
    return to == ScalarType::F64 ? 0 : scalars.remainder(to, operands[0], operands[1]);
  if (auto power = dyn_cast<math::FPowIOp>(op)) {
    ScalarType number = to == ScalarType::F64 ? to : ScalarType::F32;
    Id exponent = scalars.integerToFloat(scalarOf(power.getRhs()), number, operands[1], true);
    Id base = to == ScalarType::F64 ? operands[0] : scalars.toF32(to, operands[0]);
    Id result = scalars.power(number, base, exponent);
    return result ? scalars.fromF32(to, result) : 0;
  }
  if (auto rule = rules().find(op->getName().getStringRef()); rule != rules().end())
    return rule->second({scalars, operands, from, to, fastMathOf(op)});
  return scalars.function(op->getName().stripDialect(), to, operands[0]);
}

bool Printer::printElementwise(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    printConstant(constant);
    return true;
  }
  if (tile::computesFp8(op))
    fail(op, "target " + target_ + " has no code for this op on 8-bit floats");
  if (isa<arith::CmpIOp, arith::CmpFOp>(op)) {
    printCompare(op);
    return true;
  }
  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op)) {
    const Values left = get(op->getOperand(0)), right = get(op->getOperand(1));
    ScalarType type = scalarOf(op->getOperand(0));
    Values low, high;
    for (size_t i = 0; i < left.size(); ++i) {
      low.push_back(scalars.integer(Code::OpIMul, type, left[i], right[i]));
      high.push_back(scalars.multiplyHigh(type, left[i], right[i], isa<arith::MulSIExtendedOp>(op)));
    }
    set(op->getResult(0), low);
    set(op->getResult(1), high);
    return true;
  }
  if (isa<arith::DivFOp>(op)) {
    const Values left = get(op->getOperand(0)), right = get(op->getOperand(1));
    set(op->getResult(0), Values(scalars.divide(scalarOf(op->getResult(0)), left, right, fastMathOf(op))));
    return true;
  }
  if (isa<math::SqrtOp>(op)) {
    const Values operands = get(op->getOperand(0));
    set(op->getResult(0), Values(scalars.squareRoots(scalarOf(op->getResult(0)), operands, fastMathOf(op))));
    return true;
  }
  bool known = op->getName().getDialectNamespace() == "arith" || op->getName().getDialectNamespace() == "math";
  if (!known && !isa<tile::FpCastOp>(op))
    return false;
  ScalarType from = scalarOf(op->getOperand(0)), to = scalarOf(op->getResult(0));
  size_t count = size_t(simt::elementsOf(op->getResult(0).getType()));
  Values result;
  for (size_t i = 0; i < count; ++i) {
    llvm::SmallVector<Id, 3> operands;
    for (mlir::Value operand : op->getOperands()) {
      const Values &elements = get(operand);
      operands.push_back(elements.size() == 1 ? elements.front() : elements[i]); // a select's condition may be a scalar
    }
    Id element = this->element(op, operands, from, to);
    if (!element)
      fail(op, "target " + target_ + " has no code for this op on " + llvm::Twine(std::string(name(to))));
    result.push_back(element);
  }
  set(op->getResult(0), result);
  return true;
}

} // namespace tegula::vulkan
