// Which loads through descriptors hardware can copy. Private to the passes of core/passes/loops.
#pragma once

#include "core/ir/tile/Tile.h"
#include "core/passes/analysis/AxisInfo.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tegula::tile {

/// Whether the load, of a body of the loop, can be a copy by hardware, apart from other uses of its descriptor. `axes`
/// uses no declared facts of arguments, so that the answer needs no guard.
bool canCopyTile(DescLoadOp load, mlir::scf::ForOp loop, const AxisAnalysis &axes);

} // namespace tegula::tile
