#include "core/passes/schedule/ProducerLoop.h"

#include "core/passes/ClusterPeer.h"
#include "core/passes/RingPlace.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopProducts.h"
#include "core/passes/loops/ProducerRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tegula::tile {
namespace {

constexpr int64_t kTurns = 2; // groups of warps that take turns

/// Makes the producer's region independent of values from outside: each of them becomes an operand of the producer, or
/// is recomputed in the region.
void isolate(simt::ProducerOp producer) {
  Block &body = producer.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  IRMapping inside;
  inside.map(producer.getCaptures(), body.getArguments());
  std::function<Value(Value)> bring = [&](Value value) {
    if (Value known = inside.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || !canRepeatInProducer(op)) {
      producer.getCapturesMutable().append(value);
      Value argument = body.addArgument(value.getType(), value.getLoc());
      inside.map(value, argument);
      return argument;
    }
    for (Value use : usesOf(op))
      bring(use);
    builder.clone(*op, inside);
    return inside.lookup(value);
  };
  SmallVector<OpOperand *> outside;
  visitUsedValuesDefinedAbove(producer.getBody(), producer.getBody(), [&](OpOperand *use) { outside.push_back(use); });
  for (OpOperand *use : outside)
    use->set(bring(use->get()));
  producer.walk([&](scf::IfOp branch) { // one thread executes it
    if (branch->removeAttr(simt::kUniformAttr))
      branch->setAttr(simt::kDivergentAttr, builder.getUnitAttr());
  });
}

} // namespace

ProducerLoop::ProducerLoop(scf::ForOp &loop, LoopSchedule &schedule) : loop_(loop) {
  llvm::MapVector<Value, Group> byBarriers;
  for (auto copy : loop.getBody()->getOps<simt::CopyTileOp>()) {
    RingCopy ringCopy{copy};
    if (!ringCopy.isByProducer())
      continue;
    Group &group = byBarriers[copy.getBarriers()];
    group.full = copy.getBarriers();
    group.copies.push_back(copy);
    group.rings.push_back(ringCopy.ring());
    group.handsBackPrevious |= schedule.isReadLater(ringCopy);
    for (Operation *wait : copy->getUsers())
      group.waitsForPrevious &= runsLater(wait);
    isShared_ |= bool(copy.getMulticast());
    stages_ = ringCopy.stages();
  }
  for (auto &[barriers, group] : byBarriers)
    groups_.push_back(std::move(group));
  for (auto product : loop.getBody()->getOps<simt::ProductOp>())
    inTurns_ |= simt::issuerOf(product) == simt::Issuer::Turns;
}

Value ProducerLoop::number(OpBuilder &builder, int64_t value) {
  return simt::placeNumber(builder, loop_.getLoc(), value);
}

bool ProducerLoop::reads(Operation *op, const Group &group) {
  if (auto product = dyn_cast<simt::ProductOp>(op))
    if (auto left = product.getA().getDefiningOp<simt::SharedLoadOp>(); left && reads(left, group))
      return true;
  return isa<simt::ProductOp, simt::SharedLoadOp>(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
           return llvm::is_contained(group.rings, ringOf(operand));
         });
}

simt::StartBarriersOp ProducerLoop::startAfter(Operation *alloc, simt::StartBarriersOp start, int64_t objects,
                                               int64_t count) {
  OpBuilder builder(loop_->getContext());
  builder.setInsertionPointAfter(alloc);
  auto type = simt::BarriersType::get(loop_.getContext(), objects);
  Value made = simt::BarrierAllocOp::create(builder, loop_.getLoc(), type, IntegerAttr());
  builder.setInsertionPointAfter(start);
  return simt::StartBarriersOp::create(builder, loop_.getLoc(), made, uint32_t(count));
}

void ProducerLoop::findParts() {
  for (Operation *op = loop_->getNextNode(); op; op = op->getNextNode()) {
    auto copy = dyn_cast<simt::CopyTileOp>(op);
    if (!copy || simt::issuerOf(copy) != simt::Issuer::Producer)
      continue;
    Part &part = parts_.emplace_back();
    part.copy = copy;
    part.wait = cast<simt::WaitTilesOp>(*copy->user_begin());
    part.loads = loadsOfPart(copy);
  }
}

void ProducerLoop::make() {
  findParts();
  for (auto copy : loop_->getBlock()->getOps<simt::CopyTileOp>())
    if (simt::issuerOf(copy) == simt::Issuer::Producer && copy->isBeforeInBlock(loop_))
      once_.push_back(copy);
  programs_.emplace(loop_, once_);
  int64_t warps = consumerWarps(loop_);
  simt::StartBarriersOp last; // of the starts
  for (Group &group : groups_) {
    auto started = startAfter(group.full.getDefiningOp(), startOf(group.full), stages_,
                              isShared_ ? warps * simt::kClusterPrograms : warps);
    group.empty = started.getBarriers();
    last = !last || last->isBeforeInBlock(started) ? started : last;
  }
  if (inTurns_) {
    last = startAfter(groups_.back().empty.getDefiningOp(), last, kTurns, warps / kTurns);
    turns_ = last.getBarriers();
  }
  OpBuilder builder(loop_->getContext());
  builder.setInsertionPointAfter(last);
  if (isShared_) // each program may access the other's barrier objects once both have made theirs
    simt::ClusterBarrierOp::create(builder, loop_.getLoc());
  auto producer = simt::ProducerOp::create(builder, loop_.getLoc(), ValueRange(), uint32_t(kProducerWarps),
                                           uint32_t(kProducerRegisters));
  Block *body = builder.createBlock(&producer.getBody());
  simt::EndGroupOp::create(builder, loop_.getLoc());
  builder.setInsertionPointToStart(body);
  if (programs_->exist()) {
    RingPlace first = programs_->beginCopying(builder);
    RingPlace behind = programs_->endCopying(builder, copyParts(builder, copyInLoop(builder, first)));
    if (isShared_)
      waitForPeer(builder, behind);
    clearBeforeFirst();
  } else {
    copyBeforeLoop(builder);
    copyParts(builder, copyInLoop(builder, {number(builder, 0), number(builder, 0)}));
  }
  isolate(producer);
  moveBehindCaptures(producer);
  if (isShared_)
    findPeer();
}

/// Emits the rank to which a program of a cluster tells that a stage is empty, beside its own.
void ProducerLoop::findPeer() {
  OpBuilder builder = OpBuilder::atBlockBegin(programs_->own().getBody());
  Location location = loop_.getLoc();
  simt::ClusterPeer peer = simt::clusterPeer(builder, programs_->own());
  Value own = simt::ClusterRankOp::create(builder, location, builder.getI32Type());
  Value other = arith::XOrIOp::create(builder, location, own, number(builder, simt::kClusterPrograms - 1));
  peerRank_ = arith::SelectOp::create(builder, location, peer.exists, other, own);
}

/// Makes the producer wait, behind its loop over programs, until all stages that will still be handed back are empty.
/// The peer has then made its last arrival, and does not access this program's barrier objects after the program's end.
void ProducerLoop::waitForPeer(OpBuilder &builder, RingPlace place) {
  for (int64_t stage = 0; stage < stages_; ++stage) {
    for (const Group &group : groups_)
      if (stage < stages_ - group.handsBackPrevious) // then one stage remains with the warps
        waitUntilEmpty(builder, group, place);
    place = simt::placeAfter(builder, loop_.getLoc(), place.first, place.second, stages_);
  }
}

/// Products of the first iteration that were delayed read the stage before their own. The unexpanded code names the
/// last stage, where it fills that stage with zeros.
void ProducerLoop::clearBeforeFirst() {
  for (const Group &group : groups_)
    for (simt::SharedAllocOp ring : group.rings)
      for (Operation *user : ring->getUsers())
        if (auto view = dyn_cast<simt::StageOp>(user); view && stages_ > 1 && view->getBlock() == loop_->getBlock() &&
                                                       getConstantIntValue(view.getIndex()) == stages_ - 1) {
          OpBuilder builder(view);
          view.getIndexMutable().assign(simt::stageBefore(builder, view.getLoc(), programs_->first().first, stages_));
        }
}

/// Moves the producer behind what makes its captures, and behind the starts of the barrier objects among them.
void ProducerLoop::moveBehindCaptures(simt::ProducerOp producer) {
  for (Value capture : producer.getCaptures())
    for (Operation *op : {capture.getDefiningOp(), startOf(capture).getOperation()})
      if (op && op->getBlock() == producer->getBlock() && producer->isBeforeInBlock(op))
        producer->moveAfter(op);
}

/// The producer's loop: it waits for empty stages and starts copies.
RingPlace ProducerLoop::copyInLoop(OpBuilder &builder, RingPlace first) {
  Location location = loop_.getLoc();
  LoopSlice slice(loop_);
  for (Group &group : groups_)
    for (simt::CopyTileOp copy : group.copies)
      for (Value offset : copy.getPosition())
        (void)slice.canRunAhead(offset);
  ArrayRef<BlockArgument> carried = slice.carried();
  SmallVector<Value> inits;
  for (BlockArgument argument : carried)
    inits.push_back(loop_.getTiedLoopInit(argument)->get());
  inits.append({first.first, first.second});
  auto loop =
      scf::ForOp::create(builder, location, loop_.getLowerBound(), loop_.getUpperBound(), loop_.getStep(), inits);
  loop->setAttr(simt::kDivergentAttr, builder.getUnitAttr());
  OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
  RingPlace place = {loop.getRegionIterArgs().drop_back().back(), loop.getRegionIterArgs().back()};
  LoopCloner cloner(loop_, inside, [&](BlockArgument argument) -> Value {
    if (argument == loop_.getInductionVar())
      return loop.getInductionVar();
    return loop.getRegionIterArg(unsigned(llvm::find(carried, argument) - carried.begin()));
  });
  Value always = arith::ConstantOp::create(inside, location, inside.getBoolAttr(true));
  for (Group &group : groups_) {
    waitUntilEmpty(inside, group, place);
    for (simt::CopyTileOp copy : group.copies) {
      SmallVector<Value> position;
      for (Value offset : copy.getPosition())
        position.push_back(cloner.clone(offset));
      Value stage =
          simt::StageOp::create(inside, copy.getLoc(), copy.getDst().getType(), ringOf(copy.getDst()), place.first);
      auto made = simt::CopyTileOp::create(inside, copy.getLoc(), copy.getDescriptor(), position, stage, group.full,
                                           place.first, place.second, always, copy.getTf32(), copy.getOnce());
      made.getMulticastMutable().assign(copy.getMulticast() ? ValueRange(copy.getMulticast()) : ValueRange());
    }
  }
  SmallVector<Value> next;
  for (BlockArgument argument : carried)
    next.push_back(cloner.clone(loop_.getTiedLoopYieldedValue(argument)->get()));
  auto [stage, phase] = simt::placeAfter(inside, location, place.first, place.second, stages_);
  next.append({stage, phase});
  scf::YieldOp::create(inside, location, next);
  builder.setInsertionPointAfter(loop);
  return {loop.getResults().drop_back().back(), loop.getResults().back()};
}

RingPlace ProducerLoop::copyParts(OpBuilder &builder, RingPlace place) {
  if (parts_.empty())
    return place;
  Location location = parts_.front().copy.getLoc();
  RingPlace at = place;
  for (Part &part : parts_) {
    simt::CopyTileOp copy = part.copy;
    const Group &group = *llvm::find_if(groups_, [&](Group &each) { return each.full == copy.getBarriers(); });
    waitUntilEmpty(builder, group, at);
    Value stage = simt::StageOp::create(builder, location, copy.getDst().getType(), ringOf(copy.getDst()), at.first);
    simt::CopyTileOp::create(builder, location, copy.getDescriptor(), copy.getPosition(), stage, group.full, at.first,
                             at.second, copy.getCondition(), copy.getTf32(), copy.getOnce());
    // A phase of the stage's barrier object ends when a copy to each ring of the group has arrived. The part is copied
    // to one ring only, so the producer arrives once for each of the other rings.
    for (size_t other = 1; other < group.copies.size(); ++other)
      simt::ArriveWarpsOp::create(builder, location, group.full, at.first);
    at = simt::placeAfter(builder, location, at.first, at.second, stages_);
  }
  return at;
}

/// Moves the copies that stand before the loop to the producer.
void ProducerLoop::copyBeforeLoop(OpBuilder &at) {
  for (simt::CopyTileOp copy : once_) {
    for (Operation *user : llvm::make_early_inc_range(copy->getUsers())) {
      OpBuilder builder(user);
      simt::BarrierWaitOp::create(builder, user->getLoc(), copy.getBarriers(), copy.getIndex(), copy.getPhase());
      user->erase();
    }
    copy->removeAttr(simt::kScheduleAttr);
    copy->moveBefore(at.getInsertionBlock(), at.getInsertionPoint());
  }
}

void ProducerLoop::waitUntilEmpty(OpBuilder &builder, const Group &group, RingPlace place) {
  Location location = loop_.getLoc();
  auto [stage, phase] = place;
  // The wait returns once stage s has become empty for the r-th time (r from 0): its barrier object has then completed
  // r phases. Where iterations hand back the previous stage, the last stage has one more phase: the loop's first
  // iteration hands it back although no copy filled it.
  Value parity = arith::XOrIOp::create(builder, location, phase, number(builder, 1));
  if (group.handsBackPrevious) {
    Value isLast =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, stage, number(builder, stages_ - 1));
    parity = arith::SelectOp::create(builder, location, isLast, phase, parity);
  }
  simt::BarrierWaitOp::create(builder, location, group.empty, stage, parity);
}

void ProducerLoop::waitUntilFull(OpBuilder &builder, const Group &group, RingPlace place) {
  simt::BarrierWaitOp::create(builder, loop_.getLoc(), group.full, place.first, place.second);
}

RingPlace ProducerLoop::placeBefore(OpBuilder &builder, RingPlace place) {
  Location location = loop_.getLoc();
  auto [stage, phase] = place;
  Value isFirst = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, stage, number(builder, 0));
  Value other = arith::XOrIOp::create(builder, location, phase, number(builder, 1));
  Value phaseBefore = arith::SelectOp::create(builder, location, isFirst, other, phase);
  return {simt::stageBefore(builder, location, stage, stages_), phaseBefore};
}

Value ProducerLoop::firstStage(OpBuilder &before, int64_t stages) {
  bool goesOn = isUsed() && stages == stages_ && programs_->exist();
  return goesOn ? programs_->first().first : number(before, 0);
}

SmallVector<Value> ProducerLoop::inits(OpBuilder &before) {
  SmallVector<Value> values = {programs_->exist() ? programs_->first().second : number(before, 0)};
  if (inTurns_) {
    Location location = loop_.getLoc();
    int64_t warps = consumerWarps(loop_);
    Value warp = simt::WarpIdOp::create(before, location, before.getI32Type());
    ownGroup_ = arith::DivUIOp::create(before, location, warp, number(before, warps / kTurns));
    otherGroup_ = arith::XOrIOp::create(before, location, ownGroup_, number(before, 1));
    values.push_back(otherGroup_); // the turn that the first iteration waits for: takeTurns
  }
  return values;
}

void ProducerLoop::take(BlockArgument stage, ArrayRef<BlockArgument> carried) {
  stage_ = stage;
  phase_ = carried.front();
  if (inTurns_)
    turn_ = carried.back();
}

SmallVector<Value> ProducerLoop::next(OpBuilder &builder) {
  Location location = loop_.getLoc();
  SmallVector<Value> values = {simt::phaseAfter(builder, location, stage_, phase_, stages_)};
  if (inTurns_)
    values.push_back(arith::XOrIOp::create(builder, location, turn_, number(builder, 1)));
  return values;
}

// A phase of a full stage ends when all copies of the group have arrived. So one wait serves them all: the first one of
// the iteration.
void ProducerLoop::replaceCopies() {
  for (Group &group : groups_) {
    SmallVector<Operation *> waits;
    Operation *first = nullptr;
    for (simt::CopyTileOp copy : group.copies)
      for (Operation *wait : copy->getUsers()) {
        waits.push_back(wait);
        if (!runsLater(wait) && (!first || wait->isBeforeInBlock(first)))
          first = wait;
      }
    if (first) {
      OpBuilder builder(first);
      waitUntilFull(builder, group, {stage_, phase_});
    }
    for (Operation *wait : waits)
      wait->erase();
    for (simt::CopyTileOp copy : group.copies)
      copy.erase();
  }
}

void ProducerLoop::handBack(const Group &group) {
  // Behind this op nothing in the iteration reads the group's rings. Products of the previous iteration, delayed or
  // running on, are waited for before it, too.
  Operation *last = nullptr;
  bool areLoaded = false;
  for (Operation &op : *loop_.getBody()) {
    Operation *reader = &op;
    if (auto wait = dyn_cast<simt::WaitProductsOp>(op)) {
      auto argument = dyn_cast<BlockArgument>(wait.getProduct());
      Value of = argument ? loop_.getTiedLoopYieldedValue(argument)->get() : wait.getProduct();
      reader = of.getDefiningOp<simt::ProductOp>();
    } else if (!isa<simt::SharedLoadOp>(op)) {
      continue;
    }
    if (!reader || !reads(reader, group))
      continue;
    last = &op;
    areLoaded |= isa<simt::SharedLoadOp>(op);
  }
  OpBuilder builder(loop_->getContext());
  builder.setInsertionPointAfter(last);
  Value stage = group.handsBackPrevious ? simt::stageBefore(builder, loop_.getLoc(), stage_, stages_) : Value(stage_);
  arrive(builder, group, stage).setLoaded(areLoaded);
}

simt::ArriveWarpsOp ProducerLoop::arrive(OpBuilder &builder, const Group &group, Value stage) {
  auto made = simt::ArriveWarpsOp::create(builder, loop_.getLoc(), group.empty, stage);
  made.getRankMutable().assign(peerRank_ ? ValueRange(peerRank_) : ValueRange());
  return made;
}

// The phases of a barrier object alternate between 0 and 1; for a new object, a wait for phase 1 returns at once. In
// iteration i, from 0, group 1 waits for phase i of its object, which group 0 completes in iteration i. Group 0 waits
// for phase i - 1 of its object, which group 1 completes in iteration i - 1. So group 0 begins with phase 1 and group 1
// with phase 0: each begins with the number of the other group.
void ProducerLoop::takeTurns() {
  SmallVector<simt::ProductOp> products(loop_.getBody()->getOps<simt::ProductOp>());
  OpBuilder first(products.front());
  simt::BarrierWaitOp::create(first, loop_.getLoc(), turns_, ownGroup_, turn_);
  OpBuilder last(loop_.getContext());
  last.setInsertionPointAfter(products.back());
  simt::ArriveWarpsOp::create(last, loop_.getLoc(), turns_, otherGroup_);
}

/// Behind the loop: threads wait for the parts that the producer copies there, load them and hand their stages back.
RingPlace ProducerLoop::readParts(RingPlace place) {
  if (parts_.empty())
    return place;
  Location location = parts_.front().copy.getLoc();
  RingPlace at = place;
  for (Part &part : parts_) {
    const Group &group = *llvm::find_if(groups_, [&](Group &each) { return each.full == part.copy.getBarriers(); });
    // Where iterations hand back the previous stage, each part does so, too. The stage of the last part is handed back
    // by the first iteration of the next program, if the launched program executes another one.
    OpBuilder builder(part.wait);
    if (group.handsBackPrevious) {
      auto isLoad = [&](Operation &op) { return isa<simt::SharedLoadOp>(op) && reads(&op, group); };
      bool areLoaded = &part != &parts_.front() || llvm::any_of(*loop_.getBody(), isLoad);
      Value before = simt::stageBefore(builder, location, at.first, stages_);
      arrive(builder, group, before).setLoaded(areLoaded);
    }
    waitUntilFull(builder, group, at);
    for (simt::SharedLoadOp load : part.loads) {
      OpBuilder atLoad(load);
      auto whole = load.getSrc().getDefiningOp<simt::StageOp>();
      load.getSrcMutable().assign(
          simt::StageOp::create(atLoad, location, whole.getType(), whole.getSrc(), at.first).getResult());
    }
    builder.setInsertionPointAfter(part.loads.back());
    if (!group.handsBackPrevious)
      arrive(builder, group, at.first).setLoaded(true);
    at = simt::placeAfter(builder, location, at.first, at.second, stages_);
    lastOfParts_ = &*std::prev(builder.getInsertionPoint());
    part.wait.erase();
    part.copy.erase();
  }
  return at;
}

/// The rings' barrier objects end after the last wait for a copy, right before the wait for the last product that reads
/// a ring. Exchanges in the code that uses this product's result may then reuse the rings' storage. In a persistent
/// kernel they end behind all programs; in a cluster they do not end, because the peer may still arrive at them.
void ProducerLoop::endBarriers() {
  for (Group &group : groups_)
    for (Operation *user : llvm::make_early_inc_range(group.full.getUsers()))
      if (isa<simt::EndBarriersOp>(user))
        user->erase();
  if (isShared_)
    return;
  OpBuilder after(loop_->getContext());
  if (programs_->exist())
    after.setInsertionPointAfter(programs_->own());
  else
    moveBehindReaders(after);
  for (Group &group : groups_)
    for (Value objects : {group.full, group.empty})
      simt::EndBarriersOp::create(after, loop_.getLoc(), objects);
  if (turns_)
    simt::EndBarriersOp::create(after, loop_.getLoc(), turns_);
}

/// Moves the builder behind the loop, to where nothing waits for a copy to its rings any more.
void ProducerLoop::moveBehindReaders(OpBuilder &after) {
  after.setInsertionPointAfter(loop_);
  for (Operation *op = loop_->getNextNode(); op; op = op->getNextNode()) {
    auto wait = dyn_cast<simt::WaitProductsOp>(op);
    auto product = wait ? wait.getProduct().getDefiningOp<simt::ProductOp>() : simt::ProductOp();
    if (product && llvm::any_of(groups_, [&](const Group &group) { return reads(product, group); }))
      after.setInsertionPoint(wait);
  }
  if (lastOfParts_)
    after.setInsertionPointAfter(lastOfParts_);
}

void ProducerLoop::finish() {
  RingPlace behind = {loop_.getTiedLoopResult(stage_), loop_.getTiedLoopResult(phase_)};
  for (Group &group : groups_) {
    if (group.waitsForPrevious) {
      // The products of the previous iteration wait for its stage, behind the loop those of the last one.
      auto first = llvm::find_if(*loop_.getBody(), [&](Operation &op) { return reads(&op, group); });
      OpBuilder builder(&*first);
      waitUntilFull(builder, group, placeBefore(builder, {stage_, phase_}));
      for (Operation *op = loop_->getNextNode(); op; op = op->getNextNode())
        if (isa<simt::ProductOp>(op) && reads(op, group)) {
          OpBuilder before(op);
          waitUntilFull(before, group, placeBefore(before, behind));
        }
    }
    handBack(group);
  }
  if (inTurns_)
    takeTurns();
  RingPlace next = readParts(behind);
  endBarriers();
  if (programs_->exist())
    programs_->endOwn(next);
}

} // namespace tegula::tile
