// From MLIR element types to ScalarType, which the code without MLIR uses.
#pragma once

#include "core/support/ScalarType.h"

#include <optional>

namespace mlir {
class Type;
}

namespace tegula::tile {

/// The scalar type of a number, or of a tensor or vector of numbers. Integers of the IR have no sign, so they become I1
/// to I64. None for pointers and all other types, and for integers of widths other than 1, 8, 16, 32 and 64.
std::optional<ScalarType> scalarType(mlir::Type type);

} // namespace tegula::tile
