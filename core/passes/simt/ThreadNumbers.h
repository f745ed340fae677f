// The numbers (positions along a range) of a thread's elements, in the form that the lowering of ranges emits. A part
// of simt-simplify-masks.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>

namespace tegula::simt {

/// An upper bound of the i32 `value`, if `value` is computed from constants and the ids of thread, lane or warp by ops
/// whose result cannot be negative. Nothing for all other values.
std::optional<int64_t> mostOf(mlir::Value value);

/// The i32 numbers of a thread's elements: element k has the number `first + constants[k]`. No number is negative, and
/// no sum overflows.
struct ThreadNumbers {
  mlir::Value first;     // a scalar, not negative
  int64_t mostFirst = 0; // an upper bound of `first`
  llvm::SmallVector<int64_t> constants;
};

/// The numbers that `value` holds, as ThreadNumbers; nothing if `value` has another form.
std::optional<ThreadNumbers> threadNumbersOf(mlir::Value value);

/// The numbers of a thread's elements after tile-rotate-ranges: `(numbers - rotation) mod extent`. `extent` is a power
/// of two. The numbers and the rotation are less than it, so the remainder is the difference or the difference plus
/// `extent`.
struct RotatedNumbers {
  ThreadNumbers numbers;
  mlir::Value rotation;     // a scalar, i32
  int64_t mostRotation = 0; // an upper bound of the rotation, which is not negative
  int64_t extent = 0;

  /// True if at least one element never wraps: its number is at least `mostRotation`, so `number - rotation` is not
  /// negative for any rotation, and `mod extent` does not change it.
  bool hasUnwrapped() const {
    return llvm::any_of(numbers.constants, [&](int64_t constant) { return constant >= mostRotation; });
  }
};

/// The numbers that `value` holds, as RotatedNumbers; nothing if `value` has another form.
std::optional<RotatedNumbers> rotatedNumbersOf(mlir::Value value);

} // namespace tegula::simt
