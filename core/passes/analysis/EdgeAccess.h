// Accesses to tensors of which not every access is aligned or masked alike: wide inside of a row, element by element at
// its edges. Private to the passes that choose layouts and lower accesses.
#pragma once

#include "core/passes/analysis/AxisInfo.h"

#include "mlir/IR/Builders.h"

namespace tegula::tile {

/// A range whose elements tile-rotate-ranges has rotated:
///
///   element[i] = (i - shift) mod extent,   shift = (address of origin mod bytes) / bytes of origin's elements
///
///   extent 16, f32, 32 bytes, origin at 44:   shift 3, elements 13 14 15 0 | 1 2 3 4 | 5 6 7 8 | 9 10 11 12
///                                             bytes                  .. 44 | 48      | 64      | 80
///
/// `origin + element[i]` is a multiple of `bytes` (at most: of the extent's bytes) plus i elements.
struct RotatedRange {
  mlir::Value origin; // a scalar pointer
  mlir::Value shift;  // i32
  int64_t bytes = 1;  // a power of two

  /// Whether both ranges wrap at the same element.
  bool isLike(const RotatedRange &other) const { return origin == other.origin && bytes == other.bytes; }
};

/// Emits the rotated range, and finds it again, also behind a sign extension.
mlir::Value rotate(mlir::OpBuilder &builder, MakeRangeOp range, mlir::Value origin, int64_t bytes);
std::optional<RotatedRange> rotatedRange(mlir::Value integers);

/// How the elements of a load or store along one axis may be accessed, `width` at a time. A group of `width` elements
/// is one access if
///
///   - its first and its last element are not masked off: then none is;
///   - its elements are consecutive (only `rotated` ranges have a group that is not);
///   - the program's addresses are aligned, which is known unless `rotated` has another origin than `base`.
///
/// Other groups are accessed element by element.
struct EdgeAccess {
  int64_t width = 1;
  std::optional<RotatedRange> rotated;
  mlir::Value base; // of a rotated access: the scalar pointer that the range is added to
  /// Whether a group of consecutive elements whose first and last element are masked off has no others.
  bool endsOnce = false;

  /// Whether the groups of a rotated access are known to be aligned, because the range was rotated for this base.
  bool isAligned() const;
};

/// The widest accesses, of at most 16 bytes, to `pointers` along `axis`; `mask` may be null.
EdgeAccess edgeAccess(const AxisView &view, mlir::Value pointers, mlir::Value mask, size_t axis);

/// Whether accesses of a function may be narrow at edges only: its target has `narrowsEdges`, and it has no products,
/// whose operands' loads must not be in branches.
bool narrowsEdges(mlir::Operation *function);

} // namespace tegula::tile
