// Computes values of a loop's later iterations early: whether that is possible for a value of the body, and clones of
// the ops that compute it. For passes that issue loads or copies ahead. Private to the tile level's passes.
#pragma once

#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace tegula::tile {

/// All values that an op of the body uses, including uses in its regions.
llvm::SmallVector<mlir::Value> usesOf(mlir::Operation *op);

/// Whether an op of a loop's body can be executed again for an iteration that may not take place: it is pure and cheap,
/// and its divisions can be guarded (LoopCloner::guardBy): past the last iteration a divisor may be zero.
bool canRepeatAhead(mlir::Operation *op);

/// Decides whether values of the loop's body can be computed for later iterations.
class LoopSlice {
public:
  /// `mayRead`: whether a load of the loop may be executed for a later iteration, to compute the value; null: none may.
  /// It must outlive the slice.
  explicit LoopSlice(mlir::scf::ForOp loop, llvm::function_ref<bool(LoadOp)> mayRead = nullptr)
      : loop_(loop), mayRead_(mayRead) {}

  /// Whether `value` of any later iteration can be computed: by ops that canRepeatAhead, from the induction variable
  /// and carried arguments, whose own next values can be computed so, too. `carried()` then holds these arguments. If
  /// not, `blocker()` is an op of the body that prevents it.
  bool canRunAhead(mlir::Value value);
  mlir::ArrayRef<mlir::BlockArgument> carried() const { return carried_.getArrayRef(); }
  /// The loads that the value depends on.
  mlir::ArrayRef<LoadOp> reads() const { return reads_.getArrayRef(); }
  mlir::Operation *blocker() const { return blocker_; }

private:
  bool follow(mlir::Value value);

  mlir::scf::ForOp loop_;
  llvm::function_ref<bool(LoadOp)> mayRead_;
  llvm::DenseSet<mlir::Value> seen_;
  llvm::SetVector<mlir::BlockArgument> carried_;
  llvm::SetVector<LoadOp> reads_;
  mlir::Operation *blocker_ = nullptr;
};

/// Emits an i1 that is true if the loop has at least one iteration. It tests the bounds, and also the step, which may
/// be known at run time only and may not be positive.
mlir::Value hasIteration(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

/// Replaces the loop by one that also carries further values, with the initial values `inits`. Returns the arguments of
/// the new values; the caller appends their next values to the yield.
llvm::ArrayRef<mlir::BlockArgument> carryMore(mlir::scf::ForOp &loop, llvm::ArrayRef<mlir::Value> inits);

/// Replaces the loop by one without the carried values that no result, no effect and no other carried value depends on.
void dropUnusedCarried(mlir::scf::ForOp loop);

/// Adds `condition`, an i1 scalar, to the load's mask.
void maskBy(mlir::Value condition, LoadOp load);
/// The same for a load of indices: elements that are masked off are zero, for which facts promised of a loaded index
/// hold, so that an address computed from it is aligned.
void guardIndices(mlir::Value condition, LoadOp load);

/// Clones the ops that compute values of the body to `builder`'s insertion point, and replaces the loop's induction
/// variable and carried arguments by other values.
class LoopCloner {
public:
  using Arguments = std::function<mlir::Value(mlir::BlockArgument)>;
  LoopCloner(mlir::scf::ForOp loop, mlir::OpBuilder builder, Arguments arguments)
      : loop_(loop), builder_(builder), arguments_(std::move(arguments)) {}

  /// Makes the clones safe where their iteration does not take place: cloned divisions divide by 1 there, because their
  /// divisors may be zero, and cloned loads give zero.
  /// `takesPlace`: an i1, whether the iteration takes place; null if it certainly does.
  /// `loopRuns`: the same of the loop's first iteration; it guards divisors that the loop does not change.
  void guardBy(mlir::Value takesPlace, mlir::Value loopRuns) {
    takesPlace_ = takesPlace;
    loopRuns_ = loopRuns;
  }
  /// From now on, clones that would use a clone of `value` use `made` instead.
  void substitute(mlir::Value value, mlir::Value made) { made_.map(value, made); }

  mlir::Value clone(mlir::Value value);

private:
  void guard(mlir::Operation *division, mlir::Value condition);

  mlir::scf::ForOp loop_;
  mlir::OpBuilder builder_;
  Arguments arguments_;
  mlir::Value takesPlace_, loopRuns_;
  mlir::IRMapping made_;
};

} // namespace tegula::tile
