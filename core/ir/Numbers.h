// Between MLIR element types and ScalarType, which the code without MLIR uses.
#pragma once

#include "core/support/ScalarType.h"

#include <optional>

namespace mlir {
class MLIRContext;
class Type;
} // namespace mlir

namespace tegula::tile {

/// The scalar type of a number, or of a tensor or vector of numbers. Integers of the IR have no sign, so they become I1
/// to I64. None for pointers and all other types, and for integers of widths other than 1, 8, 16, 32 and 64.
std::optional<ScalarType> scalarType(mlir::Type type);

/// The inverse; integers of the IR have no sign.
mlir::Type typeOf(mlir::MLIRContext *context, ScalarType type);

} // namespace tegula::tile
