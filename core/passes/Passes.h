// Target-independent passes, and the pipelines that run them. What may enter this room: transformations that are
// correct for every target, and the analyses that they use (AxisInfo.h). A pass for one target lives in that backend's
// folder and runs at an extension point. docs/passes.md lists the levels and the passes.
#pragma once

#include "core/ir/simt/Simt.h"
#include "core/target/TargetDescription.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace tegula::tile {

#define GEN_PASS_DECL
#include "core/passes/Passes.h.inc"

/// Appends the passes on the tile IR that the frontend emits. They do not depend on the target, so all backends start
/// from their result. The pipeline runs on a module.
void buildTilePipeline(mlir::OpPassManager &pipeline);

/// The points of the pipelines below at which a backend's own passes run, and what holds there.
enum class ExtensionPoint : uint8_t {
  Tiles,     // tile level: no product has an instruction
  Selection, // products have instructions; loads and stores through descriptors are ops of their own
  Operands,  // all accesses are through pointers, but those that hardware may copy; operands have no buffers
  Schedule,  // loads and copies have schedules; tensors have no layouts
  Layouts,   // tensors have layouts, products their fragments
  Programs,  // schedules are final; a program is one of the grid
  Threads,   // simt level: functions of floats and divisions of integers are still ops
};
/// Adds a backend's passes of a point.
using AddExtensions = llvm::function_ref<void(ExtensionPoint)>;

/// Appends the passes that lower from the tile level to the planned level of a target; they decide descriptors, matrix
/// instructions, loads, layouts and fragments. `target` selects the passes that run. The passes themselves, and those
/// of buildThreadPipeline, read the target from the module (core/ir/simt/Target.h).
void buildPlannedPipeline(mlir::OpPassManager &pipeline, const TargetDescription &target, AddExtensions addExtensions);
/// Appends the passes after which loops of the planned level have no schedule: their ops stand where they run.
void buildExpandedPipeline(mlir::OpPassManager &pipeline);
/// Appends the passes that lower from the planned level without schedules to the simt level. The result is the code of
/// one thread, in which shared buffers have places and barriers order the accesses.
void buildThreadPipeline(mlir::OpPassManager &pipeline, AddExtensions addExtensions);

#define GEN_PASS_REGISTRATION
#include "core/passes/Passes.h.inc"

/// Registers our passes, the upstream passes that pipelines use, and the pipelines `--tile-pipeline` and
/// `--simt-pipeline`, so that tegula-opt knows their names.
void registerTilePasses();

} // namespace tegula::tile

namespace tegula::simt {

#define GEN_PASS_DECL
#include "core/passes/SimtPasses.h.inc"

/// Options of `buildSimtPipeline`.
struct SimtPipelineOptions : mlir::PassPipelineOptions<SimtPipelineOptions> {
#ifdef NDEBUG
  static constexpr bool kCheckByDefault = false;
#else
  static constexpr bool kCheckByDefault = true;
#endif
  Option<bool> check{*this, "check", llvm::cl::init(kCheckByDefault),
                     llvm::cl::desc("whether simt-check-barriers runs at the end; by default in debug builds")};
};

/// Appends the passes that simplify simt IR, assign places to its shared buffers and insert barriers. In the pipeline's
/// input, buffers have no places and no barriers order accesses; its output is ready for a backend's code generator.
/// The pipeline runs on a module.
void buildSimtPipeline(mlir::OpPassManager &pipeline, const SimtPipelineOptions &options);

#define GEN_PASS_REGISTRATION
#include "core/passes/SimtPasses.h.inc"

} // namespace tegula::simt
