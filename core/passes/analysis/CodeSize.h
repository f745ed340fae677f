// The largest kernels: beyond these sizes the compilers of devices take minutes to hours, for code that spills nearly
// all of its values.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::tile {

/// Values of one tensor in one thread. A thread has some hundred registers.
inline constexpr int64_t kMostValues = 4096;
/// Operations of a thread's code, as `operationsOf` counts them.
inline constexpr int64_t kMostOperations = 1 << 19;

/// Of a kernel of the planned level: an error at the first op whose result gives a thread more than `kMostValues`.
mlir::LogicalResult checkValues(mlir::func::FuncOp planned);
/// Of a kernel of the simt level: an error at the op that most operations are for if there are more than
/// `kMostOperations`.
mlir::LogicalResult checkOperations(mlir::func::FuncOp kernel);

} // namespace tegula::tile
