#include "core/passes/analysis/TypicalSteps.h"

#include "core/passes/analysis/Uniform.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::tile {
namespace {

using Steps = SmallVector<int64_t, 4>;

/// The value, if all elements equal one integer constant.
std::optional<int64_t> constantOf(Value value) {
  while (auto splat = value.getDefiningOp<SplatOp>())
    value = splat.getSrc();
  APInt number;
  SplatElementsAttr same;
  if (matchPattern(value, m_Constant(&same)) && isa<IntegerType>(same.getElementType()))
    number = same.getSplatValue<APInt>();
  else if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

bool isUnknown(int64_t step) { return step > kFarApart - kMostDivisor; }

/// The step for neighbours that are `stride` elements apart, a value that is not constant.
int64_t stepOf(Value stride) {
  while (Operation *op = stride.getDefiningOp()) {
    if (!isa<SplatOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
      return kFarApart;
    stride = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(stride);
  auto kernel = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!kernel)
    return kFarApart;
  auto known = kernel.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kDivisibilityAttr);
  return kFarApart - kMostDivisor + std::min(kMostDivisor, known ? known.getInt() : 1);
}

class Finder {
public:
  Steps of(Value value) {
    size_t rank = shapeOf(value.getType()).size();
    if (!isTensor(value) || isUniform(value))
      return Steps(rank, 0);
    if (--left_ < 0)
      return Steps(rank, kFarApart);
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      return init ? of(init->get()) : Steps(rank, kFarApart);
    }
    Operation *op = value.getDefiningOp();
    return llvm::TypeSwitch<Operation *, Steps>(op)
        .Case([](MakeRangeOp) { return Steps{1}; })
        .Case([&](ExpandDimsOp expand) {
          Steps steps = of(expand.getSrc());
          steps.insert(steps.begin() + expand.getAxis(), 0);
          return steps;
        })
        .Case([&](TransOp trans) {
          Steps from = of(trans.getSrc()), steps;
          for (int32_t axis : trans.getOrder())
            steps.push_back(from[axis]);
          return steps;
        })
        .Case<BroadcastOp, HintOp, PtrCastOp>([&](auto same) { return of(same.getSrc()); })
        .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>([&](auto cast) { return of(cast.getIn()); })
        .Case<arith::AddIOp, arith::SubIOp, AddPtrOp, arith::OrIOp, arith::XOrIOp>(
            [&](auto) { return sum(of(op->getOperand(0)), of(op->getOperand(1))); })
        .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(
            [&](auto) { return most(of(op->getOperand(0)), of(op->getOperand(1))); })
        .Case([&](arith::SelectOp select) { return most(of(select.getTrueValue()), of(select.getFalseValue())); })
        .Case([&](arith::MulIOp product) {
          return isUniform(product.getLhs()) ? scaled(product.getRhs(), product.getLhs())
                                             : scaled(product.getLhs(), product.getRhs());
        })
        .Case<arith::RemSIOp, arith::RemUIOp>([&](auto rest) { return of(rest.getLhs()); })
        .Case<arith::DivSIOp, arith::DivUIOp>([&](auto quotient) {
          Steps steps = of(quotient.getLhs());
          std::optional<int64_t> divisor = constantOf(quotient.getRhs());
          for (int64_t &step : steps) // an unknown divisor is assumed to be the length of a long row
            step = divisor && *divisor > 0 ? (isUnknown(step) ? step : step / *divisor) : 0;
          return steps;
        })
        .Default([&](Operation *) { return Steps(rank, kFarApart); });
  }

private:
  static Steps sum(Steps a, const Steps &b) {
    for (auto [left, right] : llvm::zip_equal(a, b))
      left = std::min(left + right, kFarApart);
    return a;
  }
  static Steps most(Steps a, const Steps &b) {
    for (auto [left, right] : llvm::zip_equal(a, b))
      left = std::max(left, right);
    return a;
  }
  Steps scaled(Value tensor, Value by) {
    Steps steps = of(tensor), others = of(by);
    std::optional<int64_t> known = constantOf(by);
    int64_t factor = known ? std::abs(*known) : stepOf(by);
    for (auto [step, other] : llvm::zip_equal(steps, others)) {
      bool fits = step != 0 && other == 0 && factor < kFarApart / step;
      step = step == 0 && other == 0 ? 0 : fits ? step * factor : kFarApart;
    }
    return steps;
  }

  int left_ = 256; // how many more ops may be visited; a value that is used twice is visited twice
};

} // namespace

SmallVector<int64_t, 4> typicalSteps(Value tensor) { return Finder().of(tensor); }

} // namespace tegula::tile
