// The places of a step (docs/schedules.md) that passes give to ops, in the order in which a step executes them. What
// has no schedule follows.
#pragma once

#include <cstdint>

namespace tegula::tile {

/// Stores to operands' buffers of what registers carried from the step before; loads to registers, which then overlap
/// with the waits; waits for copies; fences between copies by threads and products that read shared memory; copies,
/// which fill stages that other threads read in the step before, up to the barrier that a wait needs, and loads of the
/// copies' indices.
inline constexpr int64_t kStoresPlace = -5, kLoadsPlace = -4, kWaitsPlace = -3, kFencesPlace = -2, kCopiesPlace = -1;
/// Copies at the end of a step, when the products of the step before have ended.
inline constexpr int64_t kLateCopiesPlace = 1;

} // namespace tegula::tile
