// How much shared memory simt-allocate-shared will need, for passes that run before it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::simt {

/// The bytes of shared memory that the kernel's buffers need if buffers that are not alive together share storage.
/// Without `shareWidths`, only buffers of the same element width share.
int64_t sharedNeed(mlir::func::FuncOp kernel, bool shareWidths);

} // namespace tegula::simt
