// Dead elements: elements of a tensor that have no effect on the kernel's results. Private to the tile level's passes.
#pragma once

#include "core/passes/analysis/Polynomial.h"

namespace tegula::tile {

/// Limits along `axis` from which on the elements of `tensor` are dead: all values computed from such an element are
/// stored under masks that are false there. The analysis follows elements through elementwise ops, ops that rename
/// coordinates, products, loops and branches. If they reach any other op, there is no limit.
llvm::SmallVector<Polynomial> deadFrom(mlir::Value tensor, unsigned axis, Polynomials &scalars);

} // namespace tegula::tile
