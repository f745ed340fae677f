// How single ops carry axis facts from operands to results. Private to the analysis.
#pragma once

#include "core/passes/AxisInfo.h"

namespace tegula::tile {

/// Facts of `result` of `op`, given those of its operands in order. Ops that it does not know give none.
AxisInfo transfer(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands, mlir::Value result);

/// What holds where either holds: after branches and around loops.
AxisInfo common(const AxisInfo &a, const AxisInfo &b);

/// Bytes of what a pointer, or a tensor of them, points to.
int64_t pointeeBytes(mlir::Type pointers);

} // namespace tegula::tile
