// How single ops carry axis facts from operands to results. Private to the analysis.
#pragma once

#include "core/passes/AxisInfo.h"

namespace tegula::tile {

using AxisInfos = llvm::ArrayRef<AxisInfo>;

/// What holds of `result` of `op`, given what holds of its operands in order. Ops that it does not know give nothing.
AxisInfo transfer(mlir::Operation *op, AxisInfos operands, mlir::OpResult result);

/// The parts of it: integer and pointer arithmetic, and changes of shape. None where they do not know the op.
std::optional<AxisInfo> transferArithmetic(mlir::Operation *op, AxisInfos operands, mlir::OpResult result);
std::optional<AxisInfo> transferShape(mlir::Operation *op, AxisInfos operands, mlir::OpResult result);

/// What holds where either holds: after branches and around loops.
AxisInfo common(const AxisInfo &a, const AxisInfo &b, mlir::Type type);

/// Brings the range into the type's (a range beyond it wrapped: nothing is known), narrows it by divisibility, and says
/// of constants all that there is.
AxisInfo finish(AxisInfo info, mlir::Type type);

/// Whether values of this type are followed: integers and pointers, and tensors of them.
bool isTracked(mlir::Type type);

/// Bytes of what a pointer, or a tensor of them, points to; 1 for integers: what an element adds to a contiguous run.
int64_t stepOf(mlir::Type type);

/// The greatest power of two that divides `value`.
int64_t powerIn(int64_t value);

/// Extents of the axes that an AxisInfo has: those of a tensor, one of 1 for a scalar.
llvm::SmallVector<int64_t, 2> extentsOf(mlir::Type type);

/// Least and greatest value, as AxisInfo counts them.
std::pair<int64_t, int64_t> limitsOf(mlir::Type type);

} // namespace tegula::tile
