// Finds scalars of the simt level that are the same in all threads of a program. Private to the passes of
// core/passes/simt.
#pragma once

#include "mlir/IR/Value.h"

namespace tegula::simt {

/// Whether the scalar is provably uniform: it is computed by ops without effects from the kernel's arguments, the
/// program's coordinates in the grid or number among resident programs, constants, and results of uniform loops and
/// branches.
bool isUniformNumber(mlir::Value scalar);

} // namespace tegula::simt
