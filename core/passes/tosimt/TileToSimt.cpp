// tile-to-simt (Passes.td): lowers a program on tensors to the code of one thread.
//
// Runs the lowering of core/passes/tosimt on each kernel of the planned level.
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/CodeSize.h"
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

struct TileToSimtPass : impl::TileToSimtBase<TileToSimtPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    SmallVector<func::FuncOp> kernels;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kKernelAttr) && isPlanned(function))
        kernels.push_back(function);
    for (func::FuncOp planned : kernels) {
      if (failed(checkValues(planned)))
        return signalPassFailure();
      AxisAnalysis axes(planned);
      FailureOr<func::FuncOp> kernel = tosimt::Lowering(planned, axes, target).run();
      if (failed(kernel) || failed(checkOperations(*kernel)))
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
};

} // namespace
} // namespace tegula::tile
