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

/// Whether a product after the op may start before it: the op does not write memory that products read.
bool isPassed(Operation &op) {
  return isMemoryEffectFree(&op) || isa<simt::ProductOp, simt::WaitProductsOp, LoadOp>(op);
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

/// Moves the loop's copies by hardware from before its first products to right before the first wait for a product. The
/// warps of a product start it together, so all of them would wait for the thread that starts copies. A copy for a
/// later iteration fills a stage that no product in flight reads (RewriteCopies.cpp). If a barrier is needed before the
/// copy, simt-insert-barriers also inserts it after the products. Copies that this iteration waits for are not moved.
void startCopiesAfterProducts(scf::ForOp loop) {
  Operation *end = loop.getBody()->getTerminator();
  auto waits = loop.getBody()->getOps<simt::WaitProductsOp>();
  if (waits.empty())
    return;
  Operation *wait = *waits.begin();
  for (simt::CopyTileOp copy : llvm::to_vector(loop.getBody()->getOps<simt::CopyTileOp>())) {
    bool isForLater = llvm::all_of(copy->getUsers(), [&](Operation *user) { return user == end; });
    auto canPass = [](Operation &op) { // ops that neither write global memory nor wait
      return isMemoryEffectFree(&op) || isa<simt::ProductOp, LoadOp, simt::CopyTileOp>(op);
    };
    if (isForLater && copy->isBeforeInBlock(wait) &&
        llvm::all_of(llvm::make_range(std::next(copy->getIterator()), wait->getIterator()), canPass))
      copy->moveBefore(wait);
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
