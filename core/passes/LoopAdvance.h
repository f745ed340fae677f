// A value of a loop's body as it will be in the next iteration, or as it is in the first one before the loop. Private
// to the tile level's passes.
#pragma once

#include "core/ir/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include <string>

namespace tegula::tile {

/// What computing a value anew at the top of an iteration takes.
class LoopSlice {
public:
  explicit LoopSlice(mlir::scf::ForOp loop) : loop_(loop) {}

  /// Whether `value` of the next iteration can be computed at the top of this one, the last one included: by cheap pure
  /// ops of what the loop carries, none of which divides by what the loop changes. Where not, `blocker()` is an op of
  /// the body that stands in the way.
  bool canAdvance(mlir::Value value) { return follow(value, /*next=*/true); }
  mlir::Operation *blocker() const { return blocker_; }

private:
  bool follow(mlir::Value value, bool next);
  /// Behind the last iteration a divisor that the loop changes may be zero.
  bool dividesByChanging(mlir::Operation *op);

  mlir::scf::ForOp loop_;
  llvm::DenseSet<std::pair<mlir::Value, unsigned>> seen_;
  mlir::Operation *blocker_ = nullptr;
};

/// Makes values of the body again, at `builder`'s place, with other values for the loop's induction variable and what
/// it carries.
class LoopCloner {
public:
  using Arguments = std::function<mlir::Value(mlir::BlockArgument)>;
  LoopCloner(mlir::scf::ForOp loop, mlir::OpBuilder builder, Arguments arguments)
      : loop_(loop), builder_(builder), arguments_(std::move(arguments)) {}

  mlir::Value clone(mlir::Value value);

private:
  mlir::scf::ForOp loop_;
  mlir::OpBuilder builder_;
  Arguments arguments_;
  mlir::IRMapping made_;
};

} // namespace tegula::tile
