// Splits grids that are larger than a device takes in one launch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace tegula::gpu {

using Extent3 = std::array<uint32_t, 3>;

inline bool fits(const Extent3 &grid, const Extent3 &limits) {
  return grid[0] <= limits[0] && grid[1] <= limits[1] && grid[2] <= limits[2];
}

/// Calls `body(base, size)` for pieces that cover the grid exactly once, each within `limits`; axis 0 varies fastest.
/// Pieces begin at multiples of `cluster` along axis 0. `cluster` is at most limits[0].
template <class Body>
void forEachPiece(const Extent3 &grid, const Extent3 &limits, uint32_t cluster, const Body &body) {
  const Extent3 step = {limits[0] - limits[0] % cluster, limits[1], limits[2]};
  // 64-bit counters: the step past the grid's end may not fit 32 bits.
  for (uint64_t z = 0; z < grid[2]; z += step[2])
    for (uint64_t y = 0; y < grid[1]; y += step[1])
      for (uint64_t x = 0; x < grid[0]; x += step[0]) {
        auto left = [&](uint64_t at, size_t axis) {
          return static_cast<uint32_t>(std::min<uint64_t>(step[axis], grid[axis] - at));
        };
        body(Extent3{static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)},
             Extent3{left(x, 0), left(y, 1), left(z, 2)});
      }
}

} // namespace tegula::gpu
