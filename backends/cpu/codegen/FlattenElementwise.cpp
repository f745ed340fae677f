// Flattens arith and math. Nearly every op has an opcode of its own, which a table lists.
#include "backends/cpu/codegen/FlattenFunction.h"

#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::cpu {
namespace {

const llvm::StringMap<Opcode> &opcodes() {
  static const llvm::StringMap<Opcode> table = {
      {"arith.addi", Opcode::Add},
      {"arith.subi", Opcode::Sub},
      {"arith.muli", Opcode::Mul},
      {"arith.divsi", Opcode::DivS},
      {"arith.divui", Opcode::DivU},
      {"arith.remsi", Opcode::RemS},
      {"arith.remui", Opcode::RemU},
      {"arith.andi", Opcode::And},
      {"arith.ori", Opcode::Or},
      {"arith.xori", Opcode::Xor},
      {"arith.shli", Opcode::Shl},
      {"arith.shrsi", Opcode::ShrS},
      {"arith.shrui", Opcode::ShrU},
      {"arith.minsi", Opcode::MinS},
      {"arith.maxsi", Opcode::MaxS},
      {"arith.minui", Opcode::MinU},
      {"arith.maxui", Opcode::MaxU},
      {"math.absi", Opcode::AbsI},
      {"arith.addf", Opcode::AddF},
      {"arith.subf", Opcode::SubF},
      {"arith.mulf", Opcode::MulF},
      {"arith.divf", Opcode::DivF},
      {"arith.remf", Opcode::RemF},
      {"arith.minnumf", Opcode::MinNumF},
      {"arith.maxnumf", Opcode::MaxNumF},
      {"arith.minimumf", Opcode::MinimumF},
      {"arith.maximumf", Opcode::MaximumF},
      {"arith.negf", Opcode::NegF},
      {"math.absf", Opcode::AbsF},
      {"math.fma", Opcode::Fma},
      {"math.exp", Opcode::Exp},
      {"math.exp2", Opcode::Exp2},
      {"math.expm1", Opcode::Expm1},
      {"math.log", Opcode::Log},
      {"math.log2", Opcode::Log2},
      {"math.log1p", Opcode::Log1p},
      {"math.sin", Opcode::Sin},
      {"math.cos", Opcode::Cos},
      {"math.tan", Opcode::Tan},
      {"math.sinh", Opcode::Sinh},
      {"math.cosh", Opcode::Cosh},
      {"math.tanh", Opcode::Tanh},
      {"math.asin", Opcode::Asin},
      {"math.acos", Opcode::Acos},
      {"math.atan", Opcode::Atan},
      {"math.atan2", Opcode::Atan2},
      {"math.erf", Opcode::Erf},
      {"math.sqrt", Opcode::Sqrt},
      {"math.rsqrt", Opcode::Rsqrt},
      {"math.powf", Opcode::Pow},
      {"math.ceil", Opcode::Ceil},
      {"math.floor", Opcode::Floor},
      {"math.round", Opcode::Round},
      {"math.trunc", Opcode::Trunc},
      {"arith.extsi", Opcode::ExtS},
      {"arith.extui", Opcode::ExtU},
      {"arith.trunci", Opcode::TruncI},
      {"arith.sitofp", Opcode::SIToF},
      {"arith.uitofp", Opcode::UIToF},
      {"arith.fptosi", Opcode::FToSI},
      {"arith.fptoui", Opcode::FToUI},
      {"arith.bitcast", Opcode::Bitcast},
  };
  return table;
}

IntPredicate predicate(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq: return IntPredicate::Eq;
  case arith::CmpIPredicate::ne: return IntPredicate::Ne;
  case arith::CmpIPredicate::slt: return IntPredicate::LtS;
  case arith::CmpIPredicate::sle: return IntPredicate::LeS;
  case arith::CmpIPredicate::sgt: return IntPredicate::GtS;
  case arith::CmpIPredicate::sge: return IntPredicate::GeS;
  case arith::CmpIPredicate::ult: return IntPredicate::LtU;
  case arith::CmpIPredicate::ule: return IntPredicate::LeU;
  case arith::CmpIPredicate::ugt: return IntPredicate::GtU;
  case arith::CmpIPredicate::uge: return IntPredicate::GeU;
  }
  llvm_unreachable("all predicates are handled");
}

FloatPredicate predicate(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ: return FloatPredicate::OEq;
  case arith::CmpFPredicate::ONE: return FloatPredicate::ONe;
  case arith::CmpFPredicate::OLT: return FloatPredicate::OLt;
  case arith::CmpFPredicate::OLE: return FloatPredicate::OLe;
  case arith::CmpFPredicate::OGT: return FloatPredicate::OGt;
  case arith::CmpFPredicate::OGE: return FloatPredicate::OGe;
  case arith::CmpFPredicate::ORD: return FloatPredicate::Ord;
  case arith::CmpFPredicate::UEQ: return FloatPredicate::UEq;
  case arith::CmpFPredicate::UNE: return FloatPredicate::UNe;
  case arith::CmpFPredicate::ULT: return FloatPredicate::ULt;
  case arith::CmpFPredicate::ULE: return FloatPredicate::ULe;
  case arith::CmpFPredicate::UGT: return FloatPredicate::UGt;
  case arith::CmpFPredicate::UGE: return FloatPredicate::UGe;
  case arith::CmpFPredicate::UNO: return FloatPredicate::Uno;
  case arith::CmpFPredicate::AlwaysFalse:
  case arith::CmpFPredicate::AlwaysTrue: break;
  }
  llvm_unreachable("constant predicates are handled by the caller");
}

/// Makes a constant boolean of the result's shape.
void boolConstant(FunctionWriter &writer, Value result, bool value) {
  Builder builder(result.getContext());
  auto scalar = builder.getBoolAttr(value);
  if (auto tensor = dyn_cast<RankedTensorType>(result.getType()))
    return writer.constant(SplatElementsAttr::get(tensor, Attribute(scalar)), result);
  writer.constant(scalar, result);
}

void compareFloats(FunctionWriter &writer, arith::CmpFOp op) {
  if (op.getPredicate() == arith::CmpFPredicate::AlwaysFalse || op.getPredicate() == arith::CmpFPredicate::AlwaysTrue)
    return boolConstant(writer, op.getResult(), op.getPredicate() == arith::CmpFPredicate::AlwaysTrue);
  writer.emit(Opcode::CmpF, op, int64_t(predicate(op.getPredicate())));
}

/// A select between whole tiles or descriptors by a scalar condition becomes a branch and a Move, which copies no
/// elements:
///     BranchIfFalse c -> L1;  r = Move x;  Jump L2;  L1: r = Move y;  L2:
void chooseWhole(FunctionWriter &writer, arith::SelectOp op) {
  Register result = writer.fresh(op.getType(), op.getLoc());
  size_t test = writer.emit(Opcode::BranchIfFalse, {}, writer[op.getCondition()], 0, op.getLoc());
  writer.emit(Opcode::Move, result, writer[op.getTrueValue()], {}, op.getLoc());
  size_t skip = writer.emit(Opcode::Jump, {}, {}, 0, op.getLoc());
  writer.setTarget(test);
  writer.emit(Opcode::Move, result, writer[op.getFalseValue()], {}, op.getLoc());
  writer.setTarget(skip);
  writer.alias(op.getResult(), result);
}

void select(FunctionWriter &writer, arith::SelectOp op) {
  bool isScalarCondition = !isa<RankedTensorType>(op.getCondition().getType());
  if (isScalarCondition && isa<RankedTensorType, tile::DescType>(op.getType()))
    return chooseWhole(writer, op);
  writer.emit(Opcode::Select, op);
}

/// Emits the low and the high half of a product; a half without uses is omitted.
void extendedProduct(FunctionWriter &writer, Operation *op, Opcode highHalf) {
  const Opcode halves[] = {Opcode::Mul, highHalf};
  for (auto [index, opcode] : llvm::enumerate(halves))
    if (Value result = op->getResult(index); !result.use_empty())
      writer.emit(opcode, writer.define(result), writer.all(op->getOperands()), {}, op->getLoc());
}

/// Emits the sum and the overflow bit: a sum that wrapped is less than either operand.
void extendedSum(FunctionWriter &writer, arith::AddUIExtendedOp op) {
  Register sum = writer.define(op.getSum());
  writer.emit(Opcode::Add, sum, writer.all(op->getOperands()), {}, op.getLoc());
  Register operands[] = {sum, writer[op.getLhs()]};
  writer.emit(Opcode::CmpI, writer.define(op.getOverflow()), operands, int64_t(IntPredicate::LtU), op.getLoc());
}

void narrowFloat(FunctionWriter &writer, arith::TruncFOp op) {
  RoundingMode rounding = RoundingMode::NearestEven;
  switch (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even)) {
  case arith::RoundingMode::to_nearest_even: break;
  case arith::RoundingMode::toward_zero: rounding = RoundingMode::TowardZero; break;
  default: fail(op.getLoc(), "expected rounding to nearest even or towards zero, found another rounding mode");
  }
  writer.emit(Opcode::ConvertF, op, int64_t(rounding));
}

/// An undefined value becomes zero.
void poison(FunctionWriter &writer, ub::PoisonOp op) {
  Builder builder(op.getContext());
  TypedAttr zero = builder.getZeroAttr(op.getType());
  if (!zero)
    fail(op.getLoc(), "expected a value that is defined on every path, found an undefined pointer");
  writer.constant(zero, op.getResult());
}

} // namespace

bool flattenElementwise(FunctionWriter &writer, Operation *op) {
  auto simple = opcodes().find(op->getName().getStringRef());
  if (simple != opcodes().end()) {
    writer.emit(simple->second, op);
    return true;
  }
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::ConstantOp op) { return writer.constant(op.getValue(), op.getResult()), true; })
      .Case(
          [&](arith::CmpIOp op) { return writer.emit(Opcode::CmpI, op, int64_t(predicate(op.getPredicate()))), true; })
      .Case([&](arith::CmpFOp op) { return compareFloats(writer, op), true; })
      .Case([&](arith::SelectOp op) { return select(writer, op), true; })
      .Case([&](arith::MulSIExtendedOp op) { return extendedProduct(writer, op, Opcode::MulHiS), true; })
      .Case([&](arith::MulUIExtendedOp op) { return extendedProduct(writer, op, Opcode::MulHiU), true; })
      .Case([&](arith::AddUIExtendedOp op) { return extendedSum(writer, op), true; })
      .Case(
          [&](arith::ExtFOp op) { return writer.emit(Opcode::ConvertF, op, int64_t(RoundingMode::NearestEven)), true; })
      .Case([&](arith::TruncFOp op) { return narrowFloat(writer, op), true; })
      .Case([&](ub::PoisonOp op) { return poison(writer, op), true; })
      .Default(false);
}

} // namespace tegula::cpu
