// Layouts for operands of tile.split. Private to tile-assign-layouts.
#pragma once

#include "core/ir/layout/LayoutRules.h"
#include "core/ir/tile/Tile.h"

namespace tegula::tile {

/// Changes the layout of the split's operand so that one register bit selects the half. A layout in which one does is
/// returned unchanged. If one bit of the lanes or warps selects the half, it is swapped with a register bit. The same
/// exchange between threads then also brings in bits that later splits of the results need, as in a butterfly (fast
/// Fourier or Hadamard transform), which splits along one bit of an axis after the other:
///
///   registers 0 1 2 10 11, lanes 3 to 7, warps 8 9; split along bit 9, later along 8, 7, 6, ... 0
///   becomes registers 9 8 7 6 5: the next exchange is needed at bit 4
///
/// Bits that are needed later, or never, give way to bits that are needed sooner (L. A. Belady, "A study of replacement
/// algorithms for a virtual-storage computer", 1966). Null for other layouts.
layout_ir::DistributedAttr withHalvesInRegisters(layout_ir::DistributedAttr layout, SplitOp split);

} // namespace tegula::tile
