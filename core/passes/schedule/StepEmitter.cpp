#include "core/passes/schedule/StepEmitter.h"
#include "core/passes/RingPlace.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

void StepEmitter::emit(Operation *op, int64_t ahead, bool isIndex) {
  if (auto wait = dyn_cast<simt::WaitCopiesOp>(op))
    return emitWait(wait);
  lastWait_ = {};
  Operation *made = nullptr;
  if (auto copy = dyn_cast<simt::CopyOp>(op))
    made = emitCopy(copy, ahead);
  else
    made = clone(op, ahead);
  if (op->getNumResults() == 0)
    return;
  Value result = made->getResult(0);
  if (auto load = dyn_cast<LoadOp>(made)) {
    // An iteration that does not take place reads nothing. A branch around the load would keep the device's assembler
    // from interleaving it with the products.
    Value runs = runsIn(ahead);
    if (runs && isIndex)
      guardIndices(runs, load);
    else if (runs)
      maskBy(runs, load);
    if (isIndex)
      result = withFacts(cast<LoadOp>(op), result);
  }
  expanded_.made[op].push_back(result);
  clonerFor(ahead).substitute(op->getResult(0), result);
}

Operation *StepEmitter::clone(Operation *op, int64_t ahead) {
  LoopCloner &cloner = clonerFor(ahead);
  if (auto store = dyn_cast<simt::SharedStoreOp>(op)) // the buffer is the iteration's own, not to be allocated again
    cloner.substitute(store.getDst(), store.getDst());
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, cloner.clone(operand));
  Operation *made = builder_.clone(*op, operands);
  made->removeAttr(simt::kScheduleAttr);
  return made;
}

Operation *StepEmitter::emitCopy(simt::CopyOp copy, int64_t ahead) {
  Location location = copy.getLoc();
  LoopCloner &cloner = clonerFor(ahead);
  Value from = cloner.clone(copy.getSrc()), mask = copy.getMask() ? cloner.clone(copy.getMask()) : Value();
  if (Value runs = runsIn(ahead)) { // an iteration that does not take place fills its stage with zeros
    Type masks = cast<RankedTensorType>(from.getType()).clone(builder_.getI1Type());
    Value all = SplatOp::create(builder_, location, masks, runs);
    mask = mask ? arith::AndIOp::create(builder_, location, mask, all) : all;
  }
  auto whole = copy.getDst().getDefiningOp<simt::StageOp>();
  int64_t stages = whole.getSrc().getType().getStages();
  Value to = simt::StageOp::create(builder_, location, whole.getType(), whole.getSrc(), stageIn(ahead, stages));
  return simt::CopyOp::create(builder_, location, from, to, mask);
}

/// Waits of one place that follow each other are one wait.
void StepEmitter::emitWait(simt::WaitCopiesOp wait) {
  SmallVector<Value> tokens;
  for (Value token : wait.getCopies())
    tokens.push_back(valueOf(token, 0));
  if (lastWait_)
    lastWait_.getCopiesMutable().append(tokens);
  else
    lastWait_ = simt::WaitCopiesOp::create(builder_, wait.getLoc(), tokens);
}

/// A `tile.assume` of the kernel is about the result of the load itself, not about the value loaded ahead, which the
/// loop carries. The facts that are known of the load's result are therefore repeated as a hint.
Value StepEmitter::withFacts(LoadOp load, Value loaded) {
  AxisInfo info = expanded_.axes->of(load.getResult());
  if (info == AxisInfo::unknown(load.getType()))
    return loaded;
  auto entries = [&](ArrayRef<int64_t> facts) { return builder_.getDenseI64ArrayAttr(facts); };
  return HintOp::create(builder_, load.getLoc(), loaded, entries(info.divisibility), entries(info.contiguity),
                        entries(info.constancy));
}

StepEmitter::Iteration &StepEmitter::at(int64_t ahead) {
  if (auto found = iterations_.find(ahead); found != iterations_.end())
    return found->second;
  Iteration made = ahead == 0      ? first()
                   : isFar(ahead) ? Iteration{expanded_.far.induction, expanded_.far.runs, nullptr}
                                   : after(at(ahead - 1));
  return iterations_.emplace(ahead, std::move(made)).first->second;
}

StepEmitter::Iteration StepEmitter::first() {
  if (!isBeforeLoop_)
    return {loop_.getInductionVar(), Value(), nullptr};
  Value runs = hasIteration(builder_, loop_);
  return {loop_.getLowerBound(), matchPattern(runs, m_One()) ? Value() : runs, nullptr};
}

StepEmitter::Iteration StepEmitter::after(const Iteration &before) {
  Location location = loop_.getLoc();
  // The condition induction + step < upper, written as upper - induction > step: the sum could wrap, but within the
  // loop the difference is at least 1.
  Value left = arith::SubIOp::create(builder_, location, loop_.getUpperBound(), before.induction);
  Value runs = arith::CmpIOp::create(builder_, location, arith::CmpIPredicate::ugt, left, loop_.getStep());
  if (before.runs)
    runs = arith::AndIOp::create(builder_, location, runs, before.runs);
  Value sum =
      arith::AddIOp::create(builder_, location, before.induction, loop_.getStep(), arith::IntegerOverflowFlags::nsw);
  return {arith::SelectOp::create(builder_, location, runs, sum, before.induction), runs, nullptr};
}

Value StepEmitter::argumentIn(BlockArgument argument, int64_t ahead) {
  if (argument == loop_.getInductionVar())
    return at(ahead).induction;
  if (isFar(ahead))
    if (auto found = llvm::find(expanded_.far.arguments, argument); found != expanded_.far.arguments.end())
      return expanded_.far.carried[size_t(found - expanded_.far.arguments.begin())];
  if (ahead > 0)
    return valueOf(loop_.getTiedLoopYieldedValue(argument)->get(), ahead - 1);
  return isBeforeLoop_ ? loop_.getTiedLoopInit(argument)->get() : argument;
}

LoopCloner &StepEmitter::clonerFor(int64_t ahead) {
  if (std::unique_ptr<LoopCloner> &made = at(ahead).cloner)
    return *made;
  auto cloner = std::make_unique<LoopCloner>(
      loop_, builder_, [this, ahead](BlockArgument argument) { return argumentIn(argument, ahead); });
  if (isBeforeLoop_ && runsIn(0)) // before a loop that does not run, its divisors may be zero
    cloner->guardBy(runsIn(0));
  for (auto &[op, values] : expanded_.made)
    if (size_t(ahead) < values.size())
      cloner->substitute(op->getResult(0), values[size_t(ahead)]);
  return *(at(ahead).cloner = std::move(cloner));
}

Value StepEmitter::stageIn(int64_t ahead, int64_t stages) {
  Location location = loop_.getLoc();
  auto number = [&](int64_t value) { return simt::placeNumber(builder_, location, value); };
  int64_t further = ahead % stages;
  if (isBeforeLoop_)
    return number(further);
  Value read = expanded_.stages.at(stages);
  if (further == 0)
    return read;
  Value &made = stages_[{ahead, stages}];
  if (!made) {
    Value back = number(stages - further);
    Value wraps = arith::CmpIOp::create(builder_, location, arith::CmpIPredicate::ult, read, back);
    Value later = arith::AddIOp::create(builder_, location, read, number(further));
    Value earlier = arith::SubIOp::create(builder_, location, read, back);
    made = arith::SelectOp::create(builder_, location, wraps, later, earlier);
  }
  return made;
}

} // namespace tegula::tile
