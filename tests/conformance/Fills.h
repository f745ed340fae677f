// What the inputs of conformance cases hold.
#pragma once

#include "tests/conformance/Case.h"

namespace tegula::conformance {

/// Bits of a value; 1 for i1.
unsigned bitsOf(DType type);
/// Of a float type: the bits of its significand, the first one included.
int precisionOf(DType type);
/// Of an integer type.
Number lowest(DType type);
Number highest(DType type);

/// 77: what outputs hold before the launch.
Fill blank();
Fill constant(Number value);
/// first, first + step, ...
Fill iota(Number first = 0, Number step = 1);
/// Whole numbers in [low, high]: sums of them are exact in any order, which makes the sharpest tests of data movement.
Fill whole(Number low, Number high);
Fill reals(Number low, Number high);
/// 2^e with e in [low, high], of either sign where `negative`.
Fill powers(Number low, Number high, bool negative = false);
/// NaN, infinities, zeros of both signs, denormals, extremes of the type; then any of its bit patterns. Element i holds
/// special number i / stride: strides 1 and specials().size() over two inputs meet every pair.
Fill special(int64_t stride = 1);
/// The same without NaNs.
Fill orderedSpecial(int64_t stride = 1);
/// How many special values `type` has.
int64_t specialCount(DType type);
/// Any bit pattern, NaNs included.
Fill anyBits();
Fill booleans();
/// These in turn.
Fill listed(std::vector<Number> values);
/// 0 ... count - 1, each once in every `count` elements, out of order; times `scale`, plus `first`.
Fill shuffled(int64_t count, Number first = 0, Number scale = 1);
/// Any function of the index.
Fill byIndex(std::function<Number(int64_t)> value);
/// `fill` with every element that `wanted` rejects replaced by `instead`.
Fill only(Fill fill, std::function<bool(Number)> wanted, Number instead);

} // namespace tegula::conformance
