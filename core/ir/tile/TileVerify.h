// Helpers of the ops' type inference and verification. Private to this room.
#pragma once

#include "core/ir/simt/Simt.h"

#include "mlir/IR/Diagnostics.h"

namespace tegula::tile {

/// `type` as a tensor, or an error that names the op and the type found. Inference runs before operands are verified,
/// so `type` may be any type: it may have dynamic extents, or extents whose product overflows.
inline mlir::FailureOr<mlir::RankedTensorType> needTensor(std::optional<mlir::Location> location, llvm::StringRef op,
                                                          llvm::StringRef what, mlir::Type type) {
  if (isTensorOf(type, isScalar))
    return llvm::cast<mlir::RankedTensorType>(type);
  return mlir::emitOptionalError(location, "'", op, "' op expected ", what,
                                 " to be a tensor with power-of-two extents and at most ", kMaxTensorElements,
                                 " elements, found ", type);
}

/// The layout of a type at the planned level; null for a scalar, and at the tile level.
inline layout_ir::DistributedAttr layoutOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? llvm::dyn_cast_or_null<layout_ir::DistributedAttr>(tensor.getEncoding())
                : layout_ir::DistributedAttr();
}

/// Verifies that `axis` is an axis of a tensor of rank `rank`.
inline mlir::LogicalResult needAxis(std::optional<mlir::Location> location, llvm::StringRef op, int64_t axis,
                                    int64_t rank) {
  if (axis < rank)
    return mlir::success();
  return mlir::emitOptionalError(location, "'", op, "' op expected an axis below ", rank, ", found ", axis);
}

/// Verifies a type; the error is `expected WHAT of type X, found Y`.
inline mlir::LogicalResult needType(mlir::Operation *op, llvm::StringRef what, mlir::Type expected, mlir::Type found) {
  if (expected == found)
    return mlir::success();
  return op->emitOpError() << "expected " << what << " of type " << expected << ", found " << found;
}

/// Reports an error at `op` if an atomic of this kind does not accept elements of this type.
mlir::LogicalResult verifyAtomicElement(mlir::Operation *op, AtomicKind kind, mlir::Type element);

} // namespace tegula::tile
