// The canonicalizer for code of threads.
#pragma once

#include "mlir/Pass/Pass.h"

namespace tegula::simt {

/// `--simt-canonicalize-threads`: canonicalize, where branches and loops keep simt.uniform and simt.divergent when
/// patterns make them again.
std::unique_ptr<mlir::Pass> createCanonicalizeThreads();

} // namespace tegula::simt
