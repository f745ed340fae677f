#include "core/passes/analysis/NotNegative.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

bool movesOnly(Operation *op) { return isa<SplatOp, ExpandDimsOp, BroadcastOp, ReshapeOp, TransOp>(op); }

arith::AddFOp sumOf(ReduceOp reduce) {
  Block &body = reduce.getCombine().front();
  if (reduce->getNumOperands() != 1 || !llvm::hasNItems(body, 2))
    return nullptr;
  auto sum = dyn_cast<arith::AddFOp>(body.front());
  bool addsArguments = sum && llvm::all_of(sum->getOperands(), [&](Value value) {
                         return isa<BlockArgument>(value) && value.getParentBlock() == &body;
                       });
  return addsArguments && sum.getLhs() != sum.getRhs() ? sum : nullptr;
}

bool NotNegative::holds(Value value) {
  auto [known, isNew] = known_.try_emplace(value, false);
  return isNew ? known_[value] = isComputed(value) : known->second;
}

bool NotNegative::holdsForAll(ValueRange values) {
  return llvm::all_of(values, [&](Value value) { return holds(value); });
}

bool NotNegative::isComputed(Value value) {
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return !number.getValue().isNegative();
  SplatElementsAttr same;
  if (matchPattern(value, m_Constant(&same)))
    return isa<FloatType>(same.getElementType()) && !same.getSplatValue<APFloat>().isNegative();
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto square = dyn_cast<arith::MulFOp>(op); square && square.getLhs() == square.getRhs())
    return true;
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return holdsForAll({select.getTrueValue(), select.getFalseValue()});
  auto reduce = dyn_cast<ReduceOp>(op);
  bool keepsSign = isa<arith::AddFOp, arith::MulFOp, arith::DivFOp>(op) || movesOnly(op) || (reduce && sumOf(reduce));
  return isa<math::ExpOp, math::Exp2Op, math::AbsFOp>(op) || (keepsSign && holdsForAll(op->getOperands()));
}

} // namespace tegula::tile
