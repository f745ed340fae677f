// Elements of a tensor that change nothing. Private to the tile level's passes.
#pragma once

#include "core/passes/analysis/Polynomial.h"

namespace tegula::tile {

/// Limits such that the elements of `tensor` whose coordinate along `axis` is the limit or more change nothing that the
/// kernel does: whatever is computed of them is stored under masks that are false there. The values are followed
/// through elementwise ops, ops that rename coordinates, products, loops and branches; where they reach anything else,
/// there is no limit.
llvm::SmallVector<Polynomial> deadFrom(mlir::Value tensor, unsigned axis, Polynomials &scalars);

} // namespace tegula::tile
