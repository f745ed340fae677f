// From waits that name a copy or product to the counts that threads wait by.
#pragma once

#include "core/ir/simt/Simt.h"

#include <limits>

namespace tegula::tosimt {

/// More than are ever under way: what does not limit a minimum.
inline constexpr int64_t kUnbounded = std::numeric_limits<uint32_t>::max();

/// A lower bound of the asynchronous ops that have been started since one of their kind returned `started`, when
/// control reaches `at`: copies if `started` is a token, else products. It is the minimum over all paths on which the
/// value can arrive, through loops and around their back edges; kUnbounded where it was never in flight.
int64_t startedAfter(mlir::Value started, mlir::Operation *at);

} // namespace tegula::tosimt
