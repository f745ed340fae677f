// Which copies programs of a cluster make for each other; tile-persistent-loop and tile-multicast-copies ask.
#pragma once

#include "core/ir/simt/Simt.h"

namespace tegula::tile {

/// Whether the rows of the copied tensor are known to be no multiple of a sector of the second-level cache apart, so
/// that some rows begin in the middle of a sector. False if the copy's descriptor is no argument of the kernel.
bool areRowsMisaligned(simt::CopyTileOp copy);

} // namespace tegula::tile
