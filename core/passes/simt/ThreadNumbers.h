// The numbers of a thread's elements, as the lowering of ranges makes them. A part of simt-simplify-masks.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>

namespace tegula::simt {

/// An upper bound of the i32 `value`, if `value` is computed from constants and the numbers of the thread, lane or warp
/// by ops whose result cannot be negative. None for all other values.
std::optional<int64_t> mostOf(mlir::Value value);

/// The i32 numbers of a thread's elements, `first + constants[k]` for element k. No number is negative, and no sum
/// overflows.
struct ThreadNumbers {
  mlir::Value first;     // a scalar, not negative
  int64_t mostFirst = 0; // an upper bound of `first`
  llvm::SmallVector<int64_t> constants;
};

/// Nothing where `value` has another form.
std::optional<ThreadNumbers> threadNumbersOf(mlir::Value value);

/// The numbers of elements after tile-rotate-ranges, `(numbers - rotation) mod extent`. `extent` is a power of two;
/// numbers and rotation are less than it, so that the remainder is the difference or the difference plus `extent`.
struct RotatedNumbers {
  ThreadNumbers numbers;
  mlir::Value rotation;     // a scalar, i32
  int64_t mostRotation = 0; // the rotation is from 0 to this
  int64_t extent = 0;

  /// Whether some element's difference is never negative, so that it is its own remainder.
  bool hasUnwrapped() const {
    return llvm::any_of(numbers.constants, [&](int64_t constant) { return constant >= mostRotation; });
  }
};

/// Nothing where `value` has another form.
std::optional<RotatedNumbers> rotatedNumbersOf(mlir::Value value);

} // namespace tegula::simt
