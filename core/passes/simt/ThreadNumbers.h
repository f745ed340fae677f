// The numbers of a thread's elements, as the lowering of ranges makes them. A part of simt-simplify-masks.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>

namespace tegula::simt {

/// An upper bound of the i32 `value`, a thread's number or computed from it, if it is shown not to be negative.
std::optional<int64_t> mostOf(mlir::Value value);

/// Numbers first + constants of a thread's elements, i32, of which none is negative or wraps.
struct ThreadNumbers {
  mlir::Value first;     // a scalar, not negative
  int64_t mostFirst = 0; // an upper bound of `first`
  llvm::SmallVector<int64_t> constants;
};

/// Nothing where `value` has another form.
std::optional<ThreadNumbers> threadNumbersOf(mlir::Value value);

/// Numbers (numbers - rotation) mod extent of elements, as tile-rotate-ranges makes them; extent is a power of two, and
/// `numbers` and the rotation are below it, so that a difference wraps at most once.
struct RotatedNumbers {
  ThreadNumbers numbers;
  mlir::Value rotation;     // a scalar, i32
  int64_t mostRotation = 0; // the rotation is from 0 to this
  int64_t extent = 0;

  /// Whether there are numbers that never wrap.
  bool hasUnwrapped() const {
    return llvm::any_of(numbers.constants, [&](int64_t constant) { return constant >= mostRotation; });
  }
};

/// Nothing where `value` has another form.
std::optional<RotatedNumbers> rotatedNumbersOf(mlir::Value value);

} // namespace tegula::simt
