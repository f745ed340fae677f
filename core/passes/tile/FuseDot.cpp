// tile-fuse-dot (TilePasses.td): fuses an addition to the result of a tile.dot into its accumulator.
#include "core/passes/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_FUSEDOT
#include "core/passes/Passes.h.inc"

namespace {

bool isZero(Value value) { return matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat()); }

/// Whether a dot with accumulators of this type rounds sums as often as an addition after the dot would. Accumulators
/// narrower than f32 are rounded less often inside the dot.
bool accumulatesExactly(Type element) { return element.isF32() || element.isF64() || isa<IntegerType>(element); }

template <typename AddOp> struct FuseIntoDot : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    for (unsigned side : {0u, 1u}) {
      auto dot = add->getOperand(side).template getDefiningOp<DotOp>();
      if (!dot)
        continue;
      if (!dot->hasOneUse() || !isZero(dot.getC()))
        return rewriter.notifyMatchFailure(add, "the product has another use or an accumulator");
      if (!accumulatesExactly(dot.getType().getElementType()))
        return rewriter.notifyMatchFailure(add, "the accumulator is narrower than f32");
      rewriter.replaceOpWithNewOp<DotOp>(add, dot.getA(), dot.getB(), add->getOperand(1 - side),
                                         dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
      return success();
    }
    return rewriter.notifyMatchFailure(add, "no operand is a tile.dot");
  }
};

struct FuseDotPass : impl::FuseDotBase<FuseDotPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseIntoDot<arith::AddFOp>, FuseIntoDot<arith::AddIOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tegula::tile
