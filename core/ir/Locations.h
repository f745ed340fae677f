// Places of the kernel's text in locations of the IR.
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

/// The first place that the location names, which is the innermost: the callee of a call stands before its caller.
/// Empty where it names none.
SourceLocation locationOf(mlir::Location location);

/// Throws tegula::Error at the op: "'arith.addf': MESSAGE".
[[noreturn]] void failAt(mlir::Operation *op, const llvm::Twine &message);

} // namespace tegula::tile
