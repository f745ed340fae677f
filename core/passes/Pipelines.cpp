// The pipelines for targets with threads. Each line runs a pass; comments say why the order matters.
#include "core/passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tile {

void buildPlannedPipeline(OpPassManager &pipeline, const TargetDescription &target, AddExtensions addExtensions) {
  pipeline.addNestedPass<func::FuncOp>(createSubstituteArguments()); // first: later passes look for constants
  if (target.policies.relaxesQuotients)
    pipeline.addPass(createRelaxQuotients()); // before ExpandMath expands functions, whose divisions must be exact
  addExtensions(ExtensionPoint::Tiles);
  pipeline.addPass(createSelectProducts()); // before loads and layouts: both depend on the matrix instruction
  addExtensions(ExtensionPoint::Selection);
  if (target.features.copiesAsync && target.features.copiesTiles)
    pipeline.addPass(createMarkTileCopies()); // before LowerDescriptors, which leaves marked loads
  pipeline.addPass(createLowerDescriptors());
  pipeline.addPass(createScalarizeUniform());  // after descriptors: their base and offsets are uniform
  pipeline.addPass(createCanonicalizerPass()); // drops values that loops no longer change
  pipeline.addPass(createCSEPass());
  if (target.policies.conditional)
    pipeline.addPass(createUnsignedRemainders()); // after Selection: backends handle rows that wrap in other ways
  if (target.features.copiesAsync)
    pipeline.addPass(createHoistLoads()); // before PlanProducts, whose buffers are filled where the loads stand
  addExtensions(ExtensionPoint::Operands);
  pipeline.addPass(createPlanProducts()); // before PipelineCopies, which turns its buffers into rings
  if (target.features.copiesAsync)
    pipeline.addPass(createPipelineCopies()); // before ScheduleLoops, which takes the remaining loads
  if (target.policies.delayedBytes)
    // after PipelineCopies, which expects each product's wait right after the product
    pipeline.addPass(createOrderProducts());
  if (target.features.copiesAsync && target.features.copiesTiles)
    pipeline.addPass(createLowerDescriptors()); // for marked loads that did not become rings
  pipeline.addPass(createCanonicalizerPass());  // before schedules: a loop of one iteration is no loop afterwards
  pipeline.addPass(createCSEPass());
  if (target.policies.aheadBytes)
    pipeline.addPass(createScheduleLoops());
  addExtensions(ExtensionPoint::Schedule);
  pipeline.addPass(createCombineBroadcasts()); // late: passes before it recognize sums of rows and columns
  pipeline.addPass(createAssignLayouts());
  pipeline.addPass(createPlaceFragments()); // after layouts: values that leave fragments need a layout
  pipeline.addPass(createCSEPass());        // merges ops that were cloned for several uses
  addExtensions(ExtensionPoint::Layouts);
  pipeline.addPass(createHoistInvariants()); // hoists conversions of loop-invariant values
  pipeline.addPass(createStageOperands());   // after code motion, which does not move accesses to memory
  pipeline.addPass(createSinkExchanges());   // after all passes that emit conversions and loads from rings
  pipeline.addPass(createFitSchedules());    // after all passes that change the loops of schedules
  addExtensions(ExtensionPoint::Programs);
  pipeline.addPass(createPersistentLoop());  // late: passes before it assume one program of the grid
  pipeline.addPass(createMulticastCopies()); // after PersistentLoop: it compares programs by their numbers
}

void buildExpandedPipeline(OpPassManager &pipeline) {
  pipeline.addPass(createExpandSchedules());
  pipeline.addPass(createCSEPass()); // merges address computations of this iteration and of later ones
}

void buildThreadPipeline(OpPassManager &pipeline, AddExtensions addExtensions) {
  pipeline.addPass(createTileToSimt());
  pipeline.addPass(simt::createCanonicalizeThreads()); // drops loop-carried values that do not change, such as offsets
  pipeline.addPass(simt::createFoldScales());          // before ExpandMath: it looks for products and maxima
  pipeline.addPass(simt::createBranchOnMasks());       // after FoldScales, which recognizes masks in selects only
  addExtensions(ExtensionPoint::Threads);
  pipeline.addPass(simt::createDefineIntegers()); // after all passes that read the bounds of loops or divisions
  pipeline.addPass(simt::createExpandMath());     // before the clean-up: expansions repeat constants and share parts
  simt::buildSimtPipeline(pipeline, simt::SimtPipelineOptions());
}

void registerTilePasses() {
  registerTegulaPasses();
  simt::registerTegulaSimtPasses();
  registerCanonicalizerPass();
  registerCSEPass();
  registerInlinerPass();
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
  pipeline.addPass(createAllocateShared());
  pipeline.addPass(createInsertBarriers()); // after places: accesses to buffers that share storage need barriers
  if (options.check)
    pipeline.addPass(createCheckBarriers()); // after all passes that move accesses
  pipeline.addPass(createSpecializeWarps()); // last: earlier passes number the threads of a kernel without its producer
}

} // namespace tegula::simt
