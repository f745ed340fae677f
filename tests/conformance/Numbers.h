// Element types by their definition, in extended precision: what a type's bits mean, and what a number becomes when it
// is stored. It knows nothing of the compiler.
#pragma once

#include "tegula/tegula.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace tegula::conformance {

/// Holds every value of every element type exactly: 64 bits of mantissa.
using Number = long double;
static_assert(std::numeric_limits<Number>::digits >= 64);

inline const Number kNan = std::numeric_limits<Number>::quiet_NaN();
inline const Number kInf = std::numeric_limits<Number>::infinity();

inline bool isFloat(DType type) { return type >= DType::F16; }
inline bool isSigned(DType type) { return type >= DType::I8 && type <= DType::I64; }
inline bool isUnsigned(DType type) { return type >= DType::U8 && type <= DType::U64; }
inline bool isInteger(DType type) { return type >= DType::I8 && type <= DType::U64; }
inline bool isFp8(DType type) { return type >= DType::F8E4M3; }

/// What a conversion of `value` to `type` gives: floats round to the nearest (ties to even), 8-bit floats saturate
/// (infinity becomes the largest number, NaN stays), integers wrap.
Number rounded(DType type, Number value);
/// An element's bits from its value, and back. A value that is no element is converted first. The infinities of f8e5m2
/// are elements, although no conversion gives them.
uint64_t encode(DType type, Number value);
Number decode(DType type, uint64_t bits);

} // namespace tegula::conformance
