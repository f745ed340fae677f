// A part of simt-simplify-masks: masks of rows whose range tile-rotate-ranges has rotated.
#pragma once

#include "core/passes/simt/ThreadNumbers.h"

#include "mlir/IR/Builders.h"

namespace tegula::simt {

/// A constant of the vector type `vector`, which has i32 elements.
mlir::Value constantsLike(mlir::OpBuilder &b, mlir::Location location, mlir::Type vector,
                          llvm::ArrayRef<int64_t> constants);

/// Emits `first - rotation`: a thread's first number after the rotation, but without `mod extent`; negative if it
/// wraps.
mlir::Value movedFirst(mlir::OpBuilder &b, const RotatedNumbers &rotated, mlir::Location location);

/// Emits `numbers - rotation`, a vector of i32: the rotated numbers without `mod extent`; negative for elements that
/// wrap.
mlir::Value differencesOf(mlir::OpBuilder &b, const RotatedNumbers &rotated, mlir::Location location);

/// A constant vector of i1: true for each element that never wraps, because its difference is not negative for any
/// rotation.
mlir::Value neverWraps(mlir::OpBuilder &b, const RotatedNumbers &rotated, mlir::Location location);

/// Simplifies all conditions in `root` that decide whether a group of a row's elements is accessed as a whole or
/// element by element. Also places the accesses to single elements at constant distances from one address; see
/// SimtPasses.td.
void simplifyRotatedMasks(mlir::Operation *root);

/// Omits `mod extent` in the numbers of elements that never wrap, for which it changes nothing. Must run last, because
/// rotatedNumbersOf does not recognize the result.
void unwrapNumbers(mlir::Operation *root);

} // namespace tegula::simt
