// Copies between strided tiles: by memcpy for rows that are contiguous on both sides, by fills for a source step of 0,
// and in squares of 16 x 16 elements for transposes.
#include "backends/cpu/executor/Value.h"

#include <algorithm>
#include <cstring>

namespace tegula::cpu {

namespace {

template <class T> void copyRow(std::byte *to, int64_t toStep, const std::byte *from, int64_t fromStep, int64_t count) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  if (fromStep == 0 && toStep == kSize) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(to + i * kSize, &value, sizeof(T));
    return;
  }
  if (toStep == kSize) {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(to + i * kSize, from + i * fromStep, sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStep, from + i * fromStep, sizeof(T));
}

void copyRow(std::byte *to, int64_t toStep, const std::byte *from, int64_t fromStep, int64_t count, unsigned size) {
  if (fromStep == toStep && fromStep == static_cast<int64_t>(size)) {
    std::memcpy(to, from, static_cast<size_t>(count) * size);
    return;
  }
  switch (size) {
  case 1: return copyRow<uint8_t>(to, toStep, from, fromStep, count);
  case 2: return copyRow<uint16_t>(to, toStep, from, fromStep, count);
  case 4: return copyRow<uint32_t>(to, toStep, from, fromStep, count);
  default: return copyRow<uint64_t>(to, toStep, from, fromStep, count);
  }
}

/// The loops of a copy: extents, and the steps of target and source. Axes of extent 1 are omitted. Adjacent axes become
/// one if, in target and source, the outer axis's step is the inner one's step times its extent.
struct Plan {
  unsigned rank = 0;
  Extents extent{}, to{}, from{};

  Plan(const Shape &shape, const Extents &toStep, const Extents &fromStep) {
    for (unsigned d = 0; d < shape.rank; ++d) {
      const int64_t n = shape.extent[d];
      if (n == 1)
        continue;
      if (rank && to[rank - 1] == toStep[d] * n && from[rank - 1] == fromStep[d] * n) {
        extent[rank - 1] *= n;
        to[rank - 1] = toStep[d];
        from[rank - 1] = fromStep[d];
        continue;
      }
      extent[rank] = n;
      to[rank] = toStep[d];
      from[rank] = fromStep[d];
      ++rank;
    }
    if (rank == 0) {
      extent[0] = 1;
      rank = 1;
    }
  }
};

constexpr int64_t kSquare = 16;

/// Copies the plane of axes `a` and `b` in squares of 16 x 16 elements, which fit into the first-level cache: a
/// transpose reads or writes with a long step, and would otherwise load each cache line once for each of its elements.
void copyPlane(std::byte *to, const std::byte *from, const Plan &plan, unsigned a, unsigned b, unsigned size) {
  for (int64_t i0 = 0; i0 < plan.extent[a]; i0 += kSquare)
    for (int64_t j0 = 0; j0 < plan.extent[b]; j0 += kSquare) {
      const int64_t i1 = std::min(i0 + kSquare, plan.extent[a]);
      const int64_t width = std::min(kSquare, plan.extent[b] - j0);
      for (int64_t i = i0; i < i1; ++i)
        copyRow(to + i * plan.to[a] + j0 * plan.to[b], plan.to[b], from + i * plan.from[a] + j0 * plan.from[b],
                plan.from[b], width, size);
    }
}

} // namespace

void copyStrided(std::byte *to, const Extents &toStep, const std::byte *from, const Extents &fromStep,
                 const Shape &shape, unsigned size) {
  const Plan plan(shape, toStep, fromStep);
  const unsigned last = plan.rank - 1;
  const bool plane = plan.rank >= 2 && plan.from[last] != static_cast<int64_t>(size) && plan.from[last] != 0 &&
                     plan.from[last - 1] == static_cast<int64_t>(size);
  Shape outer;
  outer.rank = plane ? last - 1 : last;
  outer.extent = plan.extent;
  outer.extent[outer.rank] = 1; // adds a row axis, so that forEachRow visits every outer index once
  ++outer.rank;
  forEachRow(outer, [&](const Extents &index) {
    std::byte *target = to;
    const std::byte *source = from;
    for (unsigned d = 0; d + 1 < outer.rank; ++d) {
      target += index[d] * plan.to[d];
      source += index[d] * plan.from[d];
    }
    if (plane)
      copyPlane(target, source, plan, last - 1, last, size);
    else
      copyRow(target, plan.to[last], source, plan.from[last], plan.extent[last], size);
  });
}

} // namespace tegula::cpu
