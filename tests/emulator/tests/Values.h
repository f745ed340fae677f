// Operands: values at which instructions go wrong, among random ones.
#pragma once

#include "tests/emulator/tests/Model.h"

#include <random>

namespace tegula::emulator::test {

using Random = std::mt19937;

/// The bits of an operand of this type. Every second one, on average, is a special value: zero, infinity, NaN, a
/// denormal number, the largest or smallest number, or the number of bits of a type (a shift by it is an edge case).
/// The others are random. Types of raw float bits can also get signalling NaNs.
uint64_t anyValue(const Type &type, Random &random);

/// Uniform in [0, end).
inline unsigned below(Random &random, unsigned end) { return unsigned(random() % end); }
inline bool chance(Random &random, unsigned oneIn) { return random() % oneIn == 0; }
inline uint64_t random64(Random &random) { return uint64_t(random()) << 32 | random(); }

/// The nearest f16, of two the even one. `rest`: the sign of what is to be added to `exact`, far below its last bit.
_Float16 toHalf(__float128 exact, int rest = 0);

/// A value as a float, whatever its width.
double asDouble(uint64_t bits, unsigned width);
bool isNan(uint64_t bits, unsigned width);

} // namespace tegula::emulator::test
