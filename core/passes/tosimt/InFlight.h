// Converts waits that name a copy or product (by token or result) to waits by count: "at most n started later may still
// be in flight".
#pragma once

#include "core/ir/simt/Simt.h"

#include <limits>

namespace tegula::tosimt {

/// Stands for "no limit": greater than any number of ops that can be in flight. The neutral element of a minimum.
inline constexpr int64_t kUnbounded = std::numeric_limits<uint32_t>::max();

/// A lower bound of the number of asynchronous ops of one kind that were started after the op that returned `started`,
/// when control reaches `at`: copies if `started` is a token, else products. It is the minimum over all paths on which
/// the value can arrive, through loops and around their back edges; kUnbounded if the value was never in flight.
int64_t startedAfter(mlir::Value started, mlir::Operation *at);

} // namespace tegula::tosimt
