// A part of simt-simplify-masks: masks of rows whose range `rotate-ranges` has rotated.
#pragma once

#include "core/passes/simt/ThreadNumbers.h"

#include "mlir/IR/Builders.h"

namespace tegula::simt {

/// `vector`: of i32.
mlir::Value constantsLike(mlir::OpBuilder &b, mlir::Location location, mlir::Type vector,
                          llvm::ArrayRef<int64_t> constants);

/// first - rotation, which is not less than minus the greatest rotation.
mlir::Value movedFirst(mlir::OpBuilder &b, const RotatedNumbers &rotated, mlir::Location location);

/// Rotated numbers without the wrap, numbers - rotation, and for which elements they are right whatever the rotation:
/// those whose constants are not less than it.
struct Unwrapped {
  mlir::Value numbers, neverWraps;
};
Unwrapped unwrapped(mlir::OpBuilder &b, const RotatedNumbers &rotated, mlir::Value value);

/// Shorter conditions for groups that are accessed whole or one by one, and constant distances between the accesses one
/// by one, in `root`; see SimtPasses.td.
void simplifyRotatedMasks(mlir::Operation *root);

/// Rotated numbers without a remainder for those that never wrap. After this, rotatedNumbersOf does not know them.
void unwrapNumbers(mlir::Operation *root);

} // namespace tegula::simt
