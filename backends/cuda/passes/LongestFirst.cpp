// tile-longest-first (TilePasses.td): gives programs with more iterations lower numbers, so that they start first.
#include "backends/cuda/passes/Passes.h"
#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_LONGESTFIRST
#include "backends/cuda/passes/TilePasses.h.inc"

namespace {

/// Whether the op could reveal the order in which programs run, or let one program wait for another: an atomic, a
/// print, a `while`, or a load that is volatile or chooses a cache.
bool seesOrder(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getIsVolatile() || load.getCache() != CacheModifier::None;
  bool isOrdinary = isa<StoreOp, DescLoadOp, DescStoreOp, AssumeOp, scf::ForOp, scf::IfOp, scf::YieldOp>(op);
  return !isOrdinary && !isa<simt::SimtDialect>(op->getDialect()) && !isMemoryEffectFree(op) &&
         !isa<func::FuncOp, func::ReturnOp>(op);
}

/// How a scalar changes from program to program along one axis of the grid. If `isExact`, the scalar is `slope` times
/// the program's index along the axis, plus a number that is the same in all programs. Else only the sign of `slope`
/// has a meaning: positive if the scalar never decreases as the index grows, negative if it never increases.
struct Trend {
  bool isKnown = true, isExact = true;
  unsigned axis = 0;
  int64_t slope = 0;
};

constexpr Trend kUnknown = {false, false, 0, 0};

/// The trend of a sum of two scalars (`isSum`), or of their minimum or maximum.
Trend together(Trend a, Trend b, bool isSum) {
  if (!a.isKnown || !b.isKnown)
    return kUnknown;
  Trend result = a.slope == 0 ? b : a; // for a minimum or maximum only the sign matters
  result.isExact = isSum ? a.isExact && b.isExact : a.slope == 0 && b.slope == 0;
  if (a.slope == 0 || b.slope == 0)
    return result;
  if (a.axis != b.axis || (!result.isExact && (a.slope > 0) != (b.slope > 0)))
    return kUnknown;
  if (isSum && llvm::AddOverflow(a.slope, b.slope, result.slope))
    return kUnknown;
  return result;
}

Trend scaled(Trend trend, int64_t factor) {
  return llvm::MulOverflow(trend.slope, factor, trend.slope) ? kUnknown : trend;
}

/// Finds the trends of loops' iteration counts from the trends of the scalars that bound the loops. Trends of scalars
/// are cached, since several bounds may depend on one scalar.
class Trends {
public:
  /// The trend of the loop's iteration count over the program's index.
  Trend of(scf::ForOp loop) {
    Trend step = of(loop.getStep());
    if (!step.isKnown || step.slope != 0)
      return kUnknown;
    return together(of(loop.getUpperBound()), scaled(of(loop.getLowerBound()), -1), true);
  }

private:
  Trend of(Value scalar) {
    auto [known, isNew] = known_.try_emplace(scalar, kUnknown);
    return isNew ? known_[scalar] = computed(scalar) : known->second;
  }
  Trend computed(Value scalar);

  DenseMap<Value, Trend> known_;
};

Trend Trends::computed(Value scalar) {
  Operation *op = scalar.getDefiningOp();
  if (!op)
    return isa<func::FuncOp>(cast<BlockArgument>(scalar).getOwner()->getParentOp()) ? Trend() : kUnknown;
  if (auto program = dyn_cast<ProgramIdOp>(op))
    return {true, true, unsigned(program.getAxis()), 1};
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return kUnknown;
  SmallVector<Trend, 2> operands;
  for (Value operand : op->getOperands())
    operands.push_back(of(operand));
  if (llvm::all_of(operands, [](Trend trend) { return trend.isKnown && trend.slope == 0; }))
    return {};
  if (isa<arith::AddIOp>(op))
    return together(operands[0], operands[1], true);
  if (isa<arith::SubIOp>(op))
    return together(operands[0], scaled(operands[1], -1), true);
  if (isa<arith::MinSIOp, arith::MaxSIOp>(op))
    return together(operands[0], operands[1], false);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, HintOp>(op))
    return operands[0];
  APInt number;
  constexpr int64_t kMostFactor = 1 << 20;
  if (op->getNumOperands() != 2 || !matchPattern(op->getOperand(1), m_ConstantInt(&number)) ||
      !number.isStrictlyPositive() || number.getSExtValue() > kMostFactor)
    return kUnknown;
  if (isa<arith::MulIOp>(op))
    return scaled(operands[0], number.getSExtValue());
  operands[0].isExact = false;
  return isa<arith::DivSIOp>(op) ? operands[0] : kUnknown;
}

/// The axis of the grid along which iteration counts grow with the program's index. Nothing if there is no such axis,
/// or if the bounds of some loop are too complicated to analyse.
std::optional<unsigned> growingAxis(func::FuncOp kernel) {
  Trend all;
  Trends trends;
  kernel.walk([&](scf::ForOp loop) { all = together(all, trends.of(loop), false); });
  return all.isKnown && all.slope > 0 ? std::optional(all.axis) : std::nullopt;
}

void reverse(func::FuncOp kernel, unsigned axis) {
  kernel.walk([&](ProgramIdOp program) {
    if (program.getAxis() != axis)
      return;
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointAfter(program);
    Location location = program.getLoc();
    Value count = NumProgramsOp::create(builder, location, program.getType(), program.getAxis());
    Value one = arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(1));
    Value last = arith::SubIOp::create(builder, location, count, one);
    Value place = arith::SubIOp::create(builder, location, last, program);
    program.getResult().replaceAllUsesExcept(place, place.getDefiningOp());
  });
}

struct LongestFirstPass : impl::LongestFirstBase<LongestFirstPass> {
  void runOnOperation() override {
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>()) {
      bool isOrdered =
          kernel.walk([](Operation *op) { return seesOrder(op) ? WalkResult::interrupt() : WalkResult::advance(); })
              .wasInterrupted();
      if (std::optional<unsigned> axis = isOrdered ? std::nullopt : growingAxis(kernel)) {
        reverse(kernel, *axis);
        kernel->setAttr(kLongestFirstAttr, IntegerAttr::get(IntegerType::get(&getContext(), 32), *axis));
      }
    }
  }
};

} // namespace
} // namespace tegula::tile
