// tile-hoist-invariants (LoopPasses.td): loop-invariant code motion.
#include "core/ir/tile/Tile.h"
#include "core/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_HOISTINVARIANTS
#include "core/passes/Passes.h.inc"

namespace {

bool hasLoops(LoopLikeOpInterface loop) {
  return loop
      ->walk([&](LoopLikeOpInterface inner) { return inner == loop ? WalkResult::advance() : WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether the op has a result in the language for any operands, and no effect. MLIR takes divisions to fail if the
/// divisor is zero; the language defines their results (docs/language.md), and simt-define-integers sees to it.
bool canRunAnyway(Operation *op) {
  bool isDivision = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
  return isMemoryEffectFree(op) && (isDivision || isSpeculatable(op));
}

struct HoistInvariantsPass : impl::HoistInvariantsBase<HoistInvariantsPass> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) { // inner loops first
      bool onlyScalars = hasLoops(loop);
      moveLoopInvariantCode(
          loop.getLoopRegions(), [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
          [&](Operation *op, Region *) {
            bool isHeld = llvm::any_of(op->getResults(), [](Value value) { return isTensor(value); });
            return !(onlyScalars && isHeld) && canRunAnyway(op);
          },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};

} // namespace
} // namespace tegula::tile
