// simt-simplify; see SimtPasses.td.
#include "core/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_SIMPLIFYSIMT
#include "core/passes/SimtPasses.h.inc"

namespace {

struct SimplifySimtPass : impl::SimplifySimtBase<SimplifySimtPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet made(context);
    for (Dialect *dialect : context->getLoadedDialects())
      if (!isa<scf::SCFDialect>(dialect))
        dialect->getCanonicalizationPatterns(made);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (name.getDialectNamespace() != scf::SCFDialect::getDialectNamespace())
        name.getCanonicalizationPatterns(made, context);
    patterns_ = std::move(made);
    return success();
  }

  void runOnOperation() override {
    // Do not simplify regions: the arguments of blocks must stay.
    GreedyRewriteConfig config;
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
    (void)applyPatternsAndFoldGreedily(getOperation(), patterns_,
                                       config); // as in canonicalize, no convergence is no error
  }

  FrozenRewritePatternSet patterns_;
};

} // namespace
} // namespace tegula::simt
