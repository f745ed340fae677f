// What speaks to the host or to other threads.
#include "core/passes/tosimt/Lowering.h"

using namespace mlir;

namespace tegula::tosimt {

LogicalResult Lowering::lowerEffect(Operation *op) {
  if (isa<tile::BarrierOp>(op)) {
    b_.create<simt::BarrierOp>(location_, IntegerAttr());
    return success();
  }
  if (isa<tile::AssumeOp>(op)) // its facts were used by the passes before
    return success();
  if (auto check = dyn_cast<tile::AssertOp>(op)) {
    b_.create<simt::AssertOp>(location_, get(check.getCondition()), check.getMessage());
    return success();
  }
  return op->emitOpError("has no lowering to threads yet");
}

} // namespace tegula::tosimt
