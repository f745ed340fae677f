// tile-whole-masks (TilePasses.td): for the mask of a select in a loop with products, computes a scalar condition under
// which the mask is true for all elements, and replaces the mask by `mask or condition`. simt-branch-on-masks later
// branches on the condition.
#include "backends/cuda/passes/Passes.h"
#include "core/ir/tile/Tile.h"
#include "core/passes/analysis/LinearForm.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_WHOLEMASKS
#include "backends/cuda/passes/TilePasses.h.inc"

namespace {

/// Whether the op is in the body of a loop with one or two products, such as the forward pass of an attention. Branches
/// between more products, as in the backward pass, would keep the products from overlapping.
bool isBesideProduct(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  auto count = loop ? llvm::count_if(*loop.getBody(), [](Operation &other) { return isa<DotOp>(other); }) : 0;
  return count == 1 || count == 2;
}

/// Whether the scalar is computed only from values from outside the loop's body.
bool isInvariant(Value scalar, Region *body) {
  Operation *op = scalar.getDefiningOp();
  return !body->isAncestor(scalar.getParentRegion()) ||
         (op && op->getNumRegions() == 0 && isPure(op) &&
          llvm::all_of(op->getOperands(), [&](Value each) { return isInvariant(each, body); }));
}

void extendMask(arith::SelectOp select) {
  OpBuilder builder(select);
  Location location = select.getLoc();
  LinearForms forms(builder, location);
  if (!forms.requireAll(select.getCondition()) || !forms.mayHold() || forms.conditions().empty())
    return;
  // Loop-invariant conditions come first, so that their conjunction is hoisted as a single i1.
  SmallVector<Value> conditions(forms.conditions());
  std::stable_partition(conditions.begin(), conditions.end(),
                        [&](Value condition) { return isInvariant(condition, select->getParentRegion()); });
  Value isWhole = conditions.front();
  for (Value condition : ArrayRef(conditions).drop_front())
    isWhole = builder.createOrFold<arith::AndIOp>(location, isWhole, condition);
  Value whole = SplatOp::create(builder, location, select.getCondition().getType(), isWhole);
  select.getConditionMutable().assign(arith::OrIOp::create(builder, location, select.getCondition(), whole));
}

struct WholeMasksPass : impl::WholeMasksBase<WholeMasksPass> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation().walk([&](arith::SelectOp op) {
      auto mask = dyn_cast<RankedTensorType>(op.getCondition().getType());
      if (mask && mask.getRank() == 2 && isBesideProduct(op))
        selects.push_back(op);
    });
    for (arith::SelectOp select : selects)
      extendMask(select);
  }
};

} // namespace
} // namespace tegula::tile
