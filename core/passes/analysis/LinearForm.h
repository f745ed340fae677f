// Linear forms: tensors of integers or pointers that change by a constant step along each axis, described by a few
// scalars; and masks that compare such tensors. Private to the tile level's passes.
#pragma once

#include "core/ir/tile/Tile.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace tegula::tile {

/// element[i, j, ...] = start + i * steps[0] + j * steps[1] + ...; `start` and `steps` are i64 scalars, null for zero.
struct LinearForm {
  mlir::Value start;
  llvm::SmallVector<mlir::Value, 2> steps;
};

/// Finds the linear form of a value from the ops that compute it, and emits the form's scalars at the builder's
/// insertion point, which the value must dominate. A form is computed in 64 bits, the value often in 32 bits, which may
/// wrap: the form equals the value if all of `conditions()` hold.
class LinearForms {
public:
  LinearForms(mlir::OpBuilder &builder, mlir::Location location) : b_(builder), location_(location) {}

  /// The linear form of `integers`: of 32-bit integers as signed numbers, of 64-bit integers modulo 2^64. Nothing if
  /// they have none.
  std::optional<LinearForm> of(mlir::Value integers);

  struct Pointers {
    mlir::Value base;
    LinearForm offsets; // in elements
  };
  std::optional<Pointers> ofPointers(mlir::Value pointers);

  /// Adds conditions that imply that every element of a mask is true. False if no such conditions can be given. If no
  /// comparison wraps, the conditions are also necessary.
  bool requireAll(mlir::Value mask);

  /// i1 scalars; conditions that are known to be true are left out.
  llvm::ArrayRef<mlir::Value> conditions() const { return conditions_; }
  /// Whether all conditions may hold: false if one of them is known to be false.
  bool mayHold() const { return mayHold_; }
  /// Adds the condition `low <= value < low + 2^bits`, computed in 64 bits, to conditions().
  void requireWithin(mlir::Value value, int64_t low, unsigned bits);

private:
  mlir::Value constant(int64_t value);
  mlir::Value plus(mlir::Value a, mlir::Value b);
  mlir::Value times(mlir::Value a, mlir::Value b);
  LinearForm sum(const LinearForm &a, const LinearForm &b);
  LinearForm scaled(const LinearForm &form, mlir::Value factor);
  /// The form's values at the corners of the tensor: all elements lie between the least and the greatest.
  llvm::SmallVector<mlir::Value, 4> corners(const LinearForm &form, llvm::ArrayRef<int64_t> shape);
  /// Adds conditions under which all elements fit 32 bits: a single condition if the steps are constants.
  void requireNoWrap(const LinearForm &form, llvm::ArrayRef<int64_t> shape);
  std::optional<LinearForm> ofArithmetic(mlir::Operation *op);
  /// The form of the result of an op that moves elements; `form` is the operand's form.
  static LinearForm moved(mlir::Operation *op, const LinearForm &form);
  void require(mlir::Value condition);

  mlir::OpBuilder &b_;
  mlir::Location location_;
  llvm::SmallVector<mlir::Value> conditions_;
  bool mayHold_ = true;
  int left_ = 256; // how many more ops may be visited; a value that is used twice is visited twice
};

} // namespace tegula::tile
