// Target-independent passes, and the pipelines made of them. What may enter this room: transformations that are right
// for every target, and the analyses that they ask (AxisInfo.h). What only one target wants lives in that backend's
// folder. docs/passes.md lists the levels and the passes.
#pragma once

#include "core/ir/Tile.h"

#include "mlir/Pass/Pass.h"

namespace tegula::tile {

#define GEN_PASS_DECL
#include "core/passes/Passes.h.inc"

/// The tile level's own clean-up: what every backend starts from. Runs on a module.
void buildTilePipeline(mlir::OpPassManager &pipeline);

#define GEN_PASS_REGISTRATION
#include "core/passes/Passes.h.inc"

/// Makes our passes, the upstream ones that pipelines use, and the pipelines known by name (`--tile-pipeline`).
void registerTilePasses();

} // namespace tegula::tile
