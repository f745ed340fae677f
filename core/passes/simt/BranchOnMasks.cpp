// simt-branch-on-masks (SimtPasses.td): turns selects by a mask into branches where one scalar tells that the whole
// mask is true, and moves selects of whole vectors into branches by the same scalar.
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

/// The branch behind the select, in its block, that its scalar condition decides as well; null if the elements are so
/// few that selects are as cheap, or if the select is used before the branch's end.
scf::IfOp branchBehind(arith::SelectOp select) {
  constexpr int64_t kLeastBytes = 128; // of a thread
  auto type = dyn_cast<VectorType>(select.getType());
  if (!type || type.getNumElements() * elementBytes(type.getElementType()) < kLeastBytes)
    return {};
  Value condition = select.getCondition();
  if (auto splat = condition.getDefiningOp<SplatOp>())
    condition = splat.getOperand();
  Block *block = select->getBlock();
  auto branches = llvm::map_range(condition.getUsers(), [](Operation *user) { return dyn_cast<scf::IfOp>(user); });
  auto found = llvm::find_if(branches, [&](scf::IfOp branch) {
    return branch && branch->hasAttr(kUniformAttr) && branch->getBlock() == block && select->isBeforeInBlock(branch) &&
           llvm::all_of(select->getUsers(), [&](Operation *user) {
             Operation *at = block->findAncestorOpInBlock(*user);
             return at && branch->isBeforeInBlock(at);
           });
  });
  return found == branches.end() ? scf::IfOp() : *found;
}

/// Makes the select one of the branch's results.
void chooseIn(scf::IfOp branch, arith::SelectOp select) {
  OpBuilder builder(branch);
  SmallVector<Type> types(branch.getResultTypes());
  types.push_back(select.getType());
  auto made = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(), /*addThenBlock=*/true,
                                /*addElseBlock=*/true);
  made->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (auto [from, to, value] : {std::tuple(&branch.getThenRegion(), &made.getThenRegion(), select.getTrueValue()),
                                 {&branch.getElseRegion(), &made.getElseRegion(), select.getFalseValue()}}) {
    if (!from->empty())
      to->takeBody(*from);
    builder.setInsertionPointToEnd(&to->front());
    if (to->front().empty() || !to->front().back().hasTrait<OpTrait::IsTerminator>())
      scf::YieldOp::create(builder, branch.getLoc(), value);
    else
      to->front().getTerminator()->insertOperands(branch.getNumResults(), value);
  }
  for (auto [old, fresh] : llvm::zip(branch.getResults(), made.getResults()))
    old.replaceAllUsesWith(fresh);
  branch.erase();
  auto splat = select.getCondition().getDefiningOp<SplatOp>();
  select.replaceAllUsesWith(made.getResults().back());
  select.erase();
  if (splat && splat->use_empty())
    splat.erase();
}

void branchOn(arith::SelectOp select) {
  if (scf::IfOp behind = branchBehind(select))
    return chooseIn(behind, select);
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
