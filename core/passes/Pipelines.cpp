// The pipelines, each a table of contents.
#include "core/passes/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tile {

void buildTilePipeline(OpPassManager &pipeline) {
  pipeline.addPass(createPlaceHints());        // before all that erases ops without a use
  pipeline.addPass(createWidenFp8());          // before all that folds: upstream's arithmetic does not saturate
  pipeline.addPass(createInlinerPass());       // early: the other passes work within one function
  pipeline.addPass(createSymbolDCEPass());     // helpers are private and now have no calls
  pipeline.addPass(createCanonicalizerPass()); // folds splats, casts and constant masks that the frontend emits
  pipeline.addPass(createFuseDot());           // after folding: it looks for constant zero accumulators
  pipeline.addPass(createCSEPass());           // merges equal loads, too, if no write stands between them
  pipeline.addPass(createScalarizeUniform());  // before motion: makes scalars and offsets that can leave loops
  pipeline.addPass(createHoistInvariants());   // after CSE, so that one of several equal ops moves; loads stay
  pipeline.addPass(createSplitDepth());        // after motion: what a loop adds to pointers stands before it
  pipeline.addPass(createWidenFp8());          // partial sums of 8-bit floats, which SplitDepth adds
  pipeline.addPass(createCanonicalizerPass()); // drops loop-carried values that do not change
  pipeline.addPass(createCSEPass());           // merges equal ops that left sibling loops
}

void buildPlannedPipeline(OpPassManager &pipeline, const TargetDescription &target) {
  pipeline.addNestedPass<func::FuncOp>(createSubstituteArguments()); // first: later passes look for constants
  if (target.policies.relaxesNarrowed)
    pipeline.addPass(createRelaxNarrowed()); // before ops are cloned for their uses
  if (target.policies.relaxesQuotients)
    pipeline.addPass(createRelaxQuotients()); // before the target's own functions, which divide exactly
  if (target.policies.skipsMasks)
    pipeline.addPass(createWholeMasks());   // before layouts: the masks' limits are read from tensors
  pipeline.addPass(createSelectProducts()); // before loads and layouts: both depend on the matrix instruction
  if (target.features.copiesAsync && target.features.copiesTiles) {
    if (target.policies.derivesDescriptors) {
      pipeline.addPass(createDescribeLoads());
      pipeline.addPass(createDescribeStores()); // after loads: only beside theirs
    }
    pipeline.addPass(createMarkTileCopies()); // before LowerDescriptors, which leaves marked loads
  }
  pipeline.addPass(createLowerDescriptors());
  pipeline.addPass(createScalarizeUniform());  // after descriptors: their base and offsets are uniform
  pipeline.addPass(createCanonicalizerPass()); // drops values that loops no longer change
  pipeline.addPass(createCSEPass());
  if (target.policies.conditional)
    pipeline.addPass(createUnsignedRemainders()); // after DescribeLoads, which has its own way with rows that wrap
  if (target.policies.loadsFragments) {
    pipeline.addPass(createLoadFragments());     // before PipelineLoads, which must not move these operands' loads
    pipeline.addPass(createCanonicalizerPass()); // removes scalars made for operands that were not rewritten
    pipeline.addPass(createCSEPass());           // merges the bounds checks that two operands share
  }
  pipeline.addPass(createPlanProducts()); // before PipelineCopies, which makes rings of its buffers
  if (target.features.copiesAsync)
    pipeline.addPass(createPipelineCopies()); // before PipelineLoads, which takes the loads that are left
  if (target.policies.delayedBytes)
    pipeline.addPass(createOrderProducts()); // after PipelineCopies, which looks for each product's wait behind it
  if (target.features.copiesAsync && target.features.copiesTiles)
    pipeline.addPass(createLowerDescriptors()); // marked loads that did not become rings
  if (target.policies.aheadBytes) {
    pipeline.addPass(createPipelineLoads());     // before layouts: a loop then carries a value in its load's layout
    pipeline.addPass(createCanonicalizerPass()); // folds the first iteration's addresses: its index is a constant
    pipeline.addPass(createCSEPass());           // merges address computations of this iteration and of the next
  }
  if (target.policies.rotatedBytes)
    pipeline.addPass(createRotateRanges()); // before layouts, which follow the width of accesses
  pipeline.addPass(createAssignLayouts());
  pipeline.addPass(createPlaceFragments()); // after layouts: values that leave fragments need a layout
  pipeline.addPass(createCSEPass());        // merges ops that were cloned for several uses
  if (target.policies.defersSums)
    pipeline.addPass(createDeferSums());     // after layouts: it adds what a thread holds
  pipeline.addPass(createHoistInvariants()); // conversions of values that a loop does not change
  pipeline.addPass(createStageOperands());   // after motion, which does not move accesses to memory
  if (target.policies.startsInOrder)
    pipeline.addPass(createLongestFirst()); // late: earlier passes know that a program's number is not negative
  if (target.features.copiesAsync && target.features.copiesTiles)
    pipeline.addPass(createLoopPrograms()); // late: passes before it see one program of the grid
  if (target.features.multicastsTiles)
    pipeline.addPass(createMulticastCopies()); // after LoopPrograms: it compares programs by their numbers
}

void buildThreadPipeline(OpPassManager &pipeline) {
  pipeline.addPass(createTileToSimt());
  pipeline.addPass(simt::createCanonicalizeThreads()); // drops loop-carried values that do not change, such as offsets
  pipeline.addPass(simt::createFoldScales());          // before ExpandMath: it looks for products and maxima
  pipeline.addPass(simt::createBranchOnMasks());       // after FoldScales, which follows masks as selects
  pipeline.addPass(simt::createSkipDivisions());       // before DefineIntegers, which hides what divides
  pipeline.addPass(simt::createDefineIntegers());      // after all passes that read loops' bounds
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
  pipeline.addPass(createSplitProducer());   // last: the others number the threads of a kernel without a producer's
}

} // namespace tegula::simt
