// The typical distance of neighbouring elements in memory: a heuristic for choosing layouts, not a proven fact.
#pragma once

#include "core/passes/analysis/AxisInfo.h"

namespace tegula::tile {

/// The least step for neighbours that are an unknown number of elements apart. Steps above it tell unknown numbers
/// apart by what divides them.
inline constexpr int64_t kFarApart = int64_t(1) << 40;

/// For each axis of a tensor of integers or pointers, the typical difference of neighbouring elements (for pointers: in
/// elements of the pointee). 0 if neighbours are mostly equal. Strides that are not known give `kFarApart` and more:
/// the greater the power of two that divides one, the greater its step, because an outer axis' stride is a product of
/// the inner axes' extents.
///
///   i * stride + j              axis of i: kFarApart or more if the stride is not known, of j: 1
///   o * outer + i * inner       if 16 divides `outer` and is not known to divide `inner`: more for o than for i
///   n / w * stride + n % w      1: within a row, the quotient stays and the remainder counts up
llvm::SmallVector<int64_t, 4> typicalSteps(mlir::Value tensor, const AxisView &axes);

} // namespace tegula::tile
