// What a kernel may do to the memory that its arguments lead to: the metadata by which a launch refuses memory that
// must not be written, and a measurement warns of results that add up. For the tile level, before descriptors are
// lowered.
#pragma once

#include "core/contracts/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::tile {

/// One entry an argument. An address is followed through everything that is computed from it:
///
///   where(c, x, y) + i          may be of x and of y
///   carried by a loop or branch each value along its own edges
///   x.to(int64), and back       as x, also where it is only an offset
///   loaded from a table x       as x: writes through the table's pointers count as writes to x
///   stored as a value           is lost, so its argument counts as written
///
/// An integer that was loaded and becomes a pointer is of no argument. An op with unknown effects writes.
llvm::SmallVector<ArtifactParam::Access> argumentAccess(mlir::func::FuncOp kernel);

} // namespace tegula::tile
