// simt-branch-on-masks (SimtPasses.td): turns selects by a mask into branches where one scalar tells that the whole
// mask is true.
#include "core/ir/simt/Simt.h"
#include "core/passes/Passes.h"
#include "core/passes/simt/UniformNumber.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_BRANCHONMASKS
#include "core/passes/SimtPasses.h.inc"

namespace {

/// The operands of a mask `mask | splat(all)` whose scalar `all` is the same in all threads; null for other masks.
std::pair<Value, Value> maskAndAll(Value mask) {
  auto either = mask.getDefiningOp<arith::OrIOp>();
  if (!either || !isa<VectorType>(mask.getType()))
    return {};
  for (auto [some, other] : {std::pair(either.getLhs(), either.getRhs()), {either.getRhs(), either.getLhs()}})
    if (auto splat = other.getDefiningOp<SplatOp>(); splat && isUniformNumber(splat.getOperand()))
      return {some, splat.getOperand()};
  return {};
}

/// Sinks ops that precede the branch into its else region if only that region uses them.
void sink(scf::IfOp branch) {
  Region &into = branch.getElseRegion();
  for (Operation *op = branch->getPrevNode(), *previous; op; op = previous) {
    previous = op->getPrevNode();
    bool isUsedThere = !op->use_empty() && llvm::all_of(op->getUsers(), [&](Operation *user) {
      return into.isAncestor(user->getParentRegion());
    });
    if (isUsedThere && op->getNumRegions() == 0 && isMemoryEffectFree(op))
      op->moveBefore(&into.front(), into.front().begin());
  }
}

void branchOn(arith::SelectOp select) {
  auto [mask, all] = maskAndAll(select.getCondition());
  if (!all)
    return;
  OpBuilder builder(select);
  Location location = select.getLoc();
  auto branch = scf::IfOp::create(builder, location, select.getType(), all, /*withElseRegion=*/true);
  branch->setAttr(kUniformAttr, builder.getUnitAttr());
  OpBuilder whole = branch.getThenBodyBuilder(), partly = branch.getElseBodyBuilder();
  scf::YieldOp::create(whole, location, select.getTrueValue());
  Value chosen = arith::SelectOp::create(partly, location, mask, select.getTrueValue(), select.getFalseValue());
  scf::YieldOp::create(partly, location, chosen);
  Operation *either = select.getCondition().getDefiningOp();
  select.replaceAllUsesWith(branch.getResult(0));
  select.erase();
  if (either->use_empty())
    either->erase();
  sink(branch);
}

struct BranchOnMasksPass : impl::BranchOnMasksBase<BranchOnMasksPass> {
  void runOnOperation() override {
    SmallVector<arith::SelectOp> selects;
    getOperation()->walk([&](arith::SelectOp op) { selects.push_back(op); });
    for (arith::SelectOp select : selects)
      branchOn(select);
  }
};

} // namespace
} // namespace tegula::simt
