// tile-hoist-invariants (LoopPasses.td): loop-invariant code motion.
#include "core/ir/tile/Tile.h"
#include "core/passes/Passes.h"

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

struct HoistInvariantsPass : impl::HoistInvariantsBase<HoistInvariantsPass> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) { // inner loops first
      bool onlyScalars = hasLoops(loop);
      moveLoopInvariantCode(
          loop.getLoopRegions(), [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
          [&](Operation *op, Region *) {
            bool isHeld = llvm::any_of(op->getResults(), [](Value value) { return isTensor(value); });
            return !(onlyScalars && isHeld) && isMemoryEffectFree(op) && isSpeculatable(op);
          },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};

} // namespace
} // namespace tegula::tile
