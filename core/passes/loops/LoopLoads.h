// What lets a load of a loop be issued in an earlier iteration. Private to the passes of core/passes/loops.
#pragma once

#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <string>

namespace tegula::tile {

/// The topic of remarks about loads that are issued ahead.
inline constexpr llvm::StringLiteral kPipelineTopic = "pipeline";

/// Loops of the op that contain no loop.
llvm::SmallVector<mlir::scf::ForOp> innermostLoops(mlir::Operation *op);

/// The loads of the loop, in source order, whose values reach a product of the loop as operands in registers or as
/// stores to the shared buffer of an operand, through ops that combine no elements along an axis: elementwise ops,
/// changes of shape, joins and splits.
llvm::SmallVector<LoadOp> feedingLoads(mlir::scf::ForOp loop);

/// `tile.num_stages` of the loop, else of its module; 1 if neither says.
int64_t stagesOf(mlir::scf::ForOp loop);

/// Bytes of a scalar or of a whole tensor.
int64_t bytesOfWhole(mlir::Type type);

/// The writes of a loop, which loads may not pass.
class LoopWrites {
public:
  explicit LoopWrites(mlir::scf::ForOp loop);

  /// Why no load of the loop can be issued ahead; empty if one can.
  const std::string &obstacle() const { return obstacle_; }
  /// Why this load cannot be, apart from how its address is computed; empty if it can.
  std::string obstacleOf(LoadOp load) const;
  /// The same for loads of elements of this type from an array that may be any of the kernel's arrays.
  std::string obstacleOf(mlir::Type element) const;

private:
  mlir::scf::ForOp loop_;
  std::string obstacle_;
  llvm::SmallVector<mlir::Value> written_; // the pointers of stores, and of atomics that order nothing
};

} // namespace tegula::tile
