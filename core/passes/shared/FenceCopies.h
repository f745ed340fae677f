// Fences between the accesses of threads and those of asynchronous units. Part of simt-insert-barriers.
#pragma once

#include "core/passes/shared/SharedAccess.h"

namespace tegula::simt {

/// Inserts `simt.fence async` before barriers of the scope, one of barrierScopes: a barrier alone does not order what
/// threads have read or written in shared memory before a copy by hardware to the same bytes. A fence comes between
/// any such access and the copy, and none where there is one already. All barriers of the scope must be there, and
/// `accesses` compared. Copies of a producer are left out: the producer waits for arrivals, whose threads execute a
/// fence of their own.
void fenceBeforeCopies(mlir::Block &scope, const SharedAccesses &accesses);

/// Removes each `simt.fence async` that another one follows before anything for which it could matter: only
/// loads and stores of the same thread stand between. Operands that threads store one after another need one fence.
void mergeFences(mlir::Block &scope);

} // namespace tegula::simt
