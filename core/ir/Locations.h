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

/// The innermost source location: for an inlined call, that in the callee. Null if there is none.
mlir::FileLineColLoc innermostPlace(mlir::Location location);
/// The same as text; empty if there is none.
SourceLocation locationOf(mlir::Location location);

/// Throws tegula::Error at the op: "'arith.addf': MESSAGE", or "kernel 'add': MESSAGE" at a function.
[[noreturn]] void failAt(mlir::Operation *op, const llvm::Twine &message);
/// The same where the target has too little of a resource.
[[noreturn]] void failAt(mlir::Operation *op, const llvm::Twine &message, Shortage shortage);

/// Attribute of a kernel for which a pass reported that the target has too little of a resource: MLIR's diagnostics
/// have texts only.
void setShortage(mlir::Operation *kernel, const Shortage &shortage);
/// Of the first kernel in the module that has the attribute.
std::optional<Shortage> findShortage(mlir::Operation *module);

} // namespace tegula::tile
