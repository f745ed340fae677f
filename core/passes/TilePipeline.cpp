// The pipeline that every backend's compilation begins with. Each line runs a pass; comments say why the order matters.
#include "core/passes/Passes.h"

#include "mlir/Pass/PassManager.h"
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

} // namespace tegula::tile
