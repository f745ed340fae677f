// Numbers in the executor: the low bits of a 64-bit lane, other bits zero. Floats are decoded to double, which holds
// every value of every format, and rounded once when encoded.
#pragma once

#include "core/support/ScalarType.h"

#include <cstdint>

namespace mlir {
class Type;
}

namespace tegula::simt_test {

/// The number type of a scalar or of a vector's elements; i64 for pointers and indices.
ScalarType numberType(mlir::Type type);

/// Exact.
double toDouble(ScalarType type, uint64_t bits);
/// Rounded to nearest even.
uint64_t fromDouble(ScalarType type, double value);

/// The lane as a signed number: sign-extended from the type's width.
int64_t toSigned(ScalarType type, uint64_t bits);
/// The low bits that the type has.
uint64_t truncated(ScalarType type, uint64_t bits);

} // namespace tegula::simt_test
