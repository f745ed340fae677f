// Element types of the IR by the names that everything outside of it uses.
#pragma once

#include "core/support/ScalarType.h"

#include <optional>

namespace mlir {
class Type;
}

namespace tegula::tile {

/// Of a type of numbers, or a tensor or vector of them. Integers of the IR have no sign: I8 to I64. Nothing for
/// addresses and whatever else holds no numbers, and for integers of other widths than 1, 8, 16, 32 and 64 bits.
std::optional<ScalarType> scalarType(mlir::Type type);

} // namespace tegula::tile
