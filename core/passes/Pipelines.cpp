// The pipelines, each a table of contents.
#include "core/passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tile {

void buildTilePipeline(OpPassManager &pipeline) {
  pipeline.addPass(createInlinerPass());       // first: the other passes work within one function
  pipeline.addPass(createSymbolDCEPass());     // helpers are private and now have no calls
  pipeline.addPass(createCanonicalizerPass()); // folds splats, casts and constant masks that the frontend emits
  pipeline.addPass(createFuseDot());           // after folding: it looks for constant zero accumulators
  pipeline.addPass(createCSEPass());           // merges equal loads, too, if no write stands between them
  pipeline.addPass(createScalarizeUniform());  // before motion: makes scalars and offsets that can leave loops
  pipeline.addPass(
      createLoopInvariantCodeMotionPass());    // after CSE, so that one of several equal ops moves; loads stay
  pipeline.addPass(createCanonicalizerPass()); // drops loop-carried values that do not change
  pipeline.addPass(createCSEPass());           // merges equal ops that left sibling loops
}

void buildPlannedPipeline(OpPassManager &pipeline, const TargetRow &target) {
  pipeline.addNestedPass<func::FuncOp>(createSubstituteArguments()); // first: later passes look for constants
  pipeline.addPass(createLowerDescriptors());
  pipeline.addPass(createScalarizeUniform());  // after descriptors: their base and offsets are uniform
  pipeline.addPass(createCanonicalizerPass()); // drops values that loops no longer change
  pipeline.addPass(createCSEPass());
  SelectProductsOptions products;
  std::vector<std::string> offered;
  for (const FragmentProduct &product : target.products)
    offered.push_back(name(product));
  products.products = offered;
  products.sharedBytes = target.sharedBytes;
  pipeline.addPass(createSelectProducts(products)); // before loads and layouts: both depend on the matrix instruction
  if (target.loadsFragments) {
    pipeline.addPass(createLoadFragments());     // before PipelineLoads, which must not move these operands' loads
    pipeline.addPass(createCanonicalizerPass()); // removes scalars made for operands that were not rewritten
    pipeline.addPass(createCSEPass());           // merges the bounds checks that two operands share
  }
  if (target.aheadBytes) {
    PipelineLoadsOptions loads;
    loads.aheadBytes = target.aheadBytes;
    loads.earlyBytes = target.earlyBytes;
    loads.threadsPerWarp = target.threadsPerWarp;
    pipeline.addPass(createPipelineLoads(loads)); // before layouts: a loop then carries a value in its load's layout
    pipeline.addPass(createCanonicalizerPass());  // folds the first iteration's addresses: its index is a constant
    pipeline.addPass(createCSEPass());            // merges address computations of this iteration and of the next
  }
  AssignLayoutsOptions layouts;
  layouts.warpSize = target.warpSize;
  layouts.threadsPerWarp = target.threadsPerWarp;
  pipeline.addPass(createAssignLayouts(layouts));
  PlaceFragmentsOptions fragments;
  fragments.rows = target.rowsInFragments;
  pipeline.addPass(createPlaceFragments(fragments));     // after layouts: values that leave fragments need a layout
  pipeline.addPass(createCSEPass());                     // merges ops that were cloned for several uses
  pipeline.addPass(createLoopInvariantCodeMotionPass()); // conversions of values that a loop does not change
}

void buildThreadPipeline(OpPassManager &pipeline, const TargetRow &target) {
  TileToSimtOptions threads;
  threads.sharedBytes = target.sharedBytes;
  threads.shareWidths = target.sharesWidths;
  threads.sharedElementBytes = target.sharedElementBytes;
  pipeline.addPass(createTileToSimt(threads));
  pipeline.addPass(simt::createCanonicalizeThreads()); // drops loop-carried values that do not change, such as offsets
  simt::ExpandMathOptions math;
  math.native = target.nativeMath;
  pipeline.addPass(simt::createExpandMath(math)); // before the clean-up: expansions repeat constants and share parts
  simt::SimtPipelineOptions places;
  places.shareWidths = target.sharesWidths;
  places.limit = target.sharedBytes;
  // Reduction scratch gets its own storage up to 4 KiB: reusing a live buffer's storage would cost one more barrier per
  // reduction, and no device runs fewer programs at a time because of 4 KiB.
  places.spare = 4 << 10;
  simt::buildSimtPipeline(pipeline, places);
}

void registerTilePasses() {
  registerTegulaPasses();
  simt::registerTegulaSimtPasses();
  registerCanonicalizerPass();
  registerCSEPass();
  registerInlinerPass();
  registerLoopInvariantCodeMotionPass();
  registerSymbolDCEPass();
  PassPipelineRegistration<>(
      "tile-pipeline",
      "what every backend starts from: inlining, folding, CSE, uniform values as scalars, invariant code motion",
      buildTilePipeline);
  PassPipelineRegistration<simt::SimtPipelineOptions>(
      "simt-pipeline", "what every backend that prints from simt ends in: folding, places in shared memory, barriers",
      simt::buildSimtPipeline);
}

} // namespace tegula::tile

namespace tegula::simt {

void buildSimtPipeline(OpPassManager &pipeline, const SimtPipelineOptions &options) {
  pipeline.addPass(createSimplifySimt()); // before CSE: constants and folded indices make more ops equal
  pipeline.addPass(createCSEPass()); // before places and barriers: fewer accesses, shorter lives; CSE stops at barriers
  AllocateSharedOptions allocation;
  allocation.shareWidths = options.shareWidths;
  allocation.limit = options.limit;
  allocation.spare = options.spare;
  pipeline.addPass(createAllocateShared(allocation));
  pipeline.addPass(createInsertBarriers()); // after places: accesses to buffers that share storage need barriers
  if (options.check)
    pipeline.addPass(createCheckBarriers()); // last: a pass that moves accesses must run before it
}

} // namespace tegula::simt
