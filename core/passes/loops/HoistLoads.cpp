// tile-hoist-loads (LoopPasses.td): issues the loads for the products of a branch before the branch.
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopLoads.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_HOISTLOADS
#include "core/passes/Passes.h.inc"

namespace {

/// The branch in the loop's body that has all products of the loop; null if there is none.
scf::IfOp branchOfProducts(scf::ForOp loop) {
  scf::IfOp only;
  WalkResult result = loop.walk([&](DotOp dot) {
    auto branch = dyn_cast<scf::IfOp>(loop.getBody()->findAncestorOpInBlock(*dot));
    if (!branch || (only && branch != only))
      return WalkResult::interrupt();
    only = branch;
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? scf::IfOp() : only;
}

/// Whether the condition of later iterations can be computed: copies for later iterations need it.
bool isKnownAhead(scf::ForOp loop, Value condition) {
  auto isScalar = [](LoadOp load) { return !isTensor(load.getResult()); };
  return LoopSlice(loop, isScalar).canRunAhead(condition);
}

/// Moves loads of one block of a branch, with the ops that compute their addresses and masks.
class BlockLoads {
public:
  BlockLoads(scf::IfOp branch, Block *block) : branch_(branch), block_(block) {
    for (Operation &op : *block) {
      auto load = dyn_cast<LoadOp>(op);
      bool keepsOrder = load && (load.getIsVolatile() || load.getCache() == CacheModifier::Volatile);
      if (keepsOrder || (!load && !isMemoryEffectFree(&op)))
        break; // loads behind it may read what it writes, or what others have written by then
      early_.insert(&op);
    }
  }

  /// Moves the loads that can be moved. Where the condition is not `taken`, they load nothing.
  void hoist(ArrayRef<LoadOp> loads, bool taken) {
    llvm::SetVector<Operation *> moved;
    for (LoadOp load : loads) {
      llvm::SetVector<Operation *> slice;
      if (load->getBlock() == block_ && follow(load, slice))
        moved.insert_range(slice);
    }
    if (moved.empty())
      return;
    OpBuilder builder(branch_);
    Value condition = branch_.getCondition();
    if (!taken) {
      Value yes = arith::ConstantOp::create(builder, branch_.getLoc(), builder.getBoolAttr(true));
      condition = arith::XOrIOp::create(builder, branch_.getLoc(), condition, yes);
    }
    for (Operation &op : llvm::make_early_inc_range(*block_)) {
      if (!moved.contains(&op))
        continue;
      op.moveBefore(branch_);
      if (auto load = dyn_cast<LoadOp>(op))
        guardIndices(condition, load);
    }
  }

private:
  /// Adds to `slice` what computes the op's operands in the block. Returns false if something cannot be executed where
  /// the branch is not taken, such as a hint, which promises alignment only where it is reached, or is not cheap.
  bool follow(Operation *op, llvm::SetVector<Operation *> &slice) {
    auto load = dyn_cast<LoadOp>(op);
    bool isPlain = load && load.getCache() == CacheModifier::None;
    bool canRepeat = load ? isPlain : isPure(op) && canRepeatAhead(op);
    if (!early_.contains(op) || op->getNumRegions() != 0 || isa<HintOp>(op) || !canRepeat)
      return false;
    for (Value operand : op->getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (from && from->getBlock() == block_ && !slice.contains(from) && !follow(from, slice))
        return false;
    }
    slice.insert(op);
    return true;
  }

  scf::IfOp branch_;
  Block *block_;
  llvm::SmallPtrSet<Operation *, 32> early_;
};

struct HoistLoadsPass : impl::HoistLoadsBase<HoistLoadsPass> {
  void runOnOperation() override {
    if (!simt::targetOf(getOperation()).features.copiesAsync)
      return;
    for (scf::ForOp loop : innermostLoops(getOperation())) {
      scf::IfOp branch = stagesOf(loop) < 2 ? scf::IfOp() : branchOfProducts(loop);
      if (!branch || !LoopWrites(loop).obstacle().empty() || !isKnownAhead(loop, branch.getCondition()))
        continue;
      SmallVector<LoadOp> loads = feedingLoads(loop);
      BlockLoads(branch, branch.thenBlock()).hoist(loads, /*taken=*/true);
      if (branch.elseBlock())
        BlockLoads(branch, branch.elseBlock()).hoist(loads, /*taken=*/false);
    }
  }
};

} // namespace
} // namespace tegula::tile
