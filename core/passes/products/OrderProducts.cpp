// tile-order-products; see Passes.td.
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/passes/layouts/LayoutChoice.h"
#include "core/passes/layouts/ProductLayouts.h"

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

/// Starts the product right behind one before it in the block, if its operands are known there.
bool startBehind(simt::ProductOp before, simt::ProductOp product) {
  SetVector<Operation *> slice;
  if (!llvm::all_of(llvm::make_range(std::next(before->getIterator()), product->getIterator()), isPassed) ||
      !collectSlice(product, before, slice))
    return false;
  Operation *last = before;
  for (Operation *op : slice) {
    op->moveAfter(last);
    last = op;
  }
  return true;
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
    int64_t limit = simt::targetOf(getOperation()).policies.delayedBytes, threads = threadsOf(getOperation()).count();
    getOperation()->walk([&](scf::ForOp loop) {
      SmallVector<simt::ProductOp> products = llvm::to_vector(loop.getBody()->getOps<simt::ProductOp>());
      if (bytesOfResults(products, threads) > limit)
        return;
      for (size_t i = 1; i < products.size(); ++i)
        (void)llvm::any_of(ArrayRef(products).take_front(i),
                           [&](simt::ProductOp before) { return startBehind(before, products[i]); });
    });
  }
};

} // namespace
} // namespace tegula::tile
