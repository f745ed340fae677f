// Which of a loop's asynchronous products can overlap with other work. Private to the passes of core/passes/loops.
#pragma once

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tegula::tile {

/// The buffer that a product's operand is a view of; null for a tensor.
simt::SharedAllocOp bufferOf(mlir::Value operand);

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
  simt::ProductOp product() { return wait.getProduct().getDefiningOp<simt::ProductOp>(); }
  /// The value that the factor repeats along axes (SplatOp, ExpandDimsOp, BroadcastOp), or the factor itself.
  mlir::Value scaleSource() const;
  /// What is added to, of a sum and a source of the factor.
  mlir::Value scaled(mlir::OpBuilder &builder, mlir::Value sum, mlir::Value source) const;
};

/// Products of a loop's body that can overlap with other work.
struct LoopProducts {
  /// Their result is taken by the next iteration's product and by nothing else in the loop, as in `sum += dot(a, b)`:
  /// they can run on until the next iteration has started its own. Each by the wait for it.
  llvm::SmallVector<simt::WaitProductsOp> runningOn;
  llvm::SmallVector<DelayedProduct> delayed;
  bool empty() const { return runningOn.empty() && delayed.empty(); }
};

/// Finds them. `isRing` says of a buffer that the loop writes whether it will be a ring. Products are delayed only if a
/// thread then spends at most `delayedBytes` of registers on the tensors that the loop carries, the left operands, and
/// the first product's result.
LoopProducts findProducts(mlir::scf::ForOp loop, llvm::function_ref<bool(simt::SharedAllocOp)> isRing, int64_t threads,
                          int64_t delayedBytes);

/// Lets a product run on: each iteration waits for the previous one's after it has started its own.
void runOn(mlir::scf::ForOp loop, simt::WaitProductsOp wait);

} // namespace tegula::tile
