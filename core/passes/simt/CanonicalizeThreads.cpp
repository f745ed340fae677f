// simt-canonicalize-threads (SimtPasses.td): canonicalizes, and copies the marks of branches and loops to their
// replacements.
#include "core/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_CANONICALIZETHREADS
#include "core/passes/SimtPasses.h.inc"

namespace {

/// Copies the mark (uniform or divergent) of a branch or loop to the op that replaces it. Patterns that drop unused
/// results or carried values build a new op without discardable attributes, that is, without the mark. No barrier may
/// be inserted in a branch or loop without a mark.
class AttributeKeeper : public RewriterBase::Listener {
public:
  void notifyPatternBegin(const Pattern &pattern, Operation *op) override {
    made_.clear();
    uniform_ = op->getAttr(kUniformAttr);
    divergent_ = op->getAttr(kDivergentAttr);
  }
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint previous) override {
    if (!previous.isSet() && isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
      made_.push_back(op);
  }
  void notifyOperationErased(Operation *op) override { llvm::erase(made_, op); }
  void notifyPatternEnd(const Pattern &pattern, LogicalResult status) override {
    for (Operation *op : made_) {
      if (op->hasAttr(kUniformAttr) || op->hasAttr(kDivergentAttr))
        continue;
      if (uniform_)
        op->setAttr(kUniformAttr, uniform_);
      else if (divergent_)
        op->setAttr(kDivergentAttr, divergent_);
    }
    made_.clear();
  }

private:
  llvm::SmallVector<Operation *> made_;
  Attribute uniform_, divergent_;
};

struct CanonicalizeThreadsPass : impl::CanonicalizeThreadsBase<CanonicalizeThreadsPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet made(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(made);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      name.getCanonicalizationPatterns(made, context);
    patterns_ = std::move(made);
    return success();
  }
  void runOnOperation() override {
    AttributeKeeper keeper;
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setListener(&keeper);
    (void)applyPatternsGreedily(getOperation(), patterns_, config); // no convergence is no error
  }

  FrozenRewritePatternSet patterns_;
};

} // namespace
} // namespace tegula::simt
