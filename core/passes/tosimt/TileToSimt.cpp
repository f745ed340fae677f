// tile-to-simt; see Passes.td. Runs the lowering of core/passes/tosimt on each kernel of the planned level.
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/passes/shared/AllocateShared.h"
#include "core/passes/tosimt/Lowering.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_TILETOSIMT
#include "core/passes/Passes.h.inc"

namespace {

bool isPlanned(func::FuncOp function) {
  bool hasTensors = false;
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      hasTensors |= isa<RankedTensorType>(type);
    hasTensors |= op->getName().getDialectNamespace() == "tile";
  });
  return simt::isKernel(function) && hasTensors;
}

constexpr int64_t kLeastBytes = 1 << 10; // of an exchange; with less, a kernel would spend its time in barriers

class TileToSimtPass : public impl::TileToSimtBase<TileToSimtPass> {
public:
  void runOnOperation() override {
    target_ = simt::targetOf(getOperation());
    SmallVector<func::FuncOp> kernels;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kKernelAttr) && isPlanned(function))
        kernels.push_back(function);
    for (func::FuncOp planned : kernels) {
      AxisAnalysis axes(planned);
      FailureOr<func::FuncOp> kernel = lower(planned, axes);
      if (failed(kernel))
        return signalPassFailure();
      // Keep only the declared divisibilities that the analysis used: they become guards, which each launch checks.
      for (BlockArgument argument : kernel->getArguments())
        kernel->removeArgAttr(argument.getArgNumber(), kDivisibilityAttr);
      for (const ArgumentFact &fact : axes.usedFacts())
        if (fact.kind == ArgumentFact::Kind::Divisibility)
          kernel->setArgAttr(fact.argument, kDivisibilityAttr, Builder(&getContext()).getI64IntegerAttr(fact.operand));
      planned.erase();
    }
  }

private:
  /// Lowers the kernel with all of shared memory as each exchange's limit. If its buffers do not fit together, lowers
  /// it again with half the limit, and so on.
  FailureOr<func::FuncOp> lower(func::FuncOp planned, AxisAnalysis &axes) {
    const TargetFeatures &features = target_.features;
    for (tosimt::LoweringOptions options{target_};; options.sharedBytes /= 2) {
      FailureOr<func::FuncOp> kernel = tosimt::Lowering(planned, axes, options).run();
      if (failed(kernel) || options.sharedBytes < 2 * kLeastBytes ||
          simt::sharedNeed(*kernel, features.sharesWidths) <= features.sharedBytes)
        return kernel;
      kernel->erase();
    }
  }

  simt::Target target_;
};

} // namespace
} // namespace tegula::tile
