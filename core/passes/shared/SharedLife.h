// The lives of shared buffers: the part of the kernel's text in which a buffer holds data that is still needed.
#pragma once

#include "core/passes/shared/SharedAccess.h"

#include "llvm/ADT/MapVector.h"

namespace tegula::simt {

/// A range of ops, numbered in source order, both ends included. `last < first`: the buffer is never accessed.
struct SharedLife {
  int64_t first = 0, last = -1;
};

/// The life of each buffer of a kernel: from its first access to its last, extended as follows.
///   - An asynchronous access lasts until the first wait after it that leaves no access of its kind under way; a copy
///   by
///     hardware until its barrier objects are ended (simt.barrier_invalidate).
///   - A loop that accesses a buffer allocated outside it belongs to the life as a whole, because an iteration may read
///     data that an earlier one wrote. Exception: each iteration provably writes all bytes before it reads them, and no
///     op outside the loop accesses the buffer.
///   - A divergent branch or loop that accesses the buffer belongs to the life as a whole, because another thread may
///   be
///     anywhere in it; so does an op with warp groups.
/// A buffer allocated inside a loop is a new buffer in each iteration.
llvm::MapVector<mlir::Operation *, SharedLife> sharedLives(mlir::func::FuncOp kernel, SharedAccesses &accesses);

} // namespace tegula::simt
