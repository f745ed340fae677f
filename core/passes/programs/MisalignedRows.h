#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::tile {

/// Whether the distance of the rows of the descriptor's tensor is known not to be a multiple of a sector of the
/// second-level cache, so that some rows begin in the middle of a sector. Programs that read the same block then copy
/// it for each other (tile-multicast-copies).
bool areRowsMisaligned(mlir::func::FuncOp kernel, mlir::BlockArgument descriptor);

} // namespace tegula::tile
