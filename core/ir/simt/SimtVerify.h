// Helpers of the verifiers of simt ops. Private to this room.
#pragma once

#include "core/ir/simt/Simt.h"

namespace tegula::simt {

/// True if the type belongs to the planned level: it is a tensor.
inline bool isPlanned(mlir::Type type) { return llvm::isa<mlir::RankedTensorType>(type); }

/// The number of elements that one access moves: `elements(value) / elements(offset)`, which must be a power of two.
/// `offset` has one element for each access, and so has the mask, if there is one.
mlir::FailureOr<int64_t> verifyAccess(mlir::Operation *op, mlir::Type offset, mlir::Type value, mlir::Type mask = {});

/// Verifies that the kind of combination fits the element type: float or integer.
mlir::LogicalResult verifyKind(mlir::Operation *op, CombineKind kind, mlir::Type element);

/// Verifies an element type; the error is `expected WHAT of type X, found Y`.
mlir::LogicalResult needElement(mlir::Operation *op, llvm::StringRef what, mlir::Type expected, mlir::Type found);

/// Verifies the attribute `simt.schedule` of an op.
mlir::LogicalResult verifySchedule(mlir::Operation *op, mlir::Attribute value);

} // namespace tegula::simt
