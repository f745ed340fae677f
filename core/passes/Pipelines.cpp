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

void registerTilePasses() {
  registerTegulaPasses();
  registerCanonicalizerPass();
  registerCSEPass();
  registerInlinerPass();
  registerLoopInvariantCodeMotionPass();
  registerSymbolDCEPass();
  PassPipelineRegistration<>("tile-pipeline",
                             "what every backend starts from: inlining, folding, CSE, uniform values as scalars, invariant code motion",
                             buildTilePipeline);
}

} // namespace tegula::tile
