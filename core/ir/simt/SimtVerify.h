// Helpers of the simt ops' verifiers. Private to this room.
#pragma once

#include "core/ir/simt/Simt.h"

namespace tegula::simt {

/// Whether both are at the same level: neither or both are tensors.
inline bool isPlanned(mlir::Type type) { return llvm::isa<mlir::RankedTensorType>(type); }

/// The number of accesses that `offset` makes and the elements that one moves: `elements(value) / elements(offset)`,
/// demanded to be a power of two; the mask, where given, has one element an access.
mlir::FailureOr<int64_t> verifyAccess(mlir::Operation *op, mlir::Type offset, mlir::Type value, mlir::Type mask = {});

/// A combination of floats for floats, one of integers for integers.
mlir::LogicalResult verifyKind(mlir::Operation *op, CombineKind kind, mlir::Type element);

/// `expected what of type X, found Y`.
mlir::LogicalResult needElement(mlir::Operation *op, llvm::StringRef what, mlir::Type expected, mlir::Type found);

} // namespace tegula::simt
