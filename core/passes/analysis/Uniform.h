// Uniform tensors (all elements equal), the classes of elementwise and shape-changing ops, and the split of a tensor of
// pointers into one scalar base and offsets. Private to the passes that work on tensors.
#pragma once

#include "core/passes/analysis/AxisInfo.h"

#include "mlir/IR/Builders.h"

namespace tegula::tile {

/// The scalar that all elements of `tensor` equal: the source of a splat, or a new scalar constant for a splat
/// constant. Null for other values.
mlir::Value uniformScalar(mlir::OpBuilder &builder, mlir::Value tensor);
bool isUniform(mlir::Value tensor);

/// Clones `op`, an elementwise op or a shape change, with other operands and another result type; attributes are
/// copied.
mlir::Value cloneWith(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands, mlir::Type type);

/// Whether each element of the results depends on the operands' elements at the same coordinates only.
bool isElementwise(mlir::Operation *op);

/// Whether the op is an expand_dims, broadcast, trans or order-preserving reshape: ops that only rename coordinates.
bool isShapeChange(mlir::Operation *op);

/// pointers[i] = base + offsets[i]
struct BaseAndOffsets {
  mlir::Value base;
  mlir::Value offsets; // i8 to i64, of the pointers' shape; null if all offsets are zero
};

/// Whether a pointer tensor is a chain of shape changes and addptr on a splat.
bool hasUniformBase(mlir::Value pointers);
/// Splits a tensor of pointers with a uniform base. New ops (sums of offsets, scalar pointers) are inserted right after
/// the ops whose results they add, so that they are loop-invariant if the pointers are. Sums are 64 bits wide unless
/// `view` proves that 32 bits hold them.
BaseAndOffsets takeApart(mlir::Value pointers, const AxisView &view);

/// Emits the tensor of pointers addptr(splat(base), offsets) of type `type`. The inverse of takeApart.
mlir::Value putTogether(mlir::OpBuilder &builder, mlir::Location location, BaseAndOffsets parts, mlir::Type type);

/// Rewrites loops that carry a tensor of pointers with a uniform base, or a tensor of integers, and add a uniform
/// amount to it in each iteration: they carry a scalar instead. True if a loop changed.
bool carryScalars(mlir::Operation *function);

} // namespace tegula::tile
