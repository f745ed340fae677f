// Changes the types of values that are held in fragments, and inserts conversions where values enter or leave
// fragments.
#include "core/passes/products/FragmentPlacer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {
namespace {

using layout_ir::FragmentsAttr;
using layout_ir::FragmentsKind;

} // namespace

/// Rematerializes the value in fragments: clones the op that defines it, with operands and result in fragments.
Value FragmentPlacer::rematerialize(Value value, FragmentsAttr layout) {
  Operation *op = value.getDefiningOp();
  if (auto convert = dyn_cast<simt::ConvertLayoutOp>(op))
    return in(convert.getSrc(), layout);
  bool isLineOfThreads = isa<BroadcastOp>(op) && !holdsRows_;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isTensor(operand) && !isLineOfThreads) {
      auto broadcast = dyn_cast<BroadcastOp>(op);
      operand = in(operand, broadcast ? layout.as(*repeatedLine(broadcast)) : layout);
    }
    operands.push_back(operand);
  }
  OpBuilder builder(function_.getContext());
  builder.setInsertionPointAfterValue(value);
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  auto tensor = cast<RankedTensorType>(value.getType());
  auto type = RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layout);
  clone->getResult(0).setType(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(clone))
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  return clone->getResult(0);
}

Value FragmentPlacer::in(Value value, Attribute encoding) {
  if (encodingOf(value) == encoding)
    return value;
  if (Value known = made_.lookup({value, encoding}))
    return known;
  Value made;
  auto layout = dyn_cast<FragmentsAttr>(encoding);
  bool isOperand = layout && layout.getKind() == FragmentsKind::Operand;
  auto canBeMadeAgain = [&] {
    if (!holdsRows_)
      return isSplat(value) || isRowOrColumn(value);
    return layout.getKind() == FragmentsKind::Matrix ? isAvailable(value, layout.getKind())
                                                     : isComputable(value, layout.getKind());
  };
  if (layout && !isOperand && !isPlaced(value) && canBeMadeAgain()) {
    made = rematerialize(value, layout);
  } else if (layout && !isOperand && isPlaced(value)) {
    // A change from one fragment layout to another goes through the value's distributed layout.
    made = in(in(value, home_.at(value)), encoding);
  } else {
    OpBuilder builder(function_.getContext());
    builder.setInsertionPointAfterValue(value);
    auto tensor = cast<RankedTensorType>(value.getType());
    auto type = RankedTensorType::get(tensor.getShape(), tensor.getElementType(), encoding);
    made = simt::ConvertLayoutOp::create(builder, value.getLoc(), type, value);
  }
  return made_[{value, encoding}] = made;
}

/// The layout attribute of the form in which the op takes this operand: fragments, or a distributed layout.
Attribute FragmentPlacer::wanted(OpOperand &operand) const {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  auto now = [&](Value value) { return encodingOf(value); };
  if (auto dot = dyn_cast<DotOp>(op); dot && dot->hasAttr(simt::kInstructionAttr)) {
    if (number == 2)
      return now(dot.getResult());
    if (number == 0 && (isHandedOn(dot) || isHeld(dot)))
      return operandOf(dot);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return now(loop.getRegionIterArg(number - loop.getNumControlOperands()));
  if (isa<scf::YieldOp>(op)) {
    if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
      return now(loop.getRegionIterArg(number));
    if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()))
      return now(branch.getResult(number));
  }
  if (op->getNumResults() == 1 && isPlaced(op->getResult(0)) && !isa<DotOp>(op))
    return passesFragments(op) || isa<ReduceOp>(op) ? now(operand.get()) : now(op->getResult(0));
  auto home = home_.find(operand.get());
  return home == home_.end() ? now(operand.get()) : home->second;
}

void FragmentPlacer::rewrite() {
  SmallVector<OpOperand *> operands;
  function_.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isTensor(operand.get()))
        operands.push_back(&operand);
  });
  for (auto &[value, layout] : placed_) {
    auto tensor = cast<RankedTensorType>(value.getType());
    home_[value] = tensor.getEncoding();
    value.setType(RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layout));
  }
  for (OpOperand *operand : operands)
    operand->set(in(operand->get(), wanted(*operand)));
  // A conversion between distributed layouts whose result is now in fragments has become the identity.
  for (auto &[value, layout] : placed_)
    if (auto convert = value.getDefiningOp<simt::ConvertLayoutOp>()) {
      convert.replaceAllUsesWith(convert.getSrc());
      convert.erase();
    }
}

} // namespace tegula::tile
