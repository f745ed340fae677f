// A forward dataflow analysis over structured control flow. Its state is the set of accesses by threads that no fence
// follows on some path. A barrier that a conflicting copy may follow gets a fence, the first such barrier behind each
// access. "May follow" is approximated: the copy is later in the source, or a loop is around both.
#include "core/passes/shared/FenceCopies.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::simt {

namespace {

class CopyFences {
public:
  CopyFences(Block &scope, const SharedAccesses &accesses) : accesses_(accesses) {
    scope.walk<WalkOrder::PreOrder>([&](Operation *op) { order_.try_emplace(op, order_.size()); });
    for (unsigned a = 0; a < accesses_.all().size(); ++a) {
      const SharedAccess &access = accesses_.all()[a];
      if (access.kind == AccessKind::TileLoad && order_.contains(access.op) &&
          !access.op->getParentOfType<ProducerOp>())
        copies_.push_back(a);
    }
  }

  void run(Block &scope) {
    if (copies_.empty())
      return;
    llvm::BitVector unfenced(unsigned(accesses_.all().size()));
    flow(scope, unfenced);
  }

private:
  bool mayFollow(Operation *copy, Operation *barrier) const {
    if (order_.at(copy) > order_.at(barrier))
      return true;
    for (Operation *loop = barrier->getParentOp(); loop; loop = loop->getParentOp())
      if (isa<scf::ForOp, scf::WhileOp>(loop) && loop->isProperAncestor(copy))
        return true;
    return false;
  }

  bool needsFence(Operation *barrier, const llvm::BitVector &unfenced) const {
    return llvm::any_of(copies_, [&](unsigned copy) {
      return unfenced.anyCommon(accesses_.conflictsOf(copy)) && mayFollow(accesses_.all()[copy].op, barrier);
    });
  }

  void flow(Block &block, llvm::BitVector &unfenced) {
    for (Operation &op : llvm::make_early_inc_range(block))
      flow(&op, unfenced);
  }

  void flow(Operation *op, llvm::BitVector &unfenced) {
    if (isa<scf::ForOp, scf::WhileOp>(op))
      return flowLoop(op, unfenced);
    if (isa<ProducerOp>(op))
      return;
    if (op->getNumRegions() != 0) { // a branch, or groups of warps: each region begins with the state before the op
      llvm::BitVector before = unfenced;
      for (Region &region : op->getRegions())
        if (!region.empty()) {
          llvm::BitVector inside = before;
          flow(region.front(), inside);
          unfenced |= inside;
        }
      return;
    }
    if (auto fence = dyn_cast<FenceOp>(op)) {
      if (fence.getKind() == FenceKind::Async || fence.getKind() == FenceKind::AsyncDevice)
        unfenced.reset();
    } else if (isRegionBarrier(op)) {
      if (!needsFence(op, unfenced))
        return;
      OpBuilder builder(op);
      FenceOp::create(builder, op->getLoc(), FenceKind::Async);
      unfenced.reset();
    } else {
      auto [first, last] = accesses_.of(op);
      for (unsigned a = first; a < last; ++a)
        if (accesses_.all()[a].kind == AccessKind::Ordinary && !accesses_.all()[a].global)
          unfenced.set(a);
    }
  }

  void flowLoop(Operation *loop, llvm::BitVector &unfenced) {
    for (;;) {
      llvm::BitVector inside = unfenced, after = unfenced; // a for loop may run no iteration
      for (Region &region : loop->getRegions()) {
        flow(region.front(), inside);
        after |= inside; // a while loop ends behind its first region
      }
      after |= unfenced;
      if (after == unfenced)
        return;
      unfenced = after;
    }
  }

  const SharedAccesses &accesses_;
  llvm::DenseMap<Operation *, size_t> order_; // of ops, in the source
  SmallVector<unsigned> copies_;
};

} // namespace

void fenceBeforeCopies(Block &scope, const SharedAccesses &accesses) { CopyFences(scope, accesses).run(scope); }

void mergeFences(Block &scope) {
  FenceOp last;
  for (Operation &op : llvm::make_early_inc_range(scope)) {
    for (Region &region : op.getRegions())
      for (Block &block : region)
        mergeFences(block);
    if (auto fence = dyn_cast<FenceOp>(op); fence && fence.getKind() == FenceKind::Async) {
      if (last)
        last.erase();
      last = fence;
    } else if (op.getNumRegions() != 0 ||
               !(isMemoryEffectFree(&op) ||
                 isa<SharedLoadOp, SharedStoreOp, LoadMatrixOp, StoreMatrixOp, LoadOp>(op))) {
      last = {};
    }
  }
}

} // namespace tegula::simt
