// The places of a step (docs/schedules.md) that passes give to ops, in the order in which a step executes them. What has
// no schedule follows.
#pragma once

#include <cstdint>

namespace tegula::tile {

/// Stores to operands' buffers of what registers carried from the step before; loads to registers, which then overlap
/// with the waits; waits for copies; copies, which fill stages that other threads read in the step before, up to the
/// barrier that a wait needs; and loads of the copies' indices.
inline constexpr int64_t kStoresPlace = -4, kLoadsPlace = -3, kWaitsPlace = -2, kCopiesPlace = -1;

} // namespace tegula::tile
