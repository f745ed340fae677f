#include "core/passes/products/SwapOperands.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {

static Value transposed(OpBuilder &builder, Value matrix) {
  if (auto trans = matrix.getDefiningOp<TransOp>())
    return trans.getSrc();
  return TransOp::create(builder, matrix.getLoc(), matrix, ArrayRef<int32_t>{1, 0});
}

bool canBeSwapped(DotOp dot) {
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  auto sum = dyn_cast<BlockArgument>(dot.getC());
  return loop && sum && sum.getOwner() == loop.getBody() && sum.hasOneUse() && dot.getResult().hasOneUse() &&
         loop.getTiedLoopYieldedValue(sum)->get() == dot.getResult() && dot.getType().getRank() == 2;
}

DotOp makeSwapped(DotOp dot) {
  OpBuilder builder(dot);
  Value a = transposed(builder, dot.getB()), b = transposed(builder, dot.getA()), c = transposed(builder, dot.getC());
  return DotOp::create(builder, dot.getLoc(), a, b, c, dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
}

void takeSwapped(DotOp dot, DotOp swapped) {
  auto loop = cast<scf::ForOp>(dot->getParentOp());
  auto sum = cast<BlockArgument>(dot.getC());
  OpOperand &init = *loop.getTiedLoopInit(sum);
  OpResult result = loop.getTiedLoopResult(sum);
  loop.getTiedLoopYieldedValue(sum)->set(swapped);
  dot.erase();
  auto ofSum = swapped.getC().getDefiningOp<TransOp>();
  ofSum.getResult().replaceAllUsesWith(sum);
  ofSum.erase();
  OpBuilder builder(loop);
  init.set(transposed(builder, init.get()));
  sum.setType(swapped.getType());
  result.setType(swapped.getType());
  builder.setInsertionPointAfter(loop);
  auto back = TransOp::create(builder, loop.getLoc(), result, ArrayRef<int32_t>{1, 0});
  result.replaceAllUsesExcept(back, back);
}

void dropSwapped(DotOp swapped) {
  SmallVector<Value> operands(swapped->getOperands());
  swapped.erase();
  for (Value operand : operands)
    if (auto made = operand.getDefiningOp<TransOp>(); made && made->use_empty())
      made.erase();
}

} // namespace tegula::tile
