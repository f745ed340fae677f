// Numbers as the executor holds them: the low bits of a 64-bit lane, the rest zero. Floats are decoded to double, which
// holds every value of every format, and rounded once on the way back.
#pragma once

#include "core/support/ScalarType.h"

#include <cstdint>

namespace mlir {
class Type;
}

namespace tegula::simt_test {

/// The number type of a scalar, of a vector's elements, or of what a pointer or an index is here: i64.
ScalarType numberType(mlir::Type type);

/// Exact.
double toDouble(ScalarType type, uint64_t bits);
/// Rounded to nearest even.
uint64_t fromDouble(ScalarType type, double value);

/// The lane as a signed number: its top bit spread upwards.
int64_t toSigned(ScalarType type, uint64_t bits);
/// The low bits that the type has.
uint64_t truncated(ScalarType type, uint64_t bits);

} // namespace tegula::simt_test
