// Rewrites a loop so that its threads start the copies that PipelineCopies.cpp has selected.
#include "core/passes/RingPlace.h"
#include "core/passes/loops/CopyPipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::tile {

Value CopyPipeline::viewAt(OpBuilder &builder, Value operand, Value stage) {
  if (auto transpose = operand.getDefiningOp<simt::TransposeOp>())
    return simt::TransposeOp::create(builder, transpose.getLoc(), transpose.getType(),
                                     viewAt(builder, transpose.getSrc(), stage));
  for (Candidate &each : candidates_)
    if (each.store && each.buffer().getResult() == operand)
      return stageOf(builder, each, stage);
  return operand;
}

LoopCloner CopyPipeline::clonerFor(OpBuilder &builder, const Iteration &iteration) {
  LoopCloner cloner(loop_, builder, [this, &iteration](BlockArgument argument) {
    return argument == loop_.getInductionVar() ? iteration.induction : iteration.carried.at(argument);
  });
  cloner.guardBy(iteration.takesPlace);
  for (const auto &[load, value] : iteration.indices)
    cloner.substitute(load, value);
  return cloner;
}

Iteration CopyPipeline::next(OpBuilder &builder, const Iteration &now) {
  Location location = loop_.getLoc();
  Iteration made;
  LoopCloner cloner = clonerFor(builder, now);
  for (BlockArgument argument : carried_)
    made.carried[argument] = cloner.clone(loop_.getTiedLoopYieldedValue(argument)->get());
  // The condition now + step < upper, written as a difference, because the sum could wrap.
  Value left = builder.createOrFold<arith::SubIOp>(location, loop_.getUpperBound(), now.induction);
  Value more = builder.createOrFold<arith::CmpIOp>(location, arith::CmpIPredicate::ugt, left, loop_.getStep());
  made.takesPlace = builder.createOrFold<arith::AndIOp>(location, more, now.takesPlace);
  Value sum = builder.createOrFold<arith::AddIOp>(location, now.induction, loop_.getStep());
  made.induction = builder.createOrFold<arith::SelectOp>(location, made.takesPlace, sum, now.induction);
  loadIndices(builder, made);
  return made;
}

void CopyPipeline::loadIndices(OpBuilder &builder, Iteration &iteration) {
  LoopCloner cloner = clonerFor(builder, iteration);
  for (LoadOp load : indices_) {
    // A `tile.assume` of the kernel is about the result of the load itself, not about the value loaded ahead, which the
    // loop carries. The facts that are known of the load's result are therefore repeated as a hint.
    AxisInfo info = axes_.of(load.getResult());
    auto entries = [&](ArrayRef<int64_t> facts) { return builder.getDenseI64ArrayAttr(facts); };
    Value loaded = cloner.clone(load.getResult());
    bool isKnown = info != AxisInfo::unknown(load.getType());
    iteration.indices[load] = isKnown ? HintOp::create(builder, load.getLoc(), loaded, entries(info.divisibility),
                                                       entries(info.contiguity), entries(info.constancy))
                                      : loaded;
  }
}

Value CopyPipeline::number(OpBuilder &builder, int64_t value) {
  return simt::placeNumber(builder, loop_.getLoc(), value);
}

Value CopyPipeline::stageBefore(OpBuilder &builder, Value stage) {
  return simt::stageBefore(builder, loop_.getLoc(), stage, stages_);
}

void CopyPipeline::makeRings() {
  OpBuilder before(loop_);
  for (Candidate &each : candidates_) {
    SmallVector<int64_t> shape = {stages_};
    llvm::append_range(shape, each.type().getShape());
    auto ring = simt::SharedType::get(loop_.getContext(), shape, each.type().getElementType(), each.layout);
    each.ring = simt::SharedAllocOp::create(before, each.load->getLoc(), ring, IntegerAttr());
  }
}

void CopyPipeline::startBarriers() {
  if (hardwareCopies() == 0)
    return;
  OpBuilder top = OpBuilder::atBlockBegin(&loop_->getParentOfType<func::FuncOp>().getBody().front()), before(loop_);
  auto type = simt::BarriersType::get(loop_.getContext(), stages_);
  barriers_ = simt::BarrierAllocOp::create(top, loop_.getLoc(), type, IntegerAttr());
  simt::StartBarriersOp::create(before, loop_.getLoc(), barriers_, uint32_t(hardwareCopies()));
}

Value CopyPipeline::stageOf(OpBuilder &builder, const Candidate &candidate, Value stage) {
  auto ring = cast<simt::SharedType>(candidate.ring.getType());
  return simt::StageOp::create(builder, candidate.ring.getLoc(), ring.getStageType(), candidate.ring, stage);
}

Value CopyPipeline::startCopy(OpBuilder &builder, Candidate &candidate, LoopCloner &cloner, Value takesPlace,
                              Value stage) {
  auto load = cast<LoadOp>(candidate.load);
  Location location = load.getLoc();
  Value pointers = cloner.clone(load.getPtr());
  Value mask = SplatOp::create(builder, location, candidate.type().clone(builder.getI1Type()), takesPlace);
  if (load.getMask())
    mask = arith::AndIOp::create(builder, location, cloner.clone(load.getMask()), mask);
  return simt::CopyOp::create(builder, location, pointers, stageOf(builder, candidate, stage), mask);
}

SmallVector<Value> CopyPipeline::startCopies(OpBuilder &builder, const Iteration &iteration, Value stage, Value phase) {
  LoopCloner cloner = clonerFor(builder, iteration);
  SmallVector<Value> started;
  Value arrival;
  for (Candidate &each : candidates_) {
    DescLoadOp load = each.descLoad();
    if (!load) {
      started.push_back(startCopy(builder, each, cloner, iteration.takesPlace, stage));
      continue;
    }
    SmallVector<Value> position;
    for (Value offset : load.getOffsets())
      position.push_back(cloner.clone(offset));
    arrival = simt::CopyTileOp::create(builder, load.getLoc(), load.getDesc(), position, stageOf(builder, each, stage),
                                       barriers_, stage, phase, iteration.takesPlace, each.store.getTf32(), each.once);
  }
  if (arrival)
    started.push_back(arrival);
  return started;
}

void CopyPipeline::waitForCopies(OpBuilder &builder, ValueRange started) {
  if (barriers_) {
    simt::WaitTilesOp::create(builder, loop_.getLoc(), started.back(), barriers_);
    started = started.drop_back();
  }
  if (!started.empty())
    simt::WaitCopiesOp::create(builder, loop_.getLoc(), started);
}

void CopyPipeline::clearStages(OpBuilder &builder, const Iteration &first) {
  LoopCloner cloner = clonerFor(builder, first);
  Value never = arith::ConstantOp::create(builder, loop_.getLoc(), builder.getBoolAttr(false));
  Value stage = number(builder, stages_ - 1);
  for (Candidate &each : candidates_) {
    if (llvm::none_of(products_.delayed, [&](DelayedProduct &delayed) {
          return each.store && bufferOf(delayed.product().getB()) == each.buffer();
        }))
      continue;
    if (!each.descLoad()) {
      startCopy(builder, each, cloner, never, stage);
      continue;
    }
    Location location = each.load->getLoc();
    Value zeros = arith::ConstantOp::create(builder, location, builder.getZeroAttr(each.type()));
    simt::SharedStoreOp::create(builder, location, stageOf(builder, each, stage), Value(), zeros);
    simt::FenceOp::create(builder, location, simt::FenceKind::Async);
  }
}

void CopyPipeline::readStages(Value read) {
  for (Candidate &each : candidates_) {
    OpBuilder at(each.load);
    Value stage = stageOf(at, each, read);
    if (each.store) {
      simt::SharedAllocOp buffer = each.buffer();
      buffer.replaceAllUsesWith(stage);
      if (isa<simt::FenceOp>(each.store->getNextNode()))
        each.store->getNextNode()->erase();
      each.store.erase();
      buffer.erase();
    } else {
      Value loaded = simt::SharedLoadOp::create(at, each.load->getLoc(), each.type(), stage, Value());
      each.load->replaceAllUsesWith(ValueRange(loaded));
    }
    each.load->erase();
  }
}

void CopyPipeline::rewrite() {
  Location location = loop_.getLoc();
  // The copies of the first iterations, before the loop (the prologue).
  OpBuilder before(loop_);
  Iteration ahead;
  ahead.takesPlace = hasIteration(before, loop_);
  ahead.induction = loop_.getLowerBound();
  for (BlockArgument argument : carried_)
    ahead.carried[argument] = loop_.getTiedLoopInit(argument)->get();
  // The indices are loaded, and stages cleared, before the barrier objects start. Their layouts may be converted
  // through shared memory that the rings occupy afterwards, and hardware may write there only after a fence:
  // StartBarriersOp contains one.
  loadIndices(before, ahead);
  makeRings();
  clearStages(before, ahead);
  startBarriers();
  SmallVector<Value> tokens;
  for (int64_t stage = 0; stage < prefetchDistance_; ++stage) {
    llvm::append_range(tokens, startCopies(before, ahead, number(before, stage), number(before, 0)));
    ahead = next(before, ahead);
  }

  // The loop also carries the state of the iteration `prefetchDistance_` ahead, the stage that this iteration reads,
  // the phase of the copies that it starts, the values for delayed products, and the tokens of the copies in flight,
  // oldest first.
  SmallVector<Value> inits = {ahead.takesPlace, ahead.induction};
  for (BlockArgument argument : carried_)
    inits.push_back(ahead.carried.at(argument));
  for (LoadOp load : indices_)
    inits.push_back(ahead.indices.at(load));
  inits.append({number(before, 0), number(before, 0)});
  SmallVector<Value> forDelayed = firstCarried(before, products_.delayed);
  llvm::append_range(inits, forDelayed);
  llvm::append_range(inits, tokens);
  ArrayRef<BlockArgument> own = carryMore(loop_, inits);
  ahead.takesPlace = own[0];
  ahead.induction = own[1];
  for (auto [argument, carried] : llvm::zip(carried_, own.drop_front(2)))
    ahead.carried[argument] = carried;
  size_t ofAhead = 2 + carried_.size() + indices_.size();
  for (auto [place, load] : llvm::enumerate(indices_))
    ahead.indices[LoadOp(load)] = own[2 + carried_.size() + place];
  BlockArgument read = own[ofAhead], phase = own[ofAhead + 1];
  size_t ofIteration = tokens.size() / prefetchDistance_;
  ArrayRef<BlockArgument> underWay = own.take_back(tokens.size());
  ArrayRef<BlockArgument> ofDelayed = own.drop_back(tokens.size()).take_back(forDelayed.size());

  // Waits for this iteration's copies, then starts the copies of a later iteration. They fill the stage that the
  // previous iteration has read, or the stage before it if products still read the previous iteration's stage.
  // (Measured: copies by threads that start after the iteration's product made a 4096 x 4096 x 4096 matmul 3 to 14%
  // slower. In loops of several products, tile-order-products moves copies by hardware to after the first products.)
  OpBuilder top = OpBuilder::atBlockBegin(loop_.getBody());
  waitForCopies(top, llvm::to_vector_of<Value>(underWay.take_front(ofIteration)));
  bool needsFence = llvm::any_of(candidates_, [](Candidate &each) { return each.store && !each.descLoad(); });
  if (needsFence)
    simt::FenceOp::create(top, location, simt::FenceKind::Async);
  Value zero = number(top, 0), one = number(top, 1), last = number(top, stages_ - 1);
  Value back = number(top, stages_ - prefetchDistance_);
  Value wraps = arith::CmpIOp::create(top, location, arith::CmpIPredicate::ult, read, back);
  Value later = arith::AddIOp::create(top, location, read, number(top, prefetchDistance_));
  Value earlier = arith::SubIOp::create(top, location, read, back);
  Value written = arith::SelectOp::create(top, location, wraps, later, earlier);
  Operation *yield = loop_.getBody()->getTerminator();
  OpBuilder end(yield);
  SmallVector<Value> started = startCopies(startsLate_ ? end : top, ahead, written, phase);
  Value wroteLast = arith::CmpIOp::create(top, location, arith::CmpIPredicate::eq, written, last);
  Value otherPhase = arith::XOrIOp::create(top, location, phase, one);
  Value phaseNext = arith::SelectOp::create(top, location, wroteLast, otherPhase, phase);
  ahead = next(top, ahead);
  Value isLast = arith::CmpIOp::create(top, location, arith::CmpIPredicate::eq, read, last);
  Value readNext =
      arith::SelectOp::create(top, location, isLast, zero, arith::AddIOp::create(top, location, read, one));

  // After the loop, copies by threads for iterations past the end are still in flight; they write zeros. No copies by
  // hardware are started for such iterations.
  OpBuilder after(loop_->getContext());
  after.setInsertionPointAfter(loop_);
  SmallVector<Value> unfinished;
  for (Value started : loop_.getResults().take_back(tokens.size()))
    if (isa<simt::TokenType>(started.getType()))
      unfinished.push_back(started);
  if (!unfinished.empty())
    simt::WaitCopiesOp::create(after, location, unfinished);
  if (!products_.delayed.empty())
    simt::FenceOp::create(after, location, simt::FenceKind::Async);
  auto viewBefore = [&](OpBuilder &builder, Value operand, Value stage) {
    return viewAt(builder, operand, stageBefore(builder, stage));
  };
  SmallVector<Value> ofNext = delayProducts(loop_, products_.delayed, ofDelayed, read, after, viewBefore);
  SmallVector<Value> yielded = {ahead.takesPlace, ahead.induction};
  for (BlockArgument argument : carried_)
    yielded.push_back(ahead.carried.at(argument));
  for (LoadOp load : indices_)
    yielded.push_back(ahead.indices.at(load));
  yielded.append({readNext, phaseNext});
  llvm::append_range(yielded, ofNext);
  llvm::append_range(yielded, underWay.drop_front(ofIteration));
  llvm::append_range(yielded, started);
  yield->insertOperands(yield->getNumOperands(), yielded);
  readStages(read);
  for (simt::WaitProductsOp wait : products_.runningOn)
    runOn(loop_, wait);
  if (barriers_) { // right after the loop: the following ops may exchange values in the rings' storage
    after.setInsertionPointAfter(loop_);
    simt::EndBarriersOp::create(after, location, barriers_);
  }
  dropUnusedCarried(loop_);
}

} // namespace tegula::tile
