// tile-scalarize-uniform (TilePasses.td): computes uniform values as scalars, and keeps pointers as one base and
// offsets.
#include "core/passes/Passes.h"
#include "core/passes/analysis/Uniform.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_SCALARIZEUNIFORM
#include "core/passes/Passes.h.inc"

namespace {

/// Replaces an elementwise op on splats by the scalar op and splats of its results.
struct OnceForAll : RewritePattern {
  explicit OnceForAll(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumOperands() == 0 || op->getNumResults() == 0 || !isElementwise(op) || isa<HintOp>(op) ||
        op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return rewriter.notifyMatchFailure(op, "not a pure elementwise op");
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    if (!llvm::all_of(op->getResultTypes(), isTensor))
      return rewriter.notifyMatchFailure(op, "a scalar op already");
    for (Value operand : op->getOperands())
      if (isTensor(operand.getType()) && !isUniform(operand))
        return rewriter.notifyMatchFailure(op, "an operand is no splat");
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isTensor(operand.getType()) ? uniformScalar(rewriter, operand) : operand);
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(getElementTypeOrSelf(type));
    OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
    Operation *scalar = rewriter.create(state);
    SmallVector<Value> splats;
    for (auto [type, value] : llvm::zip(op->getResultTypes(), scalar->getResults()))
      splats.push_back(SplatOp::create(rewriter, op->getLoc(), type, value));
    rewriter.replaceOp(op, splats);
    return success();
  }
};

/// A sum value = scalar + rest in the value's own width. If the width is below 64 bits, the sum does not wrap.
struct UniformPart {
  Value scalar, rest;
};

/// Moves the uniform parts of offsets into the base pointers.
class Regrouping {
public:
  explicit Regrouping(Operation *function) : function_(function), analysis_(function, AxisAnalysis::Facts::Ignored) {}

  /// Returns whether an op changed.
  bool run() {
    SmallVector<AddPtrOp> all;
    function_->walk([&](AddPtrOp op) {
      if (isa<RankedTensorType>(op.getType()))
        all.push_back(op);
    });
    bool changed = false;
    for (AddPtrOp op : all)
      changed |= regroup(op);
    return changed;
  }

private:
  bool regroup(AddPtrOp op) {
    Value pointers = op.getPtr();
    if (!hasUniformBase(pointers))
      return false;
    OpBuilder builder(op);
    if (Value scalar = uniformScalar(builder, op.getOffset())) {
      // The whole offset is uniform: add it to the base.
      BaseAndOffsets parts = takeApart(pointers, analysis_);
      parts.base = AddPtrOp::create(builder, op.getLoc(), parts.base, scalar);
      op.replaceAllUsesWith(putTogether(builder, op.getLoc(), parts, op.getType()));
      return true;
    }
    if (!canSplit(op.getOffset()))
      return false;
    UniformPart part = split(builder, op.getOffset());
    BaseAndOffsets parts = takeApart(pointers, analysis_);
    parts.base = AddPtrOp::create(builder, op.getLoc(), parts.base, part.scalar);
    Value moved = putTogether(builder, op.getLoc(), parts, op.getType());
    op.replaceAllUsesWith(AddPtrOp::create(builder, op.getLoc(), moved, part.rest).getResult());
    return true;
  }

  static bool isWide(Value value) { return getElementTypeOrSelf(value.getType()).isInteger(64); }

  bool isExact(arith::AddIOp add) const {
    return isWide(add) || bitEnumContainsAll(add.getOverflowFlags(), arith::IntegerOverflowFlags::nsw) ||
           analysis_.sumFits(add.getLhs(), add.getRhs(), getElementTypeOrSelf(add.getType()).getIntOrFloatBitWidth());
  }

  bool canSplit(Value value) const {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (auto add = dyn_cast<arith::AddIOp>(op); add && isExact(add)) {
      if (isUniform(add.getLhs()) != isUniform(add.getRhs()))
        return true;
      return isWide(value) && (canSplit(add.getLhs()) || canSplit(add.getRhs()));
    }
    if (isa<arith::MulIOp>(op) && isWide(value) && isUniform(op->getOperand(1)))
      return canSplit(op->getOperand(0));
    return (isShapeChange(op) || isa<arith::ExtSIOp>(op)) && canSplit(op->getOperand(0));
  }

  UniformPart split(OpBuilder &builder, Value value) const {
    Operation *op = value.getDefiningOp();
    Location location = op->getLoc();
    if (auto add = dyn_cast<arith::AddIOp>(op)) {
      for (unsigned side : {0u, 1u})
        if (isUniform(op->getOperand(side)))
          return {uniformScalar(builder, op->getOperand(side)), op->getOperand(1 - side)};
      unsigned side = canSplit(add.getLhs()) ? 0 : 1;
      UniformPart part = split(builder, op->getOperand(side));
      return {part.scalar, arith::AddIOp::create(builder, location, part.rest, op->getOperand(1 - side))};
    }
    UniformPart part = split(builder, op->getOperand(0));
    if (isa<arith::MulIOp>(op)) {
      Value factor = uniformScalar(builder, op->getOperand(1));
      return {arith::MulIOp::create(builder, location, part.scalar, factor),
              arith::MulIOp::create(builder, location, part.rest, op->getOperand(1))};
    }
    Value rest = cloneWith(builder, op, part.rest, value.getType());
    return {isShapeChange(op) ? part.scalar : cloneWith(builder, op, part.scalar, builder.getI64Type()), rest};
  }

  Operation *function_;
  AxisAnalysis analysis_;
};

struct ScalarizeUniformPass : impl::ScalarizeUniformBase<ScalarizeUniformPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    patterns.add<OnceForAll>(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(patterns);
    SplatOp::getCanonicalizationPatterns(patterns, context);
    BroadcastOp::getCanonicalizationPatterns(patterns, context);
    ExpandDimsOp::getCanonicalizationPatterns(patterns, context);
    TransOp::getCanonicalizationPatterns(patterns, context);
    ReshapeOp::getCanonicalizationPatterns(patterns, context);
    patterns_ = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      if (function.isExternal())
        return;
      // Each step enables the next: simplify makes scalars, regroup moves them into bases, and loops can then carry the
      // bases.
      simplify(function);
      regroup(function);
      if (!carryScalars(function))
        return;
      simplify(function);
      regroup(function);
    });
  }

private:
  void regroup(func::FuncOp function) {
    if (Regrouping(function).run())
      simplify(function);
  }

  void simplify(func::FuncOp function) {
    if (failed(applyPatternsGreedily(function, patterns_)))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns_;
};

} // namespace
} // namespace tegula::tile
