// Views of parts of tiles, in the same storage.
#pragma once

#include "backends/cpu/executor/Value.h"

namespace tegula::cpu {

Shape withoutAxis(const Shape &shape, unsigned axis);

/// A view of `count` elements along an axis of a Strided or Affine tile: those at the coordinates start, start + step,
/// ...
Value slice(const Value &tile, unsigned axis, int64_t start, int64_t count, int64_t step);

/// The tile at index 0 of an axis, without this axis.
Value dropAxis(const Value &tile, unsigned axis);

/// The tile in storage of its own (Affine tiles have none), with `axis` outermost, so that slices along it are
/// contiguous.
Value axisOutermost(const Value &tile, unsigned axis);

/// Reads one element as a scalar, for Strided and Affine tiles; the second function writes one, for Strided tiles.
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
