// Arithmetic on Affine and Box values without touching elements. Each function returns nothing if the result has
// neither form.
#pragma once

#include "backends/cpu/executor/Machine.h"

#include <optional>

namespace tegula::cpu {

/// Applies an integer operation (combineAffine), or a comparison (compareAffine, which returns a Box), to two Affine
/// values of equal type and shape, or to a scalar and a tile.
std::optional<Value> combineAffine(Opcode opcode, const Value &a, const Value &b, const Shape &shape);
std::optional<Value> compareAffine(IntPredicate predicate, const Value &a, const Value &b, const Shape &shape);
/// Applies And, Or or Xor to two i1 values.
std::optional<Value> combineBoxes(Opcode opcode, const Value &a, const Value &b, const Shape &shape);

/// Applies the operation or comparison to two integers of `bits` bits, which are sign-extended to 64, as the result is.
int64_t evaluate(Opcode opcode, int64_t a, int64_t b, unsigned bits);
bool evaluate(IntPredicate predicate, int64_t a, int64_t b, unsigned bits);

/// Converts a uniform integer tile to Affine and a uniform i1 tile to Box; returns other tiles unchanged.
Value uniformToAffine(Value value);
Value uniformToBox(Value value);

} // namespace tegula::cpu
