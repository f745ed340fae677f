// Which memory a kernel may read or write through each of its arguments. A launch uses this metadata to refuse memory
// that must not be written. A measurement launches a kernel many times; it warns if the kernel accumulates into an
// argument (atomic additions), because each launch then changes the result. Runs at the tile level, before descriptors
// are lowered.
#pragma once

#include "core/contracts/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::tile {

/// One entry for each argument. An address is followed through every value computed from it:
///
///   where(c, x, y) + i          may be an address of x and of y
///   carried by a loop or branch each value along its own edges
///   x.to(int64), and back       an address of x, also if it is only used as an offset
///   loaded from a table x       as x: writes through the table's pointers count as writes to x
///   stored as a value           can no longer be followed, so its argument counts as written
///
/// An integer that was loaded and becomes a pointer belongs to no argument. An op with unknown effects writes.
llvm::SmallVector<ArtifactParam::Access> argumentAccess(mlir::func::FuncOp kernel);

} // namespace tegula::tile
