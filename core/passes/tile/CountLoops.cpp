// tile-count-loops (TilePasses.td): replaces while loops whose number of iterations is known when they
// begin by for loops.
#include "core/ir/tile/Tile.h"
#include "core/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_COUNTLOOPS
#include "core/passes/Passes.h.inc"

namespace {

/// A while loop that ends when one of its carried values, the counter, reaches a bound.
struct CountedWhile {
  unsigned counter = 0; // which of the carried values
  Value bound;          // it is defined before the loop
  Value step;           // a positive number, which is defined before the loop; null if `by` holds it
  int64_t by = 0;
  bool isDown = false; // the counter falls while it is greater than the bound, a constant that is not negative
};

/// Moves what the condition computes from values before the loop, such as its bound, to before the loop.
void hoistFromCondition(scf::WhileOp loop) {
  auto isOutside = [&](Value each) { return loop.isDefinedOutsideOfLoop(each); };
  for (Operation &op : llvm::make_early_inc_range(loop.getBeforeBody()->without_terminator()))
    if (op.getNumRegions() == 0 && isPure(&op) && llvm::all_of(op.getOperands(), isOutside))
      op.moveBefore(loop);
}

/// The loop's block argument that begins an iteration with the carried value `counter`; null if no iteration reads it.
BlockArgument argumentOf(scf::WhileOp loop, unsigned counter) {
  for (auto [given, argument] : llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments()))
    if (given == loop.getBeforeArguments()[counter])
      return argument;
  return {};
}

/// Finds what an iteration adds to the counter. Returns false if that is not known to have the sign that `isDown` asks
/// for.
bool findStep(scf::WhileOp loop, CountedWhile &counted) {
  BlockArgument argument = argumentOf(loop, counted.counter);
  Operation *change = loop.getYieldOp().getOperand(counted.counter).getDefiningOp();
  if (!argument || !isa_and_nonnull<arith::AddIOp, arith::SubIOp>(change))
    return false;
  bool isSum = isa<arith::AddIOp>(change), isSwapped = isSum && change->getOperand(1) == argument;
  if (change->getOperand(isSwapped) != argument)
    return false;
  Value step = change->getOperand(!isSwapped);
  if (APInt by; matchPattern(step, m_ConstantInt(&by))) {
    if (isSum == counted.isDown) {
      if (by.isMinSignedValue()) // its negation is the same number
        return false;
      by.negate();
    }
    counted.by = by.getSExtValue();
    return counted.by > 0;
  }
  // of the other positive numbers, the number of programs is that by which loops over a grid's tiles advance
  counted.step = step;
  return isSum && !counted.isDown && step.getDefiningOp<NumProgramsOp>() && loop.isDefinedOutsideOfLoop(step);
}

/// Whether the distance of two constants does not fit their type, in which upstream's folding of for loops subtracts.
bool exceedsType(Value from, Value to) {
  APInt low, high;
  bool overflows = false;
  if (matchPattern(from, m_ConstantInt(&low)) && matchPattern(to, m_ConstantInt(&high)))
    (void)high.ssub_ov(low, overflows);
  return overflows;
}

std::optional<CountedWhile> countedWhile(scf::WhileOp loop) {
  Block *before = loop.getBeforeBody();
  auto test = dyn_cast<arith::CmpIOp>(before->front());
  if (!test || test->getNextNode() != before->getTerminator() || loop.getConditionOp().getCondition() != test)
    return {};
  auto isKept = [&](Value value) {
    return value.getParentBlock() == before ? isa<BlockArgument>(value) : loop.isDefinedOutsideOfLoop(value);
  };
  if (!llvm::all_of(loop.getConditionOp().getArgs(), isKept))
    return {};
  Value left = test.getLhs(), right = test.getRhs();
  arith::CmpIPredicate predicate = test.getPredicate();
  if (right.getParentBlock() == before) {
    std::swap(left, right);
    predicate = predicate == arith::CmpIPredicate::sgt   ? arith::CmpIPredicate::slt
                : predicate == arith::CmpIPredicate::slt ? arith::CmpIPredicate::sgt
                                                         : arith::CmpIPredicate::eq;
  }
  auto argument = dyn_cast<BlockArgument>(left);
  // Narrower counters may well wrap, and the front end makes no for loops over them either.
  bool isCounter = left.getType().isSignlessInteger(32) || left.getType().isSignlessInteger(64);
  if (!argument || argument.getOwner() != before || !isCounter || !loop.isDefinedOutsideOfLoop(right))
    return {};
  CountedWhile counted;
  counted.counter = argument.getArgNumber();
  counted.bound = right;
  if (predicate == arith::CmpIPredicate::sgt) {
    APInt bound;
    counted.isDown = matchPattern(right, m_ConstantInt(&bound)) && !bound.isNegative();
    if (!counted.isDown)
      return {};
  } else if (predicate != arith::CmpIPredicate::slt || exceedsType(loop.getInits()[counted.counter], right)) {
    return {};
  }
  if (!findStep(loop, counted))
    return {};
  return counted;
}

void replace(scf::WhileOp loop, CountedWhile counted) {
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  Value begin = loop.getInits()[counted.counter];
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, location, builder.getIntegerAttr(begin.getType(), value));
  };
  Value from = begin, to = counted.bound, step = counted.step ? counted.step : constant(counted.by);
  if (counted.isDown) { // how far the counter has fallen; this does not overflow
    from = constant(0);
    Value highest = arith::MaxSIOp::create(builder, location, begin, to);
    to = arith::SubIOp::create(builder, location, highest, to);
  }
  // The for loop carries the counter only if it is read after the loop.
  bool isRead = llvm::any_of(llvm::zip(loop.getConditionOp().getArgs(), loop.getResults()), [&](auto each) {
    auto [given, result] = each;
    return given == loop.getBeforeArguments()[counted.counter] && !result.use_empty();
  });
  SmallVector<Value> inits(loop.getInits());
  if (!isRead)
    inits.erase(inits.begin() + counted.counter);
  auto counting = scf::ForOp::create(builder, location, from, to, step, inits);
  Block *body = counting.getBody();
  if (inits.empty())
    body->getTerminator()->erase(); // the builder's
  builder.setInsertionPointToStart(body);
  Value counter = counting.getInductionVar();
  if (counted.isDown)
    counter = arith::SubIOp::create(builder, location, begin, counter);

  // What the while loop's arguments before its condition are, given what the for loop carries.
  auto argumentsOf = [&](ValueRange carried, Value counter) {
    SmallVector<Value> all(carried);
    if (isRead)
      all[counted.counter] = counter;
    else
      all.insert(all.begin() + counted.counter, counter);
    return all;
  };
  auto valueOf = [&](Value given, ArrayRef<Value> arguments) {
    auto argument = dyn_cast<BlockArgument>(given);
    return argument && argument.getOwner() == loop.getBeforeBody() ? arguments[argument.getArgNumber()] : given;
  };
  SmallVector<Value> inBody = argumentsOf(counting.getRegionIterArgs(), counter),
                     behind = argumentsOf(counting.getResults(), isRead ? counting.getResult(counted.counter) : begin);
  SmallVector<Value> arguments, results;
  for (Value given : loop.getConditionOp().getArgs()) {
    arguments.push_back(valueOf(given, inBody));
    results.push_back(valueOf(given, behind));
  }
  for (auto [argument, value] : llvm::zip(loop.getAfterArguments(), arguments))
    argument.replaceAllUsesWith(value);
  if (!isRead)
    loop.getYieldOp()->eraseOperand(counted.counter);
  body->getOperations().splice(body->end(), loop.getAfterBody()->getOperations());
  for (MayNotEndOp op : llvm::make_early_inc_range(body->getOps<MayNotEndOp>()))
    op.erase();
  loop.replaceAllUsesWith(results);
  loop.erase();
}

struct CountLoopsPass : impl::CountLoopsBase<CountLoopsPass> {
  void runOnOperation() override {
    SmallVector<scf::WhileOp> loops;
    getOperation()->walk([&](scf::WhileOp loop) { loops.push_back(loop); }); // inner loops first
    for (scf::WhileOp loop : loops) {
      hoistFromCondition(loop);
      if (std::optional<CountedWhile> counted = countedWhile(loop))
        replace(loop, *counted);
    }
  }
};

} // namespace
} // namespace tegula::tile
