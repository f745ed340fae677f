// tile-sink-exchanges (Passes.td): moves conversions of layouts and loads from rings to where their results are
// used.
#include "core/ir/simt/Simt.h"
#include "core/passes/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_SINKEXCHANGES
#include "core/passes/Passes.h.inc"

namespace {

/// What a view of a buffer is a part of: an allocation, or a block argument.
Value allocationOf(Value view) {
  Operation *op = view.getDefiningOp();
  return isa_and_nonnull<simt::StageOp, simt::PartOp, simt::TransposeOp>(op) ? allocationOf(op->getOperand(0)) : view;
}

/// Whether the view is of a stage or another part. Whole buffers are loaded where tile-stage-operands wants it.
bool isPartOfBuffer(Value view) {
  if (auto transpose = view.getDefiningOp<simt::TransposeOp>())
    return isPartOfBuffer(transpose.getSrc());
  return isa_and_nonnull<simt::StageOp, simt::PartOp>(view.getDefiningOp());
}

/// Whether the two are different allocations; not if either is unknown.
bool areApart(Value one, Value other) {
  return one != other && one.getDefiningOp<simt::SharedAllocOp>() && other.getDefiningOp<simt::SharedAllocOp>();
}

/// Whether `exchange` may stand behind `op`, which does not use its result.
bool mayPass(Operation *exchange, Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  if (simt::ScheduleAttr schedule = simt::scheduleOf(op); schedule && schedule.getPlace() != 0)
    return true; // it runs before or behind all that has no schedule
  if (isMemoryEffectFree(op) || isa<LoadOp, simt::SharedAllocOp, simt::SharedLoadOp>(op))
    return true;
  auto load = dyn_cast<simt::SharedLoadOp>(exchange);
  if (auto store = dyn_cast<simt::SharedStoreOp>(op))
    return !load || areApart(allocationOf(store.getDst()), allocationOf(load.getSrc()));
  if (load)
    return false;
  // Past the wait for a product only if the value was loaded in this block: its load may take as long as the product.
  // A value that was there before is converted while the product runs.
  if (isa<simt::WaitProductsOp>(op))
    return isa_and_nonnull<LoadOp>(exchange->getOperand(0).getDefiningOp()) &&
           !simt::isMadeAhead(exchange->getOperand(0));
  // tile-persistent-loop looks for a store, its fence and the copy of the result behind each other.
  if (isa<simt::FenceOp>(op))
    return !isa<simt::CopyOutOp>(op->getNextNode());
  return isa<simt::CopyOp, simt::WaitCopiesOp, simt::ProductOp>(op);
}

void sink(Operation *exchange) {
  SmallPtrSet<Operation *, 4> users;
  for (Operation *user : exchange->getUsers())
    users.insert(exchange->getBlock()->findAncestorOpInBlock(*user));
  Operation *at = exchange;
  while (!users.contains(at->getNextNode()) && mayPass(exchange, at->getNextNode()))
    at = at->getNextNode();
  if (at != exchange)
    exchange->moveAfter(at);
}

struct SinkExchangesPass : impl::SinkExchangesBase<SinkExchangesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> exchanges;
    getOperation()->walk([&](Operation *op) {
      auto load = dyn_cast<simt::SharedLoadOp>(op);
      if ((isa<simt::ConvertLayoutOp>(op) || (load && isPartOfBuffer(load.getSrc()))) && !op->use_empty())
        exchanges.push_back(op);
    });
    for (Operation *exchange : llvm::reverse(exchanges)) // so that each stops at those that use it
      sink(exchange);
  }
};

} // namespace
} // namespace tegula::tile
