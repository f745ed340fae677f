// A sum of products that a loop carries, computed as its transpose: dot(a, b, c) = trans(dot(trans(b), trans(a),
// trans(c))).
#pragma once

#include "core/ir/tile/Tile.h"

namespace tegula::tile {

/// Whether the dot, of rank 2, adds to a value that its loop carries to it alone, and the loop carries its result on
/// and uses it for nothing else: then the sum can be carried transposed, and only the last one is transposed back.
bool canBeSwapped(DotOp dot);

/// Makes the dot of the transposed and exchanged operands, before `dot`. Nothing uses it yet.
DotOp makeSwapped(DotOp dot);

/// Lets `swapped` take the place of `dot`, which `canBeSwapped`.
void takeSwapped(DotOp dot, DotOp swapped);

/// Erases `swapped`, which nothing uses, and the transposes that were made for it.
void dropSwapped(DotOp swapped);

} // namespace tegula::tile
