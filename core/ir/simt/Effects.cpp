#include "core/ir/simt/Effects.h"

using namespace mlir;

namespace tegula::simt {

SmallVector<Operation *> effectsOf(func::FuncOp kernel) {
  SmallVector<Operation *> effects;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<PrintOp, AssertOp>(op))
      effects.push_back(op);
  });
  return effects;
}

} // namespace tegula::simt
