// Loops over the stages of rings, whose places a kernel can carry from one program to the next. Private to
// tile-loop-programs.
#pragma once

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tegula::tile {

/// A loop over the stages of rings. It carries their places, stages and phases, which are 0 before the first iteration.
struct RingLoop {
  mlir::scf::ForOp loop;
  llvm::SmallVector<unsigned> places;  // which of the carried values they are
  llvm::SmallVector<mlir::Value> next; // for each place, where the next program's iterations go on
  /// A ring's last stage, filled with zeros before the loop: delayed products of the first iteration read the stage
  /// before its own. `number`: of the carried value that is the iteration's stage.
  struct Cleared {
    simt::StageOp stage;
    unsigned number;
  };
  llvm::SmallVector<Cleared> cleared;
};

/// The only loop of `ops` with rings; nothing if there is none or the code is not of this form. Ops behind it may use
/// the rings, too, and ops before it fill stages with zeros.
std::optional<RingLoop> ringLoopOf(llvm::ArrayRef<mlir::Operation *> ops);

/// Whether a predicate holds for `op` or an op inside of it.
bool anyInside(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> predicate);

} // namespace tegula::tile
