#include "core/passes/schedule/StepEmitter.h"
#include "core/passes/RingPlace.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

void StepEmitter::emit(Operation *op, int64_t ahead, bool isIndex) {
  bool isWait = isa<simt::WaitCopiesOp, simt::WaitTilesOp, simt::FenceOp>(op);
  if (isWait && joinsLast(op))
    return;
  Operation *made = nullptr;
  if (auto copy = dyn_cast<simt::CopyOp>(op))
    made = emitCopy(copy, ahead);
  else if (auto tile = dyn_cast<simt::CopyTileOp>(op))
    made = emitTile(tile, ahead);
  else
    made = clone(op, ahead);
  if (isWait)
    last_.push_back(made);
  else
    last_.clear();
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

/// Makes the op, a wait or a fence, part of an op of its kind that was just emitted. Waits for copies by threads wait
/// for several tokens; of one phase, the wait for the last copy is enough. A wait may come earlier, a fence may not.
bool StepEmitter::joinsLast(Operation *op) {
  if (auto fence = dyn_cast<simt::FenceOp>(op)) {
    auto last = last_.empty() ? simt::FenceOp() : dyn_cast<simt::FenceOp>(last_.back());
    return last && last.getKind() == fence.getKind();
  }
  auto *found = llvm::find_if(last_, [&](Operation *each) { return each->getName() == op->getName(); });
  if (found == last_.end())
    return false;
  if (auto wait = dyn_cast<simt::WaitCopiesOp>(op)) {
    for (Value token : wait.getCopies())
      cast<simt::WaitCopiesOp>(*found).getCopiesMutable().append(valueOf(token, 0));
    return true;
  }
  auto wait = cast<simt::WaitTilesOp>(op), last = cast<simt::WaitTilesOp>(*found);
  if (last.getBarriers() != wait.getBarriers())
    return false;
  last.getArrivalMutable().assign(valueOf(wait.getArrival(), 0));
  return true;
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

Operation *StepEmitter::emitTile(simt::CopyTileOp copy, int64_t ahead) {
  Location location = copy.getLoc();
  SmallVector<Value> position;
  for (Value offset : copy.getPosition())
    position.push_back(valueOf(offset, ahead));
  auto whole = copy.getDst().getDefiningOp<simt::StageOp>();
  int64_t stages = whole.getSrc().getType().getStages();
  Value stage = stageIn(ahead, stages);
  Value phase = isBeforeLoop_ ? number(ahead / stages % 2) : expanded_.phases.at({ahead, stages});
  Value to = simt::StageOp::create(builder_, location, whole.getType(), whole.getSrc(), stage);
  Value runs = runsIn(ahead);
  if (!runs)
    runs = arith::ConstantOp::create(builder_, location, builder_.getBoolAttr(true));
  return simt::CopyTileOp::create(builder_, location, copy.getDescriptor(), position, to, copy.getBarriers(), stage,
                                  phase, runs, copy.getTf32(), copy.getOnce());
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
  Iteration made = ahead == 0     ? first()
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
  cloner->guardBy(runsIn(ahead), isBeforeLoop_ ? runsIn(0) : Value());
  for (auto &[op, values] : expanded_.made)
    if (size_t(ahead) < values.size())
      cloner->substitute(op->getResult(0), values[size_t(ahead)]);
  return *(at(ahead).cloner = std::move(cloner));
}

Value StepEmitter::number(int64_t value) { return simt::placeNumber(builder_, loop_.getLoc(), value); }

Value StepEmitter::stageIn(int64_t ahead, int64_t stages) {
  Location location = loop_.getLoc();
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
