// Which of a loop's asynchronous products can overlap with other work. Private to the passes of core/passes/loops.
#pragma once

#include "core/ir/simt/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tegula::tile {

/// The buffer that a product's operand is a view of; null for a tensor.
simt::SharedAllocOp bufferOf(mlir::Value operand);

/// The same; for a tensor that threads loaded from a buffer, as operand A may be, that buffer.
simt::SharedAllocOp bufferReadBy(mlir::Value operand);

/// Whether each use of the value, also through transposes, is operand A or B of a dot whose instruction `isWanted`.
bool onlyFeedsDots(mlir::Value value, llvm::function_ref<bool(simt::InstructionAttr)> isWanted);

/// The product of a chain that an iteration leaves to the next one, which starts it right after its own first product
/// of the chain. In an attention:
///
///     s = dot(q, k);  p, scale = softmax(s);  sum = dot(p, v, sum * scale)
///
/// The loop then carries p and scale, too, and their product is under way while the next softmax is computed.
struct DelayedProduct {
  simt::WaitProductsOp wait; // for the product
  simt::ProductOp first;     // of the chain
  mlir::BlockArgument sum;   // the loop's
  mlir::Value scale;         // the factor of the sum; null: none
  simt::ProductOp product() const {
    simt::WaitProductsOp of = wait;
    return of.getProduct().getDefiningOp<simt::ProductOp>();
  }
  /// The value that the factor repeats along axes (SplatOp, ExpandDimsOp, BroadcastOp), or the factor itself.
  mlir::Value scaleSource() const;
  /// `sum` times the factor that repeats `source`; `sum` itself if there is no factor.
  mlir::Value scaled(mlir::OpBuilder &builder, mlir::Value sum, mlir::Value source) const;
};

/// The most bytes of a thread's registers for products that overlap: the target's `delayedBytes`, and three quarters of
/// what a thread has where so many run.
int64_t delayedBytesOf(const simt::Target &target, int64_t threads);

/// Products of a loop's body that can overlap with other work.
struct LoopProducts {
  /// Their result is taken by the next iteration's product and by nothing else in the loop, as in `sum += dot(a, b)`:
  /// they can run on until the next iteration has started its own. Each by the wait for it.
  llvm::SmallVector<simt::WaitProductsOp> runningOn;
  llvm::SmallVector<DelayedProduct> delayed;
  bool empty() const { return runningOn.empty() && delayed.empty(); }
  /// Whether the product, of the loop's body, is one of these.
  bool endsLater(simt::ProductOp product) const;
};

/// Finds the products that can run on or be delayed. `isRing(buffer)`: whether a buffer that the loop writes becomes a
/// ring. A product is delayed only if the tensors that the loop carries, the left operands of delayed products and the
/// results of products that others are computed from take at most `delayedBytes` of a thread's registers; of a loop
/// with several such results one product at most. `onlyFromZeros`: and only if its sum begins with zeros, so that of
/// several loops which continue one sum the first has delayed products.
LoopProducts findProducts(mlir::scf::ForOp loop, llvm::function_ref<bool(simt::SharedAllocOp)> isRing, int64_t threads,
                          int64_t delayedBytes, bool onlyFromZeros);

/// The values that the loop carries for delayed products, for the first iteration: of each product the left operand
/// (zeros) and, if its sum has a factor, the factor's source (one).
llvm::SmallVector<mlir::Value> firstCarried(mlir::OpBuilder &builder, llvm::ArrayRef<DelayedProduct> delayed);

/// Makes each iteration start the previous iteration's delayed products, and the last ones start after the loop, at
/// `after`. `carried`: the arguments for the values of firstCarried. `stage`: the argument that holds the ring stage of
/// the iteration. `operandBefore(builder, operand, stage)`: an operand's view in the stage before `stage`. Returns this
/// iteration's values for `carried`, which the caller yields.
llvm::SmallVector<mlir::Value>
delayProducts(mlir::scf::ForOp loop, llvm::ArrayRef<DelayedProduct> delayed,
              llvm::ArrayRef<mlir::BlockArgument> carried, mlir::BlockArgument stage, mlir::OpBuilder &after,
              llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value, mlir::Value)> operandBefore);

/// Lets a product run on: each iteration waits for the previous one's after it has started its own.
void runOn(mlir::scf::ForOp loop, simt::WaitProductsOp wait);

} // namespace tegula::tile
