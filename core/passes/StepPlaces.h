// The values of `place` that passes give to scheduled ops. `place` orders the ops of one step of a loop
// (docs/schedules.md): a step executes lower places first. An op without a schedule has the place 0.
#pragma once

#include <cstdint>

namespace tegula::tile {

/// Stores to operands' buffers of values that the step before has loaded.
inline constexpr int64_t kStoresPlace = -5;
/// Loads to registers: they are in flight while the step waits for copies. Conversions of what the step before has
/// loaded.
inline constexpr int64_t kLoadsPlace = -4;
/// Waits for copies.
inline constexpr int64_t kWaitsPlace = -3;
/// Fences between copies by threads and products that read shared memory.
inline constexpr int64_t kFencesPlace = -2;
/// Copies, and loads of the indices of later copies. A copy fills a stage that was read in the step before; the barrier
/// that the waits need is behind these reads.
inline constexpr int64_t kCopiesPlace = -1;
/// Copies at the end of a step, when the products of the step before have ended.
inline constexpr int64_t kLateCopiesPlace = 1;

} // namespace tegula::tile
