// Registers the dialects that a module of each level may use.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace tegula::tile {

/// tile, arith, math, scf, func and ub, with the interfaces that passes need (inlining of calls).
void registerTileDialects(mlir::DialectRegistry &registry);

} // namespace tegula::tile

namespace tegula::simt {

/// simt, layout, and all dialects of the tile level.
void registerSimtDialects(mlir::DialectRegistry &registry);

} // namespace tegula::simt
