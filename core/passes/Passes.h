// Target-independent passes, and the pipelines made of them. What may enter this room: transformations that are right
// for every target, and the analyses that they ask (AxisInfo.h). What only one target wants lives in that backend's
// folder. docs/passes.md lists the levels and the passes.
#pragma once

#include "core/ir/Simt.h"
#include "core/target/TargetRow.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace tegula::tile {

#define GEN_PASS_DECL
#include "core/passes/Passes.h.inc"

/// The tile level's own clean-up: what every backend starts from. Runs on a module.
void buildTilePipeline(mlir::OpPassManager &pipeline);
/// From the tile to the planned level of a target.
void buildPlannedPipeline(mlir::OpPassManager &pipeline, const TargetRow &target);
/// From the planned to the simt level of a target: threads, places of shared buffers, barriers.
void buildThreadPipeline(mlir::OpPassManager &pipeline, const TargetRow &target);

#define GEN_PASS_REGISTRATION
#include "core/passes/Passes.h.inc"

/// Makes our passes, the upstream ones that pipelines use, and the pipelines known by name (`--tile-pipeline`,
/// `--simt-pipeline`).
void registerTilePasses();

} // namespace tegula::tile

namespace tegula::simt {

#define GEN_PASS_DECL
#include "core/passes/SimtPasses.h.inc"

/// What a pipeline from simt IR without places and barriers to IR that a backend prints may be told.
struct SimtPipelineOptions : mlir::PassPipelineOptions<SimtPipelineOptions> {
  /// As the passes' options of the same names.
  Option<bool> shareWidths{*this, "share-widths", llvm::cl::init(true),
                           llvm::cl::desc("whether buffers with elements of different width may share storage")};
  Option<int64_t> limit{*this, "limit", llvm::cl::init(0),
                        llvm::cl::desc("bytes of shared memory that the target has; 0: no limit")};
  Option<int64_t> spare{*this, "spare", llvm::cl::init(0),
                        llvm::cl::desc("no storage is shared where all buffers take no more bytes, nor by a "
                                       "loop's buffers where that takes no more beside")};
#ifdef NDEBUG
  static constexpr bool kCheckByDefault = false;
#else
  static constexpr bool kCheckByDefault = true;
#endif
  Option<bool> check{*this, "check", llvm::cl::init(kCheckByDefault),
                     llvm::cl::desc("whether simt-check-barriers runs at the end; by default in debug builds")};
};

/// Simplifies, places shared buffers, inserts barriers. Runs on a module.
void buildSimtPipeline(mlir::OpPassManager &pipeline, const SimtPipelineOptions &options);

#define GEN_PASS_REGISTRATION
#include "core/passes/SimtPasses.h.inc"

} // namespace tegula::simt
