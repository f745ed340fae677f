// For passes that issue work of a loop's iteration early: whether a value of the body can be computed for a later
// iteration, and clones of the ops that compute it. Private to the tile level's passes.
#pragma once

#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace tegula::tile {

/// Whether a value of the loop's body can be computed at the top of an iteration.
class LoopSlice {
public:
  /// `mayRead`: whether a load of the loop may be executed for a later iteration, to compute the value; null: none may.
  /// It must outlive the slice.
  explicit LoopSlice(mlir::scf::ForOp loop, llvm::function_ref<bool(LoadOp)> mayRead = nullptr)
      : loop_(loop), mayRead_(mayRead) {}

  /// Whether the next iteration's `value` can be computed at the top of each iteration, the last one included: by cheap
  /// pure ops from values that the loop carries, without a division by a value that the loop changes. If not,
  /// `blocker()` is an op of the body that prevents it.
  bool canAdvance(mlir::Value value) { return follow(value, /*next=*/true); }
  /// The same for `value` of any later iteration: it also asks for the next values of all carried arguments that the
  /// value depends on, which `carried()` then holds.
  bool canRunAhead(mlir::Value value);
  mlir::ArrayRef<mlir::BlockArgument> carried() const { return carried_.getArrayRef(); }
  /// The loads that the value depends on.
  mlir::ArrayRef<LoadOp> reads() const { return reads_.getArrayRef(); }
  mlir::Operation *blocker() const { return blocker_; }

private:
  bool follow(mlir::Value value, bool next);
  /// Whether the op divides by a value that the loop changes: after the last iteration that value may be zero.
  bool dividesByChanging(mlir::Operation *op);

  mlir::scf::ForOp loop_;
  llvm::function_ref<bool(LoadOp)> mayRead_;
  llvm::DenseSet<std::pair<mlir::Value, unsigned>> seen_;
  llvm::SetVector<mlir::BlockArgument> carried_;
  llvm::SetVector<LoadOp> reads_;
  mlir::Operation *blocker_ = nullptr;
};

/// Emits whether the loop has an iteration, an i1: its bounds decide, and its step, which may be known at run time only
/// and then be no positive number.
mlir::Value hasIteration(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

/// Replaces the loop by one that also carries values, which are `inits` in the first iteration; returns their
/// arguments. The caller appends their next values to the yield.
llvm::ArrayRef<mlir::BlockArgument> carryMore(mlir::scf::ForOp &loop, llvm::ArrayRef<mlir::Value> inits);

/// Replaces the loop by one without the carried values on which no result, no effect and no other carried value
/// depends.
void dropUnusedCarried(mlir::scf::ForOp loop);

/// Adds `condition`, an i1 scalar, to the load's mask.
void maskBy(mlir::Value condition, LoadOp load);

/// Clones the ops that compute values of the body to `builder`'s insertion point, with other values in place of the
/// loop's induction variable and carried arguments.
class LoopCloner {
public:
  using Arguments = std::function<mlir::Value(mlir::BlockArgument)>;
  LoopCloner(mlir::scf::ForOp loop, mlir::OpBuilder builder, Arguments arguments)
      : loop_(loop), builder_(builder), arguments_(std::move(arguments)) {}

  /// Where this i1 is false, because the iteration does not take place, cloned divisions divide by 1, since their
  /// divisors may be zero, and cloned loads are masked off.
  void guardBy(mlir::Value condition) { condition_ = condition; }
  /// Uses `made` where the ops would clone `value`.
  void take(mlir::Value value, mlir::Value made) { made_.map(value, made); }

  mlir::Value clone(mlir::Value value);

private:
  void guard(mlir::Operation *division);

  mlir::scf::ForOp loop_;
  mlir::OpBuilder builder_;
  Arguments arguments_;
  mlir::Value condition_;
  mlir::IRMapping made_;
};

} // namespace tegula::tile
