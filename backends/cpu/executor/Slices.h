// Parts of tiles, as further views of the same storage.
#pragma once

#include "backends/cpu/executor/Value.h"

namespace tegula::cpu {

Shape withoutAxis(const Shape &shape, unsigned axis);

/// Elements start, start + step, .. (`count` of them) along an axis of a Strided or Affine tile.
Value slice(const Value &tile, unsigned axis, int64_t start, int64_t count, int64_t step);

/// The first element along an axis, which disappears.
Value dropAxis(const Value &tile, unsigned axis);

/// The tile in memory of its own (but Affine ones), `axis` outermost, so that slices along it are contiguous.
Value axisOutermost(const Value &tile, unsigned axis);

/// One element as a scalar, and back. Strided (and for reading Affine) tiles.
Value elementAt(const Value &tile, const Extents &index);
void setElement(Value &tile, const Extents &index, const Value &element);

/// Calls body(index) for every element in row-major order.
template <class Body> void forEachElement(const Shape &shape, Body body) {
  const int64_t width = shape.rank ? shape.extent[shape.rank - 1] : 1;
  forEachRow(shape, [&](const Extents &row) {
    Extents index = row;
    for (int64_t i = 0; i < width; ++i) {
      if (shape.rank)
        index[shape.rank - 1] = i;
      body(static_cast<const Extents &>(index));
    }
  });
}

} // namespace tegula::cpu
