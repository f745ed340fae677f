// tile-order-products (LoopPasses.td): moves the starts of a loop's products up, as early as their operands allow, and
// before the starts of copies.
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/passes/layouts/LayoutChoice.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/LoopLoads.h"
#include "core/passes/loops/LoopProducts.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_ORDERPRODUCTS
#include "core/passes/Passes.h.inc"

namespace {

/// Whether the op has its place before or behind all that has no schedule.
bool isElsewhere(Operation &op) {
  simt::ScheduleAttr schedule = simt::scheduleOf(&op);
  return schedule && schedule.getPlace() != 0;
}

/// Whether a product after the op may start before it: the op does not write memory that products read.
bool isPassed(Operation &op) {
  return isMemoryEffectFree(&op) || isElsewhere(op) || isa<simt::ProductOp, simt::WaitProductsOp, LoadOp>(op);
}

/// Moves the product, and the ops that compute its operands, to right after `place`, an earlier op of the block. False,
/// and nothing moves, if one of these ops cannot move; the wait for another product is such an op.
bool startAfter(Operation *place, simt::ProductOp product) {
  if (!llvm::all_of(llvm::make_range(std::next(place->getIterator()), product->getIterator()), isPassed))
    return false;
  BackwardSliceOptions behindPlace;
  behindPlace.omitBlockArguments = true;
  behindPlace.filter = [&](Operation *op) { return op->getBlock() == place->getBlock() && place->isBeforeInBlock(op); };
  SetVector<Operation *> needed;
  (void)getBackwardSlice(product.getOperation(), &needed, behindPlace);
  if (!llvm::all_of(needed, [](Operation *op) { return isMemoryEffectFree(op) && op->getNumRegions() == 0; }))
    return false;
  needed.insert(product);
  for (Operation *op : needed) {
    op->moveAfter(place);
    place = op;
  }
  return true;
}

/// For each product, finds the first of the earlier products right after which its operands can be computed
/// (startAfter), and moves the product there: behind the products that were moved to the same place before it.
void startEarly(ArrayRef<simt::ProductOp> products) {
  SmallVector<Operation *> last(products.begin(), products.end()); // the last product that starts after each product
  for (size_t i = 1; i < products.size(); ++i) {
    auto places = MutableArrayRef(last).take_front(i);
    auto *found = llvm::find_if(places, [&](Operation *place) { return startAfter(place, products[i]); });
    if (found != places.end())
      *found = products[i];
  }
}

/// Lets the loop's copies by hardware start after its first products, right before the first wait for a product. The
/// warps of a product start it together, so all of them would wait for the thread that starts copies. A copy for a
/// later iteration fills a stage that no product in flight reads. If a barrier is needed before the copy,
/// simt-insert-barriers also inserts it after the products. Loops that also copy by threads, or access memory before
/// that wait, stay as they are.
void startCopiesAfterProducts(scf::ForOp loop) {
  auto waits = loop.getBody()->getOps<simt::WaitProductsOp>();
  if (waits.empty() || !loop.getBody()->getOps<simt::CopyOp>().empty())
    return;
  Operation *wait = *waits.begin();
  auto canPass = [](Operation &op) { // ops that neither write global memory nor wait
    return isMemoryEffectFree(&op) || isElsewhere(op) || isa<simt::ProductOp, LoadOp>(op);
  };
  if (!llvm::all_of(llvm::make_range(loop.getBody()->begin(), wait->getIterator()), canPass))
    return;
  for (simt::CopyTileOp copy : llvm::to_vector(loop.getBody()->getOps<simt::CopyTileOp>())) {
    simt::ScheduleAttr schedule = simt::scheduleOf(copy);
    if (!schedule || schedule.getPlace() >= 0)
      continue;
    // What computes the block's position can run ahead, so it is pure.
    BackwardSliceOptions behindWait;
    behindWait.omitBlockArguments = true;
    behindWait.filter = [&](Operation *op) { return op->getBlock() == wait->getBlock() && wait->isBeforeInBlock(op); };
    SetVector<Operation *> moved;
    (void)getBackwardSlice(copy.getOperation(), &moved, behindWait);
    moved.insert(copy);
    moved.insert(copy->user_begin(), copy->user_end());
    for (Operation *op : moved)
      op->moveBefore(wait);
    simt::setSchedule(copy, schedule.getAhead(), 0);
  }
}

/// Bytes of a thread's registers for the results of all of the loop's products, which are alive at the same time.
int64_t bytesOfResults(ArrayRef<simt::ProductOp> products, int64_t threads) {
  int64_t bytes = 0;
  for (simt::ProductOp product : products)
    bytes += bytesOfWhole(product.getType()) / threads;
  return bytes;
}

struct OrderProductsPass : impl::OrderProductsBase<OrderProductsPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    int64_t threads = threadsOf(getOperation()).count(), limit = delayedBytesOf(target, threads);
    getOperation()->walk([&](scf::ForOp loop) {
      SmallVector<simt::ProductOp> products = llvm::to_vector(loop.getBody()->getOps<simt::ProductOp>());
      if (bytesOfResults(products, threads) > limit)
        return;
      startEarly(products);
      if (products.size() > 1) // whether loops with one product gain was not measured
        startCopiesAfterProducts(loop);
    });
  }
};

} // namespace
} // namespace tegula::tile
