// From when to when a buffer in shared memory holds something that is still needed.
#pragma once

#include "core/passes/SharedAccess.h"

#include "llvm/ADT/MapVector.h"

namespace tegula::simt {

/// Positions in the text of the kernel, both ends included; ops are numbered in order. `last < first`: never accessed.
struct SharedLife {
  int64_t first = 0, last = -1;
};

/// The life of each buffer of a kernel: from its first access to its last, where
///   - an asynchronous access lasts until the first wait behind it after which nothing of its kind is under way;
///   - a loop that accesses a buffer allocated outside it belongs wholly to the life, because an iteration may read
///   what
///     an earlier one wrote; unless it is proven that each iteration first writes all that it reads, and nothing
///     outside the loop accesses the buffer;
///   - so does a branch or loop in which threads part, because another thread may be anywhere in it, and an op with
///     warp groups.
/// A buffer allocated inside a loop is a new one in each iteration.
llvm::MapVector<mlir::Operation *, SharedLife> sharedLives(mlir::func::FuncOp kernel, SharedAccesses &accesses);

} // namespace tegula::simt
