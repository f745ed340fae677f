// Limits on the size of kernels. Beyond them the devices' compilers take minutes to hours, and the resulting code
// spills nearly all of its values.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::tile {

/// The most elements of one tensor in one thread. A thread has a few hundred registers.
inline constexpr int64_t kMostValues = 4096;
/// The most operations in a thread's code, as counted by `operationsOf`.
inline constexpr int64_t kMostOperations = 1 << 19;

/// Checks a kernel of the planned level: reports an error at the first op whose result gives a thread more than
/// `kMostValues` elements.
mlir::LogicalResult checkValues(mlir::func::FuncOp planned);
/// Checks a kernel of the simt level: if it has more than `kMostOperations`, reports an error at the source location
/// that accounts for most of them.
mlir::LogicalResult checkOperations(mlir::func::FuncOp kernel);

} // namespace tegula::tile
