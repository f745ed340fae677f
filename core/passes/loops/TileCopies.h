// Which loads through descriptors hardware can copy. Private to the passes of core/passes/loops.
#pragma once

#include "core/ir/tile/Tile.h"
#include "core/passes/analysis/AxisInfo.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tegula::tile {

/// Whether the load, of a body of the loop, can be a copy by hardware, apart from other uses of its descriptor. `axes`
/// uses no declared facts of arguments, so that the answer needs no guard.
bool canCopyTile(DescLoadOp load, mlir::scf::ForOp loop, const AxisAnalysis &axes);

/// Whether a copy by hardware, which is not ordered with threads' accesses, may begin before the op.
bool mayBePassedByCopies(mlir::Operation *op);

} // namespace tegula::tile
