// Arithmetic on Affine and Box values without touching elements. Each function returns nothing if the result has
// neither form.
#pragma once

#include "backends/cpu/executor/Machine.h"

#include <optional>

namespace tegula::cpu {

/// An integer operation on two Affine values of equal type and shape, or on a scalar and a tile. The comparison returns
/// a Box.
std::optional<Value> combineAffine(Opcode opcode, const Value &a, const Value &b, const Shape &shape);
std::optional<Value> compareAffine(IntPredicate predicate, const Value &a, const Value &b, const Shape &shape);
/// And, Or, Xor of i1 values.
std::optional<Value> combineBoxes(Opcode opcode, const Value &a, const Value &b, const Shape &shape);

/// The scalar operation on integers of `bits` bits that are sign-extended to 64.
int64_t evaluate(Opcode opcode, int64_t a, int64_t b, unsigned bits);
bool evaluate(IntPredicate predicate, int64_t a, int64_t b, unsigned bits);

/// Converts a uniform integer tile to Affine and a uniform i1 tile to Box; returns other tiles unchanged.
Value uniformToAffine(Value value);
Value uniformToBox(Value value);

} // namespace tegula::cpu
