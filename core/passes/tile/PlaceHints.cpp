// tile-place-hints (TilePasses.td): makes a tile.hint apply to all uses of its value.
#include "core/ir/tile/Tile.h"
#include "core/passes/Passes.h"

#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_PLACEHINTS
#include "core/passes/Passes.h.inc"

namespace {

/// Moves a hint to right after its value, if both are in one block: every execution of the block makes the promise.
void place(HintOp hint) {
  Value value = hint.getSrc();
  if (hint->getBlock() != value.getParentBlock())
    return;
  if (Operation *op = value.getDefiningOp())
    hint->moveAfter(op);
  else
    hint->moveBefore(hint->getBlock(), hint->getBlock()->begin());
}

struct PlaceHintsPass : impl::PlaceHintsBase<PlaceHintsPass> {
  void runOnOperation() override {
    SmallVector<HintOp> hints;
    getOperation().walk([&](HintOp hint) { hints.push_back(hint); });
    auto &dominance = getAnalysis<DominanceInfo>();
    for (HintOp hint : hints) {
      place(hint);
      hint.getSrc().replaceUsesWithIf(hint.getResult(), [&](OpOperand &use) {
        return dominance.properlyDominates(hint.getOperation(), use.getOwner());
      });
    }
  }
};

} // namespace
} // namespace tegula::tile
