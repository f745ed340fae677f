// simt-simplify (SimtPasses.td): folds and canonicalizes, without changing branches and loops.
#include "core/passes/Passes.h"

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_SIMPLIFYSIMT
#include "core/passes/SimtPasses.h.inc"

namespace {

/// Replaces registers picked from a constant by a constant, so that conversions and arithmetic on them fold.
struct PickConstant : OpRewritePattern<PickOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PickOp op, PatternRewriter &rewriter) const override {
    DenseElementsAttr constant;
    if (!matchPattern(op.getSrc(), m_Constant(&constant)))
      return failure();
    auto values = constant.getValues<Attribute>();
    SmallVector<Attribute> picked;
    for (int32_t number : op.getRegisters())
      picked.push_back(values[number]);
    auto vector = dyn_cast<VectorType>(op.getType());
    auto value = vector ? TypedAttr(DenseElementsAttr::get(vector, picked)) : cast<TypedAttr>(picked.front());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

struct SimplifySimtPass : impl::SimplifySimtBase<SimplifySimtPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet made(context);
    for (Dialect *dialect : context->getLoadedDialects())
      if (!isa<scf::SCFDialect>(dialect))
        dialect->getCanonicalizationPatterns(made);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (name.getDialectNamespace() != scf::SCFDialect::getDialectNamespace())
        name.getCanonicalizationPatterns(made, context);
    made.add<PickConstant>(context);
    patterns_ = std::move(made);
    return success();
  }

  void runOnOperation() override {
    // Region simplification is off, because it could remove or merge arguments of blocks.
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    (void)applyPatternsGreedily(getOperation(), patterns_, config); // as in canonicalize, no convergence is no error
  }

  FrozenRewritePatternSet patterns_;
};

} // namespace
} // namespace tegula::simt
