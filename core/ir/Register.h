// Which dialects a tile-level module may use.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace tegula::tile {

/// tile, arith, math, scf, func and ub, with the interfaces that passes need (inlining of calls).
void registerTileDialects(mlir::DialectRegistry &registry);

} // namespace tegula::tile
