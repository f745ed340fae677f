// What is known of integers and addresses along each axis of a tensor: from it come the width of accesses and where masks
// change. An analysis of the tile level; it changes nothing.
#pragma once

#include "core/ir/Tile.h"

#include "mlir/Analysis/DataFlowFramework.h"

#include <memory>
#include <optional>

namespace tegula::tile {

/// Facts about the values of one tensor or scalar, for each axis; a scalar has one axis of one element. All numbers are
/// powers of two. A *group* is an aligned run of elements along the axis.
///
///   make_range 8 to 16             contiguity 8, divisibility 8, constancy 1
///   0 0 0 0 8 8 8 8                contiguity 1, divisibility 8, constancy 4
///   4 5 6 7 16 17 18 19            contiguity 4, divisibility 4, constancy 1
struct AxisInfo {
  /// Groups of so many elements count up by one (addresses: by one element).
  llvm::SmallVector<int64_t, 2> contiguity;
  /// Divides the first element of each such group (addresses: in bytes).
  llvm::SmallVector<int64_t, 2> divisibility;
  /// Groups of so many elements are equal.
  llvm::SmallVector<int64_t, 2> constancy;
  /// No element is negative, unless arithmetic wrapped around.
  bool nonNegative = false;
  /// The value, where all elements are one known integer.
  std::optional<int64_t> constant;

  /// Nothing is known.
  static AxisInfo unknown(size_t rank);
  /// The greatest power of two that is taken to divide zero.
  static constexpr int64_t kMostDivisible = int64_t(1) << 62;
  size_t rank() const { return contiguity.size(); }
  /// A power of two that divides the first element of each group of `group` elements along the axis; `step` is what an
  /// element adds to a contiguous run: 1, or the bytes of a pointee.
  int64_t divisibilityAt(size_t axis, int64_t group, int64_t step = 1) const;
  bool operator==(const AxisInfo &) const = default;
};

/// Runs over all functions of an op. Source of the facts and their transfer: Triton's axis analysis, as described in its
/// documentation of coalescing.
class AxisAnalysis {
public:
  explicit AxisAnalysis(mlir::Operation *root);
  ~AxisAnalysis();
  /// Facts of an integer or pointer value (or tensor of them); unknown for values that the analysis did not reach.
  AxisInfo of(mlir::Value value) const;
  /// How many elements one access can move along `axis`: consecutive in memory, aligned to their common size, at most
  /// 16 bytes, masked alike. `mask` may be null.
  int64_t accessWidth(mlir::Value pointers, mlir::Value mask, size_t axis) const;

private:
  std::unique_ptr<mlir::DataFlowSolver> solver_;
};

} // namespace tegula::tile
