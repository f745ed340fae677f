// Values that are the same for all elements, what ops do with elements, and pointer tensors taken apart into one scalar
// base and offsets. Private to the passes of tensors.
#pragma once

#include "core/passes/AxisInfo.h"

#include "mlir/IR/Builders.h"

namespace tegula::tile {

/// The scalar that all elements of `tensor` are: a splat's source, or a splat constant made anew at the builder's
/// place. Null for other values.
mlir::Value uniformScalar(mlir::OpBuilder &builder, mlir::Value tensor);
bool isUniform(mlir::Value tensor);

/// `op`, elementwise or a change of shape, on other operands: attributes are kept, result types follow.
mlir::Value cloneWith(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands, mlir::Type type);

/// One element of each operand gives one of each result, all tensors of one shape.
bool isElementwise(mlir::Operation *op);

/// expand_dims, broadcast, trans, and reshape in order: they move elements and look at none.
bool isShapeChange(mlir::Operation *op);

/// pointers[i] = base + offsets[i]
struct BaseAndOffsets {
  mlir::Value base;
  mlir::Value offsets; // i8 to i64 with the pointers' shape; null: all are zero
};

/// Whether a pointer tensor is a chain of shape changes and addptr on a splat.
bool hasUniformBase(mlir::Value pointers);
/// Takes such a tensor apart. New ops, sums of offsets and scalar pointers, stand right behind the ops whose results
/// they add up, so that they are invariant where the pointers are. Sums are 64 bits wide unless `view` proves that 32
/// hold them.
BaseAndOffsets takeApart(mlir::Value pointers, const AxisView &view);

/// addptr(splat(base), offsets), of the type of the pointers that were taken apart.
mlir::Value putTogether(mlir::OpBuilder &builder, mlir::Location location, BaseAndOffsets parts, mlir::Type type);

/// Loops that carry a pointer tensor with a uniform base, or a tensor of integers, which every iteration moves by a
/// uniform amount, carry the scalar. True where one was changed.
bool carryScalars(mlir::Operation *function, const AxisView &view);

} // namespace tegula::tile
