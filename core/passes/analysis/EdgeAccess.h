// Edge accesses: loads and stores of rows that move several elements at a time (wide) inside a row, and single elements
// at the row's ends, where the mask changes or the address is not aligned; docs/passes/edges.md. Private to the passes
// that choose layouts and lower accesses.
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
/// The address `origin + element[i]` is i elements after a multiple of min(bytes, bytes of the whole extent).
struct RotatedRange {
  mlir::Value origin; // a scalar pointer
  mlir::Value shift;  // i32
  int64_t bytes = 1;  // a power of two

  /// Whether both ranges are rotated by the same amount.
  bool isLike(const RotatedRange &other) const { return origin == other.origin && bytes == other.bytes; }
};

/// `rotate` emits the rotated range; `rotatedRange` recognizes one, also behind a sign extension.
mlir::Value rotate(mlir::OpBuilder &builder, MakeRangeOp range, mlir::Value origin, int64_t bytes);
std::optional<RotatedRange> rotatedRange(mlir::Value integers);

/// How an edge access reads or writes the elements of a load or store along one axis. A group of `width` elements is
/// one access if
///
///   - neither its first nor its last element is masked off: then no element between them is;
///   - its elements are consecutive (in `rotated` ranges, one group is not);
///   - the program's addresses are aligned. That is known unless `rotated` has another origin than `base`.
///
/// All other groups are accessed element by element.
struct EdgeAccess {
  int64_t width = 1;
  std::optional<RotatedRange> rotated;
  mlir::Value base; // of a rotated access: the scalar pointer that the range is added to
  /// Whether a group of consecutive elements whose first and last elements are masked off is masked off as a whole.
  bool endsOnce = false;

  /// Whether the groups of a rotated access are known to be aligned, because the range was rotated for this base.
  bool isAligned() const;
};

/// Returns the edge access with the widest groups, of at most 16 bytes each, to `pointers` along `axis`. `mask` may be
/// null.
EdgeAccess edgeAccess(const AxisView &view, mlir::Value pointers, mlir::Value mask, size_t axis);

/// Whether the loads and stores of a function may become edge accesses. True if the target's policy `narrowsEdges` is
/// set and the function has no products: an edge access takes branches, and loads of a product's operands must not be
/// in branches.
bool narrowsEdges(mlir::Operation *function);

} // namespace tegula::tile
