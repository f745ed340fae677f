// What simt-allocate-shared will find, for passes before it.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::simt {

/// The bytes of shared memory that the kernel's buffers take where those that are not alive together share storage;
/// only with buffers of their own element width, unless `shareWidths`.
int64_t sharedNeed(mlir::func::FuncOp kernel, bool shareWidths);

} // namespace tegula::simt
