// Loops over the stages of rings in a persistent kernel, which carries the rings' places from one program to the next.
// Private to tile-persistent-loop.
#pragma once

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tegula::tile {

/// A loop over the stages of rings. It carries the rings' places (stage and phase), which are 0 before the first
/// iteration.
struct RingLoop {
  mlir::scf::ForOp loop;
  llvm::SmallVector<unsigned> places;  // indices of the carried values that are places
  llvm::SmallVector<mlir::Value> next; // for each of these, the place at which the next program's iterations begin
  /// The last stage of a ring, filled with zeros before the loop: delayed products of the first iteration read the
  /// stage before their own. `number`: the index of the carried value that is the iteration's stage.
  struct Cleared {
    simt::StageOp stage;
    unsigned number;
  };
  llvm::SmallVector<Cleared> cleared;
};

/// The only loop over rings in `ops`. Nothing if there is none or the code does not have this form. Ops after it may
/// also use the rings, and ops before it may fill stages with zeros.
std::optional<RingLoop> ringLoopOf(llvm::ArrayRef<mlir::Operation *> ops);

/// Whether the predicate holds for `op` or for an op nested in it.
bool anyInside(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> predicate);

} // namespace tegula::tile
