// From MLIR locations to locations in the kernel's source.
#pragma once

#include "core/support/Diagnostic.h"

#include "mlir/IR/Location.h"

namespace mlir {
class Operation;
}
namespace llvm {
class Twine;
}

namespace tegula::tile {

/// The innermost source location: for an inlined call, that in the callee. Empty if there is none.
SourceLocation locationOf(mlir::Location location);

/// Throws tegula::Error at the op: "'arith.addf': MESSAGE".
[[noreturn]] void failAt(mlir::Operation *op, const llvm::Twine &message);

} // namespace tegula::tile
