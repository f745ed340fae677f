// tile-order-products; see Passes.td.
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/passes/layouts/LayoutChoice.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/LoopLoads.h"
#include "core/passes/loops/LoopProducts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_ORDERPRODUCTS
#include "core/passes/Passes.h.inc"

namespace {

/// Whether a product may start before the op: it does not write what products read.
bool isPassed(Operation &op) {
  return isMemoryEffectFree(&op) || isa<simt::ProductOp, simt::WaitProductsOp, LoadOp>(op);
}

/// Adds the op to `slice`, behind those of its operands that are computed behind `first`, in the same block. False if
/// one of them cannot move there.
bool collectSlice(Operation *op, Operation *first, SetVector<Operation *> &slice) {
  for (Value operand : op->getOperands()) {
    Operation *made = operand.getDefiningOp();
    if (!made || made->getBlock() != first->getBlock() || !first->isBeforeInBlock(made) || slice.contains(made))
      continue;
    if (!isMemoryEffectFree(made) || made->getNumRegions() != 0 || !collectSlice(made, first, slice))
      return false;
  }
  slice.insert(op);
  return true;
}

/// Starts the product right behind `place`, an op before it in the block, if its operands are known there. The op that
/// then starts it, or null.
Operation *startBehind(Operation *place, simt::ProductOp product) {
  SetVector<Operation *> slice;
  if (!llvm::all_of(llvm::make_range(std::next(place->getIterator()), product->getIterator()), isPassed) ||
      !collectSlice(product, place, slice))
    return nullptr;
  for (Operation *op : slice) {
    op->moveAfter(place);
    place = op;
  }
  return product;
}

/// Starts each product right behind the first one that it need not follow, and behind those that start there already.
void startEarly(ArrayRef<simt::ProductOp> products) {
  SmallVector<Operation *> last(products.begin(), products.end()); // of those that start behind each
  for (size_t i = 1; i < products.size(); ++i)
    for (Operation *&place : MutableArrayRef(last).take_front(i))
      if (Operation *started = startBehind(place, products[i])) {
        place = started;
        break;
      }
}

/// Bytes of a thread's registers that sums and results of the loop's products take, all at a time.
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
      if (bytesOfResults(products, threads) <= limit)
        startEarly(products);
    });
  }
};

} // namespace
} // namespace tegula::tile
