// Helpers of the ops' type inference and verification. Private to this room.
#pragma once

#include "core/ir/simt/Simt.h"

#include "mlir/IR/Diagnostics.h"

namespace tegula::tile {

/// `type` as a tensor, or an error that names the op and the type found. Inference runs before the operands are
/// verified, so `type` may be anything: with dynamic extents, or with extents whose product overflows.
inline mlir::FailureOr<mlir::RankedTensorType> needTensor(std::optional<mlir::Location> location, llvm::StringRef op,
                                                          llvm::StringRef what, mlir::Type type) {
  if (isTensorOf(type, isScalar))
    return llvm::cast<mlir::RankedTensorType>(type);
  return mlir::emitOptionalError(location, "'", op, "' op expected ", what,
                                 " to be a tensor with power-of-two extents and at most ", kMaxTensorElements,
                                 " elements, found ", type);
}

/// The layout that a type has at the planned level; null for a scalar and at the tile level.
inline layout_ir::DistributedAttr layoutOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? llvm::dyn_cast_or_null<layout_ir::DistributedAttr>(tensor.getEncoding())
                : layout_ir::DistributedAttr();
}

/// `axis` of a tensor of that rank, or an error.
inline mlir::LogicalResult needAxis(std::optional<mlir::Location> location, llvm::StringRef op, int64_t axis,
                                    int64_t rank) {
  if (axis < rank)
    return mlir::success();
  return mlir::emitOptionalError(location, "'", op, "' op expected an axis below ", rank, ", found ", axis);
}

/// `expected what of type X, found Y`.
inline mlir::LogicalResult needType(mlir::Operation *op, llvm::StringRef what, mlir::Type expected, mlir::Type found) {
  if (expected == found)
    return mlir::success();
  return op->emitOpError() << "expected " << what << " of type " << expected << ", found " << found;
}

/// Error at `op` if an atomic of this kind does not take elements of this type.
mlir::LogicalResult verifyAtomicElement(mlir::Operation *op, AtomicKind kind, mlir::Type element);

} // namespace tegula::tile
