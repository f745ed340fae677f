// Blocks that a producer copies before its loop, such as an attention's queries, in a kernel whose launched programs
// execute several of the grid. Private to tile-loop-programs.
#pragma once

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace tegula::tile {

/// Blocks that the producer copies before its loop; all of them arrive at one barrier object (CopyOnce.cpp). Where the
/// kernel's own code and its producer's become loops over programs, the barrier object and the buffers of the blocks
/// get one or two stages each. With two, the next program's blocks are copied while this program still reads its own.
struct BlocksAhead {
  simt::ProducerOp producer;
  llvm::SmallVector<simt::CopyTileOp> copies;     // of the producer
  llvm::SmallVector<simt::SharedAllocOp> buffers; // of the copies
  simt::BarrierAllocOp objects;
  simt::BarrierWaitOp wait; // of the kernel's own warps
  int64_t stages = 1;

  /// Finds the blocks, if there are any; fails if the producer copies some in another way. `own`: the top-level ops of
  /// the kernel's own code.
  static mlir::FailureOr<std::optional<BlocksAhead>> find(simt::ProducerOp producer,
                                                          llvm::ArrayRef<mlir::Operation *> own);
  /// Of all buffers, with one stage.
  int64_t bytes();
  /// The ops without the copies and the wait.
  llvm::SmallVector<mlir::Operation *> without(llvm::ArrayRef<mlir::Operation *> ops);

  /// Of a loop over programs, the stage and the phase: the last two values that it carries, 0 in the beginning.
  static std::pair<mlir::Value, mlir::Value> placeIn(mlir::scf::ForOp programs);
  /// Makes the rings. `programs`: the loop of the kernel's own code; `copying`: that of the producer.
  void makeRings(mlir::scf::ForOp programs, mlir::scf::ForOp copying, uint32_t ownWarps);

private:
  /// Gives the buffer its stages. Returns the program's stage, which takes the buffer's place in the kernel's own code.
  mlir::Value makeRing(simt::CopyTileOp copy, simt::SharedAllocOp buffer, mlir::Value copyStage,
                       mlir::scf::ForOp programs);
  /// Hands the stage back, behind the last op that reads one of the views, and behind the program's last products.
  void handBack(mlir::scf::ForOp programs, llvm::SetVector<mlir::Value> views, simt::BarrierAllocOp empty);
};

} // namespace tegula::tile
