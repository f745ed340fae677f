// The transfer functions of axis analysis: they compute the facts of an op's results from the facts of its operands.
// Private to the analysis.
#pragma once

#include "core/passes/analysis/AxisInfo.h"

namespace tegula::tile {

using AxisInfos = llvm::ArrayRef<AxisInfo>;

/// The facts of `result` of `op`, given the facts of the op's operands in order; `unknown` for ops without a rule.
AxisInfo transfer(mlir::Operation *op, AxisInfos operands, mlir::OpResult result);

/// The transfer functions of integer and pointer arithmetic, and of shape changes. Nothing for ops without a rule.
std::optional<AxisInfo> transferArithmetic(mlir::Operation *op, AxisInfos operands, mlir::OpResult result);
std::optional<AxisInfo> transferShape(mlir::Operation *op, AxisInfos operands, mlir::OpResult result);

/// The facts that hold for `a` and for `b`: the join after branches and around loops.
AxisInfo common(const AxisInfo &a, const AxisInfo &b, mlir::Type type);

/// Normalises facts: a range that exceeds the type's becomes the type's whole range (arithmetic may have wrapped), a
/// range is narrowed by divisibility, and a constant gets its exact facts.
AxisInfo finish(AxisInfo info, mlir::Type type);

/// Whether values of this type are analysed: integers and pointers, and tensors of them.
bool isTracked(mlir::Type type);

/// The difference of neighbours in a contiguous run: 1 for integers, the bytes of the pointee for pointers.
int64_t stepOf(mlir::Type type);

/// The greatest power of two that divides `value`.
int64_t powerIn(int64_t value);

/// The extents of a tensor; {1} for a scalar.
llvm::SmallVector<int64_t, 2> extentsOf(mlir::Type type);

/// The least and the greatest value of the type as a signed number; 0 and 1 for i1.
std::pair<int64_t, int64_t> limitsOf(mlir::Type type);

} // namespace tegula::tile
