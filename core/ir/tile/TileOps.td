// All ops of the dialect; each family has its own file.
#ifndef TEGULA_TILE_OPS
#define TEGULA_TILE_OPS

include "core/ir/tile/TileShapeOps.td"
include "core/ir/tile/TileMemoryOps.td"
include "core/ir/tile/TileDescriptorOps.td"
include "core/ir/tile/TileComputeOps.td"
include "core/ir/tile/TileEffectOps.td"

#endif
