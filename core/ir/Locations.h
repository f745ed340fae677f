// Converts MLIR locations to locations in the kernel's source.
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

/// The innermost source location: for an inlined call, the location in the callee. Null if there is none.
mlir::FileLineColLoc innermostPlace(mlir::Location location);
/// The innermost source location as SourceLocation; empty if there is none.
SourceLocation locationOf(mlir::Location location);

/// Throws tegula::Error at the op: "'arith.addf': MESSAGE", or "kernel 'add': MESSAGE" at a function.
[[noreturn]] void failAt(mlir::Operation *op, const llvm::Twine &message);
/// Throws such an error with a shortage: the target has too little of a resource.
[[noreturn]] void failAt(mlir::Operation *op, const llvm::Twine &message, Shortage shortage);

/// Sets an attribute on a kernel for which the target has too little of a resource, as a pass found. (MLIR's
/// diagnostics can only hold text.)
void setShortage(mlir::Operation *kernel, const Shortage &shortage);
/// The shortage of the first kernel in the module that has the attribute.
std::optional<Shortage> findShortage(mlir::Operation *module);

} // namespace tegula::tile
