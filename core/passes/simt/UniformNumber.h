// Which scalars of the simt level are the same in all threads of a program. Private to the passes of core/passes/simt.
#pragma once

#include "mlir/IR/Value.h"

namespace tegula::simt {

/// Whether the scalar is computed from the kernel's arguments, the program's place in the grid or among resident
/// programs, constants, and numbers that uniform loops carry or uniform branches choose, by ops without effects. False
/// where that is not known.
bool isUniformNumber(mlir::Value scalar);

} // namespace tegula::simt
