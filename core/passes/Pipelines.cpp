// The pipelines. Each line runs a pass; comments say why the order matters.
#include "core/passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tile {

void buildTilePipeline(OpPassManager &pipeline) {
  pipeline.addPass(createPlaceHints());        // before every pass that erases ops without a use
  pipeline.addPass(createWidenFp8());          // before every pass that folds: upstream's arithmetic does not saturate
  pipeline.addPass(createInlinerPass());       // early: the other passes work within one function
  pipeline.addPass(createSymbolDCEPass());     // helpers are private and now have no calls
  pipeline.addPass(createCanonicalizerPass()); // folds splats, casts and constant masks that the frontend emits
  pipeline.addPass(createFuseDot());           // after folding: it looks for constant zero accumulators
  pipeline.addPass(createCSEPass());           // also merges equal loads, if no write stands between them
  pipeline.addPass(createCountLoops());        // before ScalarizeUniform, which handles pointers that for loops carry
  pipeline.addPass(createScalarizeUniform());  // before code motion: makes scalars and offsets that can leave loops
  pipeline.addPass(createHoistInvariants());   // after CSE, so that only one of several equal ops moves; loads stay
  pipeline.addPass(createSplitK());   // after code motion: amounts that a loop adds to pointers are defined before it
  pipeline.addPass(createWidenFp8()); // for partial sums of 8-bit floats, which SplitK adds
  pipeline.addPass(createCanonicalizerPass()); // drops loop-carried values that do not change
  pipeline.addPass(createCSEPass());           // merges equal ops that left sibling loops
}

void buildPlannedPipeline(OpPassManager &pipeline, const TargetDescription &target) {
  pipeline.addNestedPass<func::FuncOp>(createSubstituteArguments()); // first: later passes look for constants
  if (target.policies.relaxesNarrowed)
    pipeline.addPass(createRelaxNarrowed()); // before ops are cloned for their uses
  if (target.policies.relaxesQuotients)
    pipeline.addPass(createRelaxQuotients()); // before ExpandMath expands functions, whose divisions must be exact
  if (target.policies.skipsMasks)
    pipeline.addPass(createWholeMasks());   // before layouts: it reads the masks' limits from tensors
  pipeline.addPass(createSelectProducts()); // before loads and layouts: both depend on the matrix instruction
  if (target.features.copiesAsync && target.features.copiesTiles) {
    if (target.policies.derivesDescriptors) {
      pipeline.addPass(createDescribeLoads());
      // after DescribeLoads: stores go through descriptors only in kernels whose loads have become loads through
      // descriptors
      pipeline.addPass(createDescribeStores());
    }
    pipeline.addPass(createMarkTileCopies()); // before LowerDescriptors, which leaves marked loads
  }
  pipeline.addPass(createLowerDescriptors());
  pipeline.addPass(createScalarizeUniform());  // after descriptors: their base and offsets are uniform
  pipeline.addPass(createCanonicalizerPass()); // drops values that loops no longer change
  pipeline.addPass(createCSEPass());
  if (target.policies.conditional)
    pipeline.addPass(createUnsignedRemainders()); // after DescribeLoads, which handles rows that wrap in another way
  if (target.policies.loadsFragments) {
    pipeline.addPass(createLoadFragments());     // before ScheduleLoops, which must not move these operands' loads
    pipeline.addPass(createCanonicalizerPass()); // removes scalars made for operands that were not rewritten
    pipeline.addPass(createCSEPass());           // merges the bounds checks that two operands share
  }
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
  if (target.policies.rotatedBytes)
    pipeline.addPass(createRotateRanges());    // before layouts, which depend on the width of accesses
  pipeline.addPass(createCombineBroadcasts()); // late: passes before it recognize sums of rows and columns
  pipeline.addPass(createAssignLayouts());
  pipeline.addPass(createPlaceFragments()); // after layouts: values that leave fragments need a layout
  pipeline.addPass(createCSEPass());        // merges ops that were cloned for several uses
  if (target.policies.defersSums)
    pipeline.addPass(createDeferSums());     // after layouts: partial totals are sums of the elements of one thread
  pipeline.addPass(createHoistInvariants()); // hoists conversions of loop-invariant values
  pipeline.addPass(createStageOperands());   // after code motion, which does not move accesses to memory
  pipeline.addPass(createSinkExchanges());   // after all passes that emit conversions and loads from rings
  pipeline.addPass(createFitSchedules());    // after all passes that change the loops of schedules
  if (target.policies.startsInOrder)
    pipeline.addPass(createLongestFirst());  // late: passes before it rely on a program's number not being negative
  pipeline.addPass(createPersistentLoop());  // late: passes before it assume one program of the grid
  pipeline.addPass(createMulticastCopies()); // after PersistentLoop: it compares programs by their numbers
}

void buildExpandedPipeline(OpPassManager &pipeline) {
  pipeline.addPass(createExpandSchedules());
  pipeline.addPass(createCSEPass()); // merges address computations of this iteration and of later ones
}

void buildThreadPipeline(OpPassManager &pipeline) {
  pipeline.addPass(createTileToSimt());
  pipeline.addPass(simt::createCanonicalizeThreads()); // drops loop-carried values that do not change, such as offsets
  pipeline.addPass(simt::createFoldScales());          // before ExpandMath: it looks for products and maxima
  pipeline.addPass(simt::createBranchOnMasks());       // after FoldScales, which recognizes masks in selects only
  pipeline.addPass(simt::createSkipDivisions());       // before DefineIntegers, which replaces divisions
  pipeline.addPass(simt::createDefineIntegers());      // after all passes that read the bounds of loops
  pipeline.addPass(simt::createExpandMath()); // before the clean-up: expansions repeat constants and share parts
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
