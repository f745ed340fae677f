// Finds the asynchronous products of a loop that can overlap with other work. Private to the passes of
// core/passes/loops.
#pragma once

#include "core/ir/simt/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace tegula::tile {

/// The buffer of which a product's operand is a view; null for a tensor.
simt::SharedAllocOp bufferOf(mlir::Value operand);

/// The shared buffer that holds a product's operand: the buffer of which the operand is a view, or, if the operand is a
/// tensor (only A may be one), the buffer from which threads loaded it. Null if there is no such buffer.
simt::SharedAllocOp bufferReadBy(mlir::Value operand);

/// The ring stage of which a product's operand is a view, or from which it was loaded; null for other operands.
simt::StageOp stageReadBy(mlir::Value operand);

/// The store by which threads fill the whole buffer in each iteration; of a ring, its stage 0, which stands for the
/// stage of the iteration. Null if other ops fill it too, if something reads it before the store, outside of the loop
/// or in a branch, or if a view names another stage. Such a buffer holds an operand that the loop computes, or loads in
/// the ordinary way.
simt::SharedStoreOp fillingStore(mlir::scf::ForOp loop, simt::SharedAllocOp buffer);

/// Whether each use of the value, also through transposes, is operand A or B of a dot whose instruction `isWanted`.
bool onlyFeedsDots(mlir::Value value, llvm::function_ref<bool(simt::InstructionAttr)> isWanted);

/// The loads of the loop, through pointers or descriptors, of raw tiles: an operand of a product (a DotOp) of the loop
/// whose instruction reads shared memory is computed from the tile element by element, perhaps with scales or masks, or
/// the tile is such an operand and other ops use it, too. Operands that depend on another product have none.
llvm::SetVector<mlir::Operation *> rawLoads(mlir::scf::ForOp loop);

/// Whether the schedule lets the op run in the iteration after its own (`ahead -1`).
bool runsLater(mlir::Operation *op);

/// A delayed product: the last product of a chain, which an iteration leaves to the next iteration. The next iteration
/// starts it right after its own first product of the chain. In an attention:
///
///     s = dot(q, k);  p, scale = softmax(s);  sum = dot(p, v, sum * scale)
///
/// The loop then also carries p and scale, and their product runs while the next softmax is computed.
struct DelayedProduct {
  simt::WaitProductsOp wait; // the wait for the product
  simt::ProductOp first;     // the first product of the chain
  mlir::BlockArgument sum;   // the loop's argument that holds the sum
  mlir::Value scale;         // the factor of the sum; null: no factor
  simt::ProductOp product() const {
    simt::WaitProductsOp of = wait;
    return of.getProduct().getDefiningOp<simt::ProductOp>();
  }
  /// The value that the factor repeats along axes (by SplatOp, ExpandDimsOp, BroadcastOp), or the factor itself.
  mlir::Value scaleSource() const;
  /// Emits `sum` times the factor made from `source`; `sum` itself if there is no factor.
  mlir::Value scaled(mlir::OpBuilder &builder, mlir::Value sum, mlir::Value source) const;
};

/// The most bytes of a thread's registers that overlapping products may take: the target's `delayedBytes`, but at most
/// three quarters of the registers that a thread has in a program of `threads` threads.
int64_t delayedBytesOf(const simt::Target &target, int64_t threads);

/// The products of a loop's body that can overlap with other work.
struct LoopProducts {
  /// Products that run on: nothing in the loop but the next iteration's product takes their result, as in `sum +=
  /// dot(a, b)`. They may run until the next iteration has started its own product. Listed by the wait for each
  /// product.
  llvm::SmallVector<simt::WaitProductsOp> runningOn;
  llvm::SmallVector<DelayedProduct> delayed;
  bool empty() const { return runningOn.empty() && delayed.empty(); }
  /// Whether the product, an op of the loop's body, runs on or is delayed.
  bool endsLater(simt::ProductOp product) const;
};

/// The product that `wait` waits for as a delayed one. Nothing if the loop has another form: the wait's result must
/// only be yielded, to an argument that only the product's sum takes, perhaps times a factor, and the left operand must
/// be computed from an earlier product's result.
std::optional<DelayedProduct> delayedBy(mlir::scf::ForOp loop, simt::WaitProductsOp wait);

/// Whether the product that `wait` waits for can run on: the next iteration's product alone takes its result, and its
/// operands are in shared memory.
bool canRunOn(mlir::scf::ForOp loop, simt::WaitProductsOp wait);

/// Whether the tensor is a sum of products; zeros count as the empty sum. Only such a sum may be the first of a delayed
/// product: the first iteration adds zeros times zeros, which changes -0 to 0.
bool isSumOfProducts(mlir::Value value);

/// Finds the products that can run on or be delayed. `isRing(buffer)`: whether a buffer that the loop writes becomes a
/// ring; `isStored(buffer)`: whether it becomes one if a product that reads it can run on. A product is delayed only if
/// three kinds of tensors together take at most `delayedBytes` of a thread's registers: loop-carried tensors, left
/// operands of delayed products, and results from which other products are computed. In a loop with several such
/// results, at most one product is delayed. `onlyFromZeros`: a product is delayed only if its sum begins with zeros; of
/// several loops that continue one sum, only the first then has delayed products.
LoopProducts findProducts(mlir::scf::ForOp loop, llvm::function_ref<bool(simt::SharedAllocOp)> isRing,
                          llvm::function_ref<bool(simt::SharedAllocOp)> isStored, int64_t threads, int64_t delayedBytes,
                          bool onlyFromZeros);

/// The initial loop-carried values for delayed products: for each product the left operand (zeros) and, if its sum has
/// a factor, the factor's source (one).
llvm::SmallVector<mlir::Value> firstCarried(mlir::OpBuilder &builder, llvm::ArrayRef<DelayedProduct> delayed);

/// Makes each iteration start the previous iteration's delayed products; the delayed products of the last iteration
/// start after the loop, at `after`. `carried`: the arguments for the values of firstCarried. `operandBefore(builder,
/// operand, isAfterLoop)`: emits an operand's view in the stage of the previous iteration, or, after the loop, of the
/// last one. Returns this iteration's values for `carried`, which the caller yields.
llvm::SmallVector<mlir::Value>
delayProducts(mlir::scf::ForOp loop, llvm::ArrayRef<DelayedProduct> delayed,
              llvm::ArrayRef<mlir::BlockArgument> carried, mlir::OpBuilder &after,
              llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value, bool)> operandBefore);

/// Lets a product run on: each iteration starts its own product before it waits for the previous iteration's product.
void runOn(mlir::scf::ForOp loop, simt::WaitProductsOp wait);

} // namespace tegula::tile
