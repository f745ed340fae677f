// The lives of shared buffers: the range of the kernel's text in which a buffer holds data that is still needed.
#pragma once

#include "core/passes/shared/SharedAccess.h"

#include "llvm/ADT/MapVector.h"

namespace tegula::simt {

/// A range of ops, numbered in source order; both ends are included. `last < first`: the buffer is never accessed.
struct SharedLife {
  int64_t first = 0, last = -1;
};

/// The life of each buffer of a kernel: from its first access to its last, extended by these rules.
///   - An asynchronous access lasts until the first wait after it that leaves no access of its kind in flight; a copy
///     by hardware lasts until its barrier objects are ended (simt.barrier_invalidate).
///   - If a loop accesses a buffer allocated outside it, the whole loop belongs to the life, because an iteration may
///     read data that an earlier iteration wrote. Exception: each iteration provably writes all bytes before it reads
///     them, and no op outside the loop accesses the buffer.
///   - If a divergent branch or loop accesses the buffer, the whole branch or loop belongs to the life, because another
///     thread may be anywhere in it. The same holds for an op with warp groups.
/// A buffer allocated inside a loop is a new buffer in each iteration.
llvm::MapVector<mlir::Operation *, SharedLife> sharedLives(mlir::func::FuncOp kernel, SharedAccesses &accesses);

} // namespace tegula::simt
