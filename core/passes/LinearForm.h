// Tensors of integers and of pointers that go up by one amount along each axis, as a few scalars, and masks of them.
// Private to the tile level's passes.
#pragma once

#include "core/ir/Tile.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace tegula::tile {

/// element[i, j, ...] = start + i * steps[0] + j * steps[1] + ...; i64 scalars, null where zero.
struct LinearForm {
  mlir::Value start;
  llvm::SmallVector<mlir::Value, 2> steps;
};

/// Finds forms by following how a value is made, and writes their scalars at the builder's place, which the value must
/// dominate. A form holds wherever all of `conditions()` do: 32-bit arithmetic may wrap, a form may not.
class LinearForms {
public:
  LinearForms(mlir::OpBuilder &builder, mlir::Location location) : b_(builder), location_(location) {}

  /// Of integers of 32 bits, as signed, or of 64 bits modulo 2^64; none where the value is made in another way.
  std::optional<LinearForm> of(mlir::Value integers);

  struct Pointers {
    mlir::Value base;
    LinearForm offsets; // in elements
  };
  std::optional<Pointers> ofPointers(mlir::Value pointers);

  /// Adds the conditions under which every element of a mask is true; false where they cannot be said. They are
  /// necessary, too, for comparisons in which nothing wraps.
  bool requireAll(mlir::Value mask);

  /// i1 scalars, without those that are known to be true.
  llvm::ArrayRef<mlir::Value> conditions() const { return conditions_; }
  /// False where one of the conditions is known to be.
  bool mayHold() const { return mayHold_; }
  /// Adds `low <= value < low + 2^bits`, in 64 bits.
  void requireWithin(mlir::Value value, int64_t low, unsigned bits);

private:
  mlir::Value constant(int64_t value);
  mlir::Value plus(mlir::Value a, mlir::Value b);
  mlir::Value times(mlir::Value a, mlir::Value b);
  LinearForm sum(const LinearForm &a, const LinearForm &b);
  LinearForm scaled(const LinearForm &form, mlir::Value factor);
  /// The form at the ends of each axis: all elements lie between.
  llvm::SmallVector<mlir::Value, 4> corners(const LinearForm &form, llvm::ArrayRef<int64_t> shape);
  std::optional<LinearForm> ofArithmetic(mlir::Operation *op);
  /// Of an op that moves elements, made of its operand's form.
  static LinearForm moved(mlir::Operation *op, const LinearForm &form);
  void require(mlir::Value condition);

  mlir::OpBuilder &b_;
  mlir::Location location_;
  llvm::SmallVector<mlir::Value> conditions_;
  bool mayHold_ = true;
  int left_ = 256; // ops to look at: sums of sums of one value are looked at again and again
};

} // namespace tegula::tile
