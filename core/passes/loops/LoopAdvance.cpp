#include "core/passes/loops/LoopAdvance.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// Whether the op divides integers. Its second operand is the divisor.
bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
             arith::RemSIOp, arith::RemUIOp>(op);
}

/// Whether the op is pure and cheap enough to be executed twice.
bool isIndexWork(Operation *op) {
  return isMemoryEffectFree(op) &&
         !op->walk([](Operation *each) {
              return isa<DotOp, ReduceOp, ScanOp, SortOp, GatherOp, HistogramOp, LoopLikeOpInterface>(each)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
}

/// The divisor that all elements of a division have in common, or else the tensor of divisors.
Value divisorOf(Operation *division) {
  Value divisor = division->getOperand(1);
  while (auto splat = divisor.getDefiningOp<SplatOp>())
    divisor = splat.getSrc();
  return divisor;
}

} // namespace

SmallVector<Value> usesOf(Operation *op) {
  SmallVector<Value> uses(op->getOperands());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::append_range(uses, captured);
  return uses;
}

bool canRepeatAhead(Operation *op) {
  auto mayFail = [](Operation *each) {
    // A guard cannot be used in the region of an op that takes nothing from above.
    if (isDivision(each))
      return each->getParentOfType<MapElementwiseOp>() && !matchPattern(each->getOperand(1), m_Constant());
    return each->getNumRegions() == 0 && !isSpeculatable(each);
  };
  return isIndexWork(op) && !op->walk([&](Operation *each) {
                                 return mayFail(each) ? WalkResult::interrupt() : WalkResult::advance();
                               }).wasInterrupted();
}

bool LoopSlice::follow(Value value) {
  if (!loop_.getRegion().isAncestor(value.getParentRegion()) || !seen_.insert(value).second ||
      isa<BlockArgument>(value))
    return true;
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast<LoadOp>(op);
  bool isRead = load && mayRead_ && mayRead_(load);
  if (isRead)
    reads_.insert(load);
  if (!isRead && !canRepeatAhead(op)) {
    blocker_ = op;
    return false;
  }
  return llvm::all_of(usesOf(op), [&](Value use) { return follow(use); });
}

bool LoopSlice::canRunAhead(Value value) {
  if (!follow(value))
    return false;
  // Follows the value to the carried arguments that it depends on, and each argument to the value that the loop yields
  // for it.
  SmallVector<Value> work = {value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!loop_.getRegion().isAncestor(next.getParentRegion()) || !seen.insert(next).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(next);
    if (!argument) {
      llvm::append_range(work, usesOf(next.getDefiningOp()));
    } else if (argument.getOwner() == loop_.getBody() && argument != loop_.getInductionVar() &&
               carried_.insert(argument)) {
      Value yielded = loop_.getTiedLoopYieldedValue(argument)->get();
      if (!follow(yielded))
        return false;
      work.push_back(yielded);
    }
  }
  return true;
}

Value hasIteration(OpBuilder &builder, scf::ForOp loop) {
  Location location = loop.getLoc();
  Value rises = builder.createOrFold<arith::CmpIOp>(location, arith::CmpIPredicate::slt, loop.getLowerBound(),
                                                    loop.getUpperBound());
  APInt step;
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.isStrictlyPositive())
    return rises;
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(loop.getStep().getType()));
  Value steps = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sgt, loop.getStep(), zero);
  return builder.createOrFold<arith::AndIOp>(location, rises, steps);
}

ArrayRef<BlockArgument> carryMore(scf::ForOp &loop, ArrayRef<Value> inits) {
  OpBuilder before(loop);
  SmallVector<Value> all(loop.getInitArgs());
  unsigned first = all.size();
  llvm::append_range(all, inits);
  auto made =
      scf::ForOp::create(before, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), all);
  made->setAttrs(loop->getAttrs());
  made.getRegion().takeBody(loop.getRegion());
  for (Value init : inits)
    made.getBody()->addArgument(init.getType(), init.getLoc());
  loop->replaceAllUsesWith(made.getResults().take_front(first));
  loop.erase();
  loop = made;
  return made.getRegionIterArgs().drop_front(first);
}

void dropUnusedCarried(scf::ForOp loop) {
  DenseSet<Value> needed;
  SmallVector<Value> work;
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isMemoryEffectFree(&op))
      llvm::append_range(work, usesOf(&op));
  for (auto [result, yielded] : llvm::zip_equal(loop.getResults(), loop.getYieldedValues()))
    if (!result.use_empty())
      work.push_back(yielded);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!loop.getRegion().isAncestor(value.getParentRegion()) || !needed.insert(value).second)
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      llvm::append_range(work, usesOf(value.getDefiningOp()));
    else if (argument.getOwner() == loop.getBody() && argument != loop.getInductionVar())
      work.push_back(loop.getTiedLoopYieldedValue(argument)->get());
  }
  llvm::BitVector unused(loop.getNumRegionIterArgs());
  SmallVector<Value> inits, results;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    bool isUsed = needed.contains(argument) || !loop.getResult(i).use_empty();
    unused[i] = !isUsed;
    if (isUsed) {
      inits.push_back(loop.getInitArgs()[i]);
      results.push_back(loop.getResult(i));
    }
  }
  if (unused.none())
    return;
  // The remaining uses of these arguments are in the computation of their own next values, which is unused.
  for (unsigned i : unused.set_bits())
    loop.getRegionIterArg(i).replaceAllUsesWith(loop.getInitArgs()[i]);
  auto made = OpBuilder(loop).create<scf::ForOp>(loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                                 loop.getStep(), inits);
  made->setAttrs(loop->getAttrs());
  made.getRegion().takeBody(loop.getRegion());
  Block *body = made.getBody();
  body->getTerminator()->eraseOperands(unused);
  body->eraseArguments(
      [&](BlockArgument argument) { return argument.getArgNumber() > 0 && unused[argument.getArgNumber() - 1]; });
  for (auto [from, to] : llvm::zip_equal(results, made.getResults()))
    from.replaceAllUsesWith(to);
  loop.erase();
}

void maskBy(Value condition, LoadOp load) {
  OpBuilder builder(load);
  Value mask = condition;
  if (auto tensor = dyn_cast<RankedTensorType>(load.getType()))
    mask = SplatOp::create(builder, load.getLoc(), tensor.clone(builder.getI1Type()), condition);
  if (Value own = load.getMask())
    mask = arith::AndIOp::create(builder, load.getLoc(), own, mask);
  load.getMaskMutable().assign(mask);
}

void guardIndices(Value condition, LoadOp load) {
  maskBy(condition, load);
  Type type = load.getType();
  if (load.getOther() || !getElementTypeOrSelf(type).isIntOrFloat())
    return;
  OpBuilder builder(load);
  Value zero = arith::ConstantOp::create(builder, load.getLoc(), cast<TypedAttr>(builder.getZeroAttr(type)));
  load.getOtherMutable().assign(zero);
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
  Operation *made = builder_.clone(*op, made_);
  made->removeAttr(simt::kScheduleAttr);
  // A loop that runs divides by a value from before it in its first iteration, unless the division is in a branch,
  // which may be taken past the end only.
  bool dividesAnyway = isDivision(op) && loop_.isDefinedOutsideOfLoop(divisorOf(op));
  made->walk([&](Operation *each) {
    if (isDivision(each))
      guard(each, dividesAnyway ? loopRuns_ : takesPlace_);
    else if (auto load = dyn_cast<LoadOp>(each); load && takesPlace_)
      guardIndices(takesPlace_, load);
  });
  return made_.lookup(value);
}

void LoopCloner::guard(Operation *division, Value condition) {
  if (!condition || matchPattern(divisorOf(division), m_Constant()))
    return;
  Value divisor = division->getOperand(1);
  OpBuilder builder(division);
  Location location = division->getLoc();
  Type type = divisor.getType();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    condition = SplatOp::create(builder, location, tensor.clone(builder.getI1Type()), condition);
  Value one = arith::ConstantOp::create(builder, location, cast<TypedAttr>(builder.getOneAttr(type)));
  division->setOperand(1, arith::SelectOp::create(builder, location, condition, divisor, one));
}

} // namespace tegula::tile
