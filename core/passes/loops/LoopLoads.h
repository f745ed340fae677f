// Decides whether a load of a loop may be issued in an earlier iteration. For the passes of core/passes/loops and
// core/passes/schedule.
#pragma once

#include "core/ir/tile/ConditionsAttr.h"
#include "core/ir/tile/Tile.h"
#include "core/passes/shared/GlobalAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <string>

namespace tegula::tile {

/// The topic of remarks about software pipelining.
inline constexpr llvm::StringLiteral kPipelineTopic = "pipeline";

/// The innermost loops inside `op`.
llvm::SmallVector<mlir::scf::ForOp> innermostLoops(mlir::Operation *op);

/// Whether the op's result holds its operands' elements, or elementwise functions of them, and combines none along an
/// axis.
bool passesOn(mlir::Operation *op);

/// The loads of the loop, in source order, whose values reach a product of the loop as operands in registers or as
/// stores to the shared buffer of an operand, through ops that combine no elements along an axis: elementwise ops,
/// changes of shape, joins and splits.
llvm::SmallVector<LoadOp> feedingLoads(mlir::scf::ForOp loop);

/// The most stages of a ring: each adds a group of copies before the loop, and a schedule's `ahead` is at most 8.
inline constexpr int64_t kMostStages = 8;

/// The number of stages of the loop's rings: `tile.num_stages` of the loop, or, if it has no such attribute, of its
/// module. 1 if neither has the attribute.
int64_t stagesOf(mlir::scf::ForOp loop);

/// For remarks: " if the memory of 'x' and 'y' does not overlap" and so on for all pairs; empty if there is none.
std::string ifApart(mlir::func::FuncOp kernel, llvm::ArrayRef<ArgumentPair> pairs);

/// Bytes of a scalar or of a whole tensor.
int64_t bytesOfWhole(mlir::Type type);

/// The writes of a loop: loads must not be moved across them. Arguments that `tile.apart` of the kernel names are taken
/// for different arrays.
class LoopWrites {
public:
  explicit LoopWrites(mlir::scf::ForOp loop);

  /// The reason why no load of the loop can be issued ahead; empty if some can.
  const std::string &obstacle() const { return obstacle_; }
  /// The reason why this load cannot be issued ahead, its address computation aside; empty if it can. `assumed`: null,
  /// or where pairs of arguments are appended that must be apart for that; the caller adds them to the kernel
  /// (addApart) if it issues the load ahead. Only for targets whose code may be conditional.
  std::string obstacleOf(LoadOp load, llvm::SmallVectorImpl<ArgumentPair> *assumed = nullptr) const;
  /// The same for a copy by threads, directly in the body.
  std::string obstacleOf(simt::CopyOp copy, llvm::SmallVectorImpl<ArgumentPair> *assumed = nullptr) const;
  /// The reason why a load of elements of type `element` cannot be issued ahead, if it may read any of the kernel's
  /// arrays; empty if it can.
  std::string obstacleOf(mlir::Type element) const;

private:
  /// The same for reads through these pointers.
  std::string obstacleToReads(mlir::Value pointers, llvm::SmallVectorImpl<ArgumentPair> *assumed) const;

  mlir::scf::ForOp loop_;
  llvm::SmallVector<ArgumentPair> apart_; // of the kernel
  std::string obstacle_;
  llvm::SmallVector<mlir::Value> written_; // pointers of stores, and of atomics that loads may pass
};

} // namespace tegula::tile
