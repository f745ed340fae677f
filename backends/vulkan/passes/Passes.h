// The Vulkan backend's own passes, which run at extension points of the shared pipelines
// (core/lowering/ThreadCodeGenerator.h). Passes on tiles are in tegula::tile, passes on the code
// of one thread in tegula::simt.
#pragma once

#include "core/ir/simt/Simt.h"
#include "core/ir/tile/Tile.h"

#include "mlir/Pass/Pass.h"

namespace tegula::tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "backends/vulkan/passes/TilePasses.h.inc"

} // namespace tegula::tile
