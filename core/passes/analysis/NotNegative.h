// Finds floating-point values without negative elements, from the ops that compute them. Private to the passes of the
// tile and planned levels.
#pragma once

#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

namespace tegula::tile {

/// Whether the op only repeats or moves elements of its operand.
bool movesOnly(mlir::Operation *op);

/// The addition by which a reduction of one tensor combines elements; null if the reduction does anything else.
mlir::arith::AddFOp sumOf(ReduceOp reduce);

/// Decides whether a floating-point value has no negative element. Answers are cached, because several users may reach
/// one value.
class NotNegative {
public:
  /// Whether no element is below 0. Elements may be NaN.
  bool holds(mlir::Value value);
  bool holdsForAll(mlir::ValueRange values);

  /// Records that no element of `value` is below 0.
  void know(mlir::Value value) { known_[value] = true; }

private:
  bool isComputed(mlir::Value value);

  llvm::DenseMap<mlir::Value, bool> known_;
};

} // namespace tegula::tile
