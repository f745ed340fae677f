// Between MLIR element types and ScalarType, which the code without MLIR uses.
#pragma once

#include "core/support/ScalarType.h"

#include <optional>

namespace llvm {
class APFloat;
} // namespace llvm
namespace mlir {
class FloatType;
class MLIRContext;
class Operation;
class Type;
} // namespace mlir

namespace tegula::tile {

/// The scalar type of a number, or of a tensor or vector of numbers. Integers of the IR have no sign, so they become I1
/// to I64. None for pointers and all other types, and for integers of widths other than 1, 8, 16, 32 and 64.
std::optional<ScalarType> scalarType(mlir::Type type);

/// The inverse; integers of the IR have no sign.
mlir::Type typeOf(mlir::MLIRContext *context, ScalarType type);

/// The constant that a conversion of `value` to the type gives: rounded once, to nearest even or toward zero, saturated
/// if the type is an 8-bit float (core/support/FloatFormats.h).
llvm::APFloat roundedTo(mlir::FloatType type, double value, bool towardZero = false);

/// Whether the op computes with 8-bit floats, or rounds to one otherwise than by `tile.fp_cast`, which saturates.
/// tile-widen-fp8 rewrites these ops, but for `math.fma`, which simt-expand-math rewrites: code generators have no code
/// for them. Constants, `arith.select`, `arith.bitcast` and `arith.extf`, which is exact, stay.
bool computesFp8(mlir::Operation *op);

} // namespace tegula::tile
