// The pipelines, each a table of contents.
#include "core/passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tile {

void buildTilePipeline(OpPassManager &pipeline) {
  pipeline.addPass(createInlinerPass());       // before all else: the rest works within one function
  pipeline.addPass(createSymbolDCEPass());     // helpers are private and now have no calls
  pipeline.addPass(createCanonicalizerPass()); // folds what the frontend spelled out: splats, casts, constant masks
  pipeline.addPass(createFuseDot());           // after folding: it looks for constant zero accumulators
  pipeline.addPass(createCSEPass());           // merges equal loads too where nothing is written between them
  pipeline.addPass(createScalarizeUniform());  // before motion: scalars and offsets of one base leave loops
  pipeline.addPass(
      createLoopInvariantCodeMotionPass());    // after CSE, so that one of several equal ops moves; loads stay
  pipeline.addPass(createCanonicalizerPass()); // loops whose carried values turned out invariant
  pipeline.addPass(createCSEPass());           // what was hoisted out of sibling loops
}

void buildPlannedPipeline(OpPassManager &pipeline, const TargetRow &target) {
  pipeline.addNestedPass<func::FuncOp>(createSubstituteArguments()); // before all that looks for what is known
  pipeline.addPass(createLowerDescriptors());
  pipeline.addPass(createScalarizeUniform());  // after descriptors: their base and offsets are uniform
  pipeline.addPass(createCanonicalizerPass()); // what loops no longer carry
  pipeline.addPass(createCSEPass());
  SelectProductsOptions products;
  std::vector<std::string> offered;
  for (const FragmentProduct &product : target.products)
    offered.push_back(name(product));
  products.products = offered;
  products.sharedBytes = target.sharedBytes;
  pipeline.addPass(createSelectProducts(products)); // before loads and layouts: both depend on who multiplies
  if (target.loadsFragments) {
    pipeline.addPass(createLoadFragments());     // before loads go ahead: these do not
    pipeline.addPass(createCanonicalizerPass()); // scalars of operands that stayed as they were
    pipeline.addPass(createCSEPass());           // limits that both operands have
  }
  if (target.aheadBytes) {
    PipelineLoadsOptions loads;
    loads.aheadBytes = target.aheadBytes;
    loads.earlyBytes = target.earlyBytes;
    loads.threadsPerWarp = target.threadsPerWarp;
    pipeline.addPass(createPipelineLoads(loads)); // before layouts: what is carried is laid out as it is loaded
    pipeline.addPass(createCanonicalizerPass());  // the first iteration's addresses: its induction variable is known
    pipeline.addPass(createCSEPass());            // an iteration's own addresses, made again ahead of it
  }
  AssignLayoutsOptions layouts;
  layouts.warpSize = target.warpSize;
  layouts.threadsPerWarp = target.threadsPerWarp;
  pipeline.addPass(createAssignLayouts(layouts));
  PlaceFragmentsOptions fragments;
  fragments.rows = target.rowsInFragments;
  pipeline.addPass(createPlaceFragments(fragments));     // after layouts: what leaves fragments has one to go to
  pipeline.addPass(createCSEPass());                     // values that were made again twice
  pipeline.addPass(createLoopInvariantCodeMotionPass()); // conversions of what a loop does not change
}

void buildThreadPipeline(OpPassManager &pipeline, const TargetRow &target) {
  TileToSimtOptions threads;
  threads.sharedBytes = target.sharedBytes;
  threads.shareWidths = target.sharesWidths;
  threads.sharedElementBytes = target.sharedElementBytes;
  pipeline.addPass(createTileToSimt(threads));
  pipeline.addPass(simt::createCanonicalizeThreads()); // loops that carry what no longer changes: offsets beside a base
  simt::ExpandMathOptions math;
  math.native = target.nativeMath;
  pipeline.addPass(simt::createExpandMath(math)); // before the clean-up: expansions repeat constants and share parts
  simt::SimtPipelineOptions places;
  places.shareWidths = target.sharesWidths;
  places.limit = target.sharedBytes;
  places.spare =
      4 << 10; // what reductions exchange stays apart, for a barrier less each; no device runs fewer programs for it
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
  pipeline.addPass(createSimplifySimt()); // before CSE: equal constants and folded indices make ops equal
  pipeline.addPass(createCSEPass()); // before places: fewer accesses, shorter lives; barriers would stand in its way
  AllocateSharedOptions allocation;
  allocation.shareWidths = options.shareWidths;
  allocation.limit = options.limit;
  allocation.spare = options.spare;
  pipeline.addPass(createAllocateShared(allocation));
  pipeline.addPass(createInsertBarriers()); // after places: buffers that share storage need barriers between them
  if (options.check)
    pipeline.addPass(createCheckBarriers()); // last: whatever moves accesses later has to run it again
}

} // namespace tegula::simt
