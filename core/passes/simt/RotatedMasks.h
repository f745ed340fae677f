// A part of simt-simplify-masks: masks of rows whose range `rotate-ranges` has rotated.
#pragma once

#include "core/passes/simt/ThreadNumbers.h"

#include "mlir/IR/Builders.h"

namespace tegula::simt {

/// A constant of the vector type `vector`, whose elements are i32.
mlir::Value constantsLike(mlir::OpBuilder &b, mlir::Location location, mlir::Type vector,
                          llvm::ArrayRef<int64_t> constants);

/// `first - rotation`: the number of a thread's first element before the remainder is taken.
mlir::Value movedFirst(mlir::OpBuilder &b, const RotatedNumbers &rotated, mlir::Location location);

/// `numbers - rotation`, a vector of i32: `rotated` without the remainder.
mlir::Value differencesOf(mlir::OpBuilder &b, const RotatedNumbers &rotated, mlir::Location location);

/// A constant vector of i1: true for each element whose difference is never negative, whatever the rotation.
mlir::Value neverWraps(mlir::OpBuilder &b, const RotatedNumbers &rotated, mlir::Location location);

/// Shorter conditions for groups that are accessed whole or one by one, and constant distances between the accesses one
/// by one, in `root`; see SimtPasses.td.
void simplifyRotatedMasks(mlir::Operation *root);

/// Takes no remainder for elements whose difference is never negative. Runs last: rotatedNumbersOf does not recognise
/// the result.
void unwrapNumbers(mlir::Operation *root);

} // namespace tegula::simt
