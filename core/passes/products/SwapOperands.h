// Computes a loop-carried sum of products as its transpose: dot(a, b, c) = trans(dot(trans(b), trans(a), trans(c))).
#pragma once

#include "core/ir/tile/Tile.h"

namespace tegula::tile {

/// Whether the dot can be replaced by its transpose. It has rank 2 and adds to a loop-carried value, the loop yields
/// its result as that value's next one, and nothing else in the loop uses either. The loop can then carry the
/// transposed sum, and the loop's result is transposed back once.
bool canBeSwapped(DotOp dot);

/// Emits the transposed dot before `dot`, with the operands trans(b) and trans(a). Its result has no uses yet;
/// takeSwapped makes it replace the result of `dot`.
DotOp makeSwapped(DotOp dot);

/// Replaces `dot`, for which canBeSwapped is true, by `swapped`.
void takeSwapped(DotOp dot, DotOp swapped);

/// Erases `swapped`, which has no uses, and the transposes that were made for it.
void dropSwapped(DotOp swapped);

} // namespace tegula::tile
