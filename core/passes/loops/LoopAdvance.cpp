#include "core/passes/loops/LoopAdvance.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// All values that an op of the body uses, also in its regions.
SmallVector<Value> usesOf(Operation *op) {
  SmallVector<Value> uses(op->getOperands());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::append_range(uses, captured);
  return uses;
}

/// Whether the op is pure and cheap enough to be computed twice.
bool isIndexWork(Operation *op) {
  return isMemoryEffectFree(op) &&
         !op->walk([](Operation *each) {
              return isa<DotOp, ReduceOp, ScanOp, SortOp, GatherOp, HistogramOp, LoopLikeOpInterface>(each)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
}

} // namespace

bool LoopSlice::dividesByChanging(Operation *op) {
  return op
      ->walk([&](Operation *each) {
        bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
                           arith::RemSIOp, arith::RemUIOp>(each);
        if (!divides)
          return each->getNumRegions() || isSpeculatable(each) ? WalkResult::advance() : WalkResult::interrupt();
        Value divisor = each->getOperand(1);
        while (auto splat = divisor.getDefiningOp<SplatOp>())
          divisor = splat.getSrc();
        return matchPattern(divisor, m_Constant()) || loop_.isDefinedOutsideOfLoop(divisor) ? WalkResult::advance()
                                                                                            : WalkResult::interrupt();
      })
      .wasInterrupted();
}

bool LoopSlice::follow(Value value, bool next) {
  if (!loop_.getRegion().isAncestor(value.getParentRegion()) || !seen_.insert({value, next}).second)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isInduction = argument == loop_.getInductionVar();
    return !next || isInduction || follow(loop_.getTiedLoopYieldedValue(argument)->get(), /*next=*/false);
  }
  Operation *op = value.getDefiningOp();
  if (!isIndexWork(op) || dividesByChanging(op)) {
    blocker_ = op;
    return false;
  }
  return llvm::all_of(usesOf(op), [&](Value use) { return follow(use, next); });
}

Value LoopCloner::clone(Value value) {
  if (!loop_.getRegion().isAncestor(value.getParentRegion()))
    return value;
  if (Value made = made_.lookupOrNull(value))
    return made;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Value made = arguments_(argument);
    made_.map(value, made);
    return made;
  }
  Operation *op = value.getDefiningOp();
  for (Value use : usesOf(op))
    clone(use);
  builder_.clone(*op, made_);
  return made_.lookup(value);
}

} // namespace tegula::tile
