// The typical distance of neighbouring elements in memory: a heuristic for choosing layouts, not a proven fact.
#pragma once

#include "core/ir/tile/Tile.h"

namespace tegula::tile {

/// The greatest step, for neighbours that are an unknown number of elements apart. Where that number is an argument
/// with a known divisor d, the step is kFarApart - kMostDivisor + min(d, kMostDivisor): of two unknown strides, the
/// less divisible one is taken for the smaller one, because the stride of an outer axis is a multiple of that of an
/// inner one.
inline constexpr int64_t kFarApart = int64_t(1) << 40, kMostDivisor = 16;

/// For each axis of a tensor of integers or pointers, the typical difference of neighbouring elements (for pointers: in
/// elements of the pointee). 0 if neighbours are mostly equal; `kFarApart` at most.
///
///   i * stride + j              axis of i: about kFarApart if the stride is not known, of j: 1
///   n / w * stride + n % w      1: within a row, the quotient stays and the remainder counts up
llvm::SmallVector<int64_t, 4> typicalSteps(mlir::Value tensor);

} // namespace tegula::tile
