// Blocks that a producer copies before its loop, such as an attention's queries, in a persistent kernel: each launched
// program executes several programs of the grid. Private to tile-persistent-loop.
#pragma once

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace tegula::tile {

/// Blocks that the producer copies before its loop; all of them arrive at one barrier object (CopyOnce.cpp). In a
/// persistent kernel the barrier object and the buffers of the blocks get one or two stages each. With two stages, the
/// next program's blocks are copied while this program still reads its own.
struct PrologueBlocks {
  simt::ProducerOp producer;
  llvm::SmallVector<simt::CopyTileOp> copies;     // the producer's copies of the blocks
  llvm::SmallVector<simt::SharedAllocOp> buffers; // the destinations of the copies
  simt::BarrierAllocOp objects;
  simt::BarrierWaitOp wait; // the consumer warps' wait for the blocks
  int64_t stages = 1;

  /// Finds the blocks. Nothing if the producer copies no blocks before its loop; failure if it copies some in another
  /// way. `own`: the top-level ops of the consumer warps.
  static mlir::FailureOr<std::optional<PrologueBlocks>> find(simt::ProducerOp producer,
                                                             llvm::ArrayRef<mlir::Operation *> own);
  /// Bytes of shared memory for the buffers of all blocks, with one stage each.
  int64_t bytes();
  /// Returns `ops` without the copies of the blocks and without the wait for these copies.
  llvm::SmallVector<mlir::Operation *> without(llvm::ArrayRef<mlir::Operation *> ops);

  /// The stage and the phase of the blocks in a loop over programs: the last two values that the loop carries, both 0
  /// at first.
  static std::pair<mlir::Value, mlir::Value> placeIn(mlir::scf::ForOp programs);
  /// Gives the buffers of the blocks and their barrier object `stages` stages, and makes the producer wait before the
  /// copies until the consumer warps have handed the stage back. `programs`: the consumer warps' loop over programs;
  /// `copying`: the producer's loop over programs.
  void makeRings(mlir::scf::ForOp programs, mlir::scf::ForOp copying, uint32_t consumerWarps);

private:
  /// Gives the buffer its stages. Returns the view of the current program's stage, which replaces the buffer in the
  /// consumer warps' code.
  mlir::Value makeRing(simt::CopyTileOp copy, simt::SharedAllocOp buffer, mlir::Value copyStage,
                       mlir::scf::ForOp programs);
  /// Emits the arrivals that hand the stage back to the producer: after the last op that reads one of the views, and
  /// after the program's last products.
  void handBack(mlir::scf::ForOp programs, llvm::SetVector<mlir::Value> views, simt::BarrierAllocOp empty);
};

} // namespace tegula::tile
