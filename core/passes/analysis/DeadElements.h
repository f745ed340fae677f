// Elements of a tensor that change nothing. Private to the tile level's passes.
#pragma once

#include "core/passes/analysis/Polynomial.h"

namespace tegula::tile {

/// Whether the elements of `tensor` whose coordinate along `axis` is `limit` or more change nothing that the kernel
/// does: whatever is computed of them is stored under masks that are false there. The values are followed through
/// elementwise ops, ops that rename coordinates, products, loops and branches; of anything else the answer is false.
bool areDead(mlir::Value tensor, unsigned axis, const Polynomial &limit, Polynomials &scalars);

} // namespace tegula::tile
