// Converts between MLIR element types and ScalarType, which code without MLIR uses.
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

/// The scalar type of a number, or of a tensor's or vector's elements. Integers of the IR are signless and become I1 to
/// I64. Nothing for pointers and all other types, and for integers of widths other than 1, 8, 16, 32 and 64.
std::optional<ScalarType> scalarType(mlir::Type type);

/// The inverse of scalarType; signedness is lost.
mlir::Type typeOf(mlir::MLIRContext *context, ScalarType type);

/// The constant that converting `value` to the type gives: rounded once, to nearest even or toward zero; saturated if
/// the type is an 8-bit float (core/support/FloatFormats.h).
llvm::APFloat roundedTo(mlir::FloatType type, double value, bool towardZero = false);

/// True if the op computes with 8-bit floats, or rounds to one by another op than `tile.fp_cast`, which saturates.
/// tile-widen-fp8 rewrites these ops, except `math.fma`, which simt-expand-math rewrites, because code generators
/// cannot print them. Constants, `arith.select`, `arith.bitcast` and `arith.extf`, which is exact, are not among them.
bool computesFp8(mlir::Operation *op);

} // namespace tegula::tile
