// tile-unsigned-remainders; see Passes.td.
#include "core/ir/simt/Target.h"
#include "core/ir/tile/ConditionsAttr.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/analysis/ProgramSigns.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_UNSIGNEDREMAINDERS
#include "core/passes/Passes.h.inc"

namespace {

constexpr StringLiteral kTopic = "wraps";

/// Whether runs of the dividend would stay runs in the remainder if it were known not to be negative.
bool wouldKeepRuns(arith::RemSIOp remainder, const AxisAnalysis &axes) {
  AxisInfo dividend = axes.of(remainder.getLhs()), divisor = axes.of(remainder.getRhs());
  if (!isTensor(remainder) || dividend.nonNegative)
    return false;
  for (size_t axis = 0; axis < dividend.rank(); ++axis) {
    int64_t aligned = std::gcd(dividend.contiguity[axis], dividend.divisibility[axis]);
    if (std::gcd(aligned, std::gcd(divisor.divisor(), divisor.constancy[axis])) > 1)
      return true;
  }
  return false;
}

/// How many elements a thread could move by one instruction, summed over the accesses to memory.
int64_t widthOfAccesses(func::FuncOp kernel) {
  AxisAnalysis axes(kernel);
  int64_t sum = 0;
  auto add = [&](Value pointers, Value mask) {
    auto type = dyn_cast<RankedTensorType>(pointers.getType());
    int64_t widest = 1;
    for (int64_t axis = 0; type && axis < type.getRank(); ++axis)
      widest = std::max(widest, axes.accessWidth(pointers, mask, size_t(axis)));
    sum += widest;
  };
  kernel.walk([&](LoadOp load) { add(load.getPtr(), load.getMask()); });
  kernel.walk([&](StoreOp store) { add(store.getPtr(), store.getMask()); });
  return sum;
}

/// Makes the remainder unsigned if accesses become wider by that, and a launch can tell that this is right.
void rewrite(arith::RemSIOp remainder, func::FuncOp kernel) {
  Location location = remainder.getLoc();
  int64_t before = widthOfAccesses(kernel);
  OpBuilder builder(remainder);
  auto made = builder.create<arith::RemUIOp>(location, remainder.getLhs(), remainder.getRhs());
  remainder.replaceAllUsesWith(made.getResult());
  bool isWider = widthOfAccesses(kernel) > before;
  SmallVector<Value> operands = made->getOperands();
  SignConditions conditions = isWider ? nonNegativeIf(kernel, {ArrayRef<Value>(operands)}).front() : std::nullopt;
  if (conditions) {
    explain(location, kTopic) << "accesses are of several elements: the launch tells that no dividend is negative";
    addConditions(kernel, *conditions);
    remainder.erase();
    return;
  }
  if (isWider)
    explain(location, kTopic) << "accesses are of single elements: a dividend may be negative";
  made.replaceAllUsesWith(remainder.getResult());
  made.erase();
}

struct UnsignedRemaindersPass : impl::UnsignedRemaindersBase<UnsignedRemaindersPass> {
  void runOnOperation() override {
    if (!simt::targetOf(getOperation()).policies.conditional)
      return;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function->hasAttr(kKernelAttr))
        continue;
      AxisAnalysis axes(function);
      SmallVector<arith::RemSIOp> remainders;
      function.walk([&](arith::RemSIOp remainder) {
        if (wouldKeepRuns(remainder, axes))
          remainders.push_back(remainder);
      });
      for (arith::RemSIOp remainder : remainders)
        rewrite(remainder, function);
    }
  }
};

} // namespace
} // namespace tegula::tile
