// A sum of products that a loop carries, computed as its transpose: dot(a, b, c) = trans(dot(trans(b), trans(a),
// trans(c))).
#pragma once

#include "core/ir/tile/Tile.h"

namespace tegula::tile {

/// Whether the dot is of rank 2 and alone with its sum: it adds to a value that a loop carries, the loop yields its
/// result as that value's next one, and nothing else in the loop uses either. The loop can then carry the transposed
/// sum, and the loop's result is transposed back once.
bool canBeSwapped(DotOp dot);

/// Makes the dot of the transposed and exchanged operands, before `dot`. Nothing uses it yet.
DotOp makeSwapped(DotOp dot);

/// Lets `swapped` take the place of `dot`, of which `canBeSwapped` is true.
void takeSwapped(DotOp dot, DotOp swapped);

/// Erases `swapped`, which nothing uses, and the transposes that were made for it.
void dropSwapped(DotOp swapped);

} // namespace tegula::tile
