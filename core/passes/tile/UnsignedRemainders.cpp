// tile-unsigned-remainders (TilePasses.td): makes remainders of wrapped rows unsigned, for wide accesses, if the launch
// can check their signs.
#include "core/ir/simt/Target.h"
#include "core/ir/tile/ConditionsAttr.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/analysis/ProgramSigns.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_UNSIGNEDREMAINDERS
#include "core/passes/Passes.h.inc"

namespace {

constexpr StringLiteral kTopic = "wraps";

/// Whether the only missing fact is that the dividend is not negative: with it, axis analysis (AxisInfo.h) would find
/// that the remainder counts up in groups in which the dividend counts up.
bool wouldCountUp(arith::RemSIOp remainder, const AxisAnalysis &axes) {
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

/// The sum, over all accesses to memory, of the number of elements that a thread could move by one instruction.
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

/// A sum `start + range` (operands in either order), along any axis.
struct Range {
  Value start; // a scalar
  int64_t first = 0, last = 0;
};

std::optional<Range> rangeOf(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<HintOp, ExpandDimsOp, BroadcastOp, arith::ExtSIOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  auto sum = tensor.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  for (auto [start, range] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())}) {
    auto splat = start.getDefiningOp<SplatOp>();
    auto wider = range.getDefiningOp<arith::ExtSIOp>();
    auto made = (wider ? wider.getIn() : range).getDefiningOp<MakeRangeOp>();
    if (splat && made)
      return Range{splat.getSrc(), int32_t(made.getStart()), int64_t(int32_t(made.getEnd())) - 1};
  }
  return std::nullopt;
}

using Conditions = SmallVector<ProgramExpression, 2>;

/// The conditions by which a launch checks that the divisor is positive; empty for a positive constant. No value: a
/// launch cannot check it.
std::optional<Conditions> conditionsOfDivisor(Value divisor) {
  if (APInt constant; matchPattern(divisor, m_ConstantInt(&constant)))
    return constant.isStrictlyPositive() ? std::optional(Conditions()) : std::nullopt;
  auto splat = divisor.getDefiningOp<SplatOp>();
  std::optional<ProgramExpression> written = splat ? expressionOf(splat.getSrc()) : std::nullopt;
  return written ? std::optional(Conditions{*written}) : std::nullopt;
}

/// The conditions by which a launch checks that in every program the dividend is not negative, its computation does not
/// wrap, and the divisor is positive. No value: a launch cannot check that. Also no value if the dividend's start may
/// be negative although all divisors are positive (nonNegativeIf), because conditions should hold in ordinary launches,
/// whose number of programs equals the number of tiles.
std::optional<Conditions> conditionsOf(arith::RemSIOp remainder, func::FuncOp kernel) {
  std::optional<Range> dividend = rangeOf(remainder.getLhs());
  std::optional<Conditions> conditions = conditionsOfDivisor(remainder.getRhs());
  if (!dividend || !conditions || !nonNegativeIf(kernel, {ArrayRef<Value>(dividend->start)}).front())
    return std::nullopt;
  std::optional<ProgramExpression> start = expressionOf(dividend->start);
  if (!start || start->nodes.size() + 5 > ProgramExpression::kMostNodes)
    return std::nullopt;
  // The condition that a launch checks: min(start + first + 1, start + last + 1) is at least 1. The first number is at
  // least 1 if no element is negative. The second one is there so that the check also covers that the last element fits
  // 32 bits.
  using Kind = ProgramExpression::Kind;
  auto at = uint32_t(start->nodes.size());
  start->nodes.insert(start->nodes.end(), {{Kind::Constant, dividend->first + 1},
                                           {Kind::Add, 0, at - 1, at},
                                           {Kind::Constant, dividend->last + 1},
                                           {Kind::Add, 0, at - 1, at + 2},
                                           {Kind::Minimum, 0, at + 1, at + 3}});
  conditions->push_back(std::move(*start));
  return conditions;
}

/// Makes the remainder unsigned if that widens accesses and a launch can check that the dividend is not negative.
void rewrite(arith::RemSIOp remainder, func::FuncOp kernel) {
  Location location = remainder.getLoc();
  int64_t before = widthOfAccesses(kernel);
  OpBuilder builder(remainder);
  auto made = arith::RemUIOp::create(builder, location, remainder.getLhs(), remainder.getRhs());
  remainder.replaceAllUsesWith(made.getResult());
  bool isWider = widthOfAccesses(kernel) > before;
  std::optional<Conditions> conditions = isWider ? conditionsOf(remainder, kernel) : std::nullopt;
  if (conditions) {
    explain(location, kTopic) << "accesses are of several elements: the launch tells that no dividend is negative";
    addConditions(kernel, *conditions);
    remainder.erase();
    return;
  }
  if (isWider)
    explain(location, kTopic)
        << "accesses are of fewer elements than they could be: no launch can tell that no dividend is "
           "negative";
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
        if (wouldCountUp(remainder, axes))
          remainders.push_back(remainder);
      });
      for (arith::RemSIOp remainder : remainders)
        rewrite(remainder, function);
    }
  }
};

} // namespace
} // namespace tegula::tile
