// All ops of the dialect, one file per family.
#ifndef TEGULA_TILE_OPS
#define TEGULA_TILE_OPS

include "core/ir/TileShapeOps.td"
include "core/ir/TileMemoryOps.td"
include "core/ir/TileDescriptorOps.td"
include "core/ir/TileComputeOps.td"
include "core/ir/TileEffectOps.td"

#endif
