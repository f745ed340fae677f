// Fences between the accesses of threads and those of asynchronous units. Part of simt-insert-barriers.
#pragma once

#include "core/passes/shared/SharedAccess.h"

namespace tegula::simt {

/// Inserts `simt.fence async` before barriers of the scope, one of barrierScopes. A barrier alone does not order what
/// threads have read or written in shared memory before a later copy by hardware to the same bytes. On each path from
/// such an access to such a copy there is a fence afterwards; none is added where the kernel has one. Called when all
/// barriers of the scope are there, with accesses whose conflicts are found. Copies of a producer are left out: it
/// waits for arrivals, and threads that arrive execute a fence themselves.
void fenceBeforeCopies(mlir::Block &scope, const SharedAccesses &accesses);

/// Of two `simt.fence async` with nothing between but loads and stores of the same thread, removes the first: the
/// second one orders all that the first does. Operands that threads store one after another then have one fence.
void mergeFences(mlir::Block &scope);

} // namespace tegula::simt
