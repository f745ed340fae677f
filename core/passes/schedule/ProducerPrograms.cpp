#include "core/passes/schedule/ProducerPrograms.h"

#include "core/passes/RingPlace.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/ProducerRules.h"
#include "core/passes/schedule/RingCopy.h"

using namespace mlir;

namespace tegula::tile {

ProducerPrograms::ProducerPrograms(scf::ForOp loop, ArrayRef<simt::CopyTileOp> once)
    : own_(programsAround(loop)), once_(once) {
  if (!own_)
    return;
  OpBuilder before(own_);
  Value zero = simt::placeNumber(before, own_.getLoc(), 0);
  (void)carryMore(own_, SmallVector<Value>(once.empty() ? 2 : 4, zero));
  if (!once.empty())
    readOnce();
}

/// Lets the kernel's warps wait for the blocks of their program, and read these. Makes the barrier objects by which
/// they hand the blocks' stage back.
void ProducerPrograms::readOnce() {
  onceFull_ = once_.front().getBarriers();
  auto [stage, phase] = placeOfOnce(own_);
  SmallVector<Operation *> waits;
  for (simt::CopyTileOp copy : once_) {
    llvm::append_range(waits, copy->getUsers());
    Value filled = copy.getDst();
    if (auto view = filled.getDefiningOp<simt::StageOp>()) {
      view->moveBefore(own_.getBody(), own_.getBody()->begin());
      view.getIndexMutable().assign(stage);
    }
    onceViews_.insert(filled);
  }
  OpBuilder builder(*llvm::min_element(waits, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); }));
  onceWait_ = simt::BarrierWaitOp::create(builder, waits.front()->getLoc(), onceFull_, stage, phase);
  for (Operation *wait : waits)
    wait->erase();
  Location location = own_.getLoc();
  builder.setInsertionPointAfter(onceFull_.getDefiningOp());
  onceEmpty_ = simt::BarrierAllocOp::create(builder, location, onceFull_.getType(), IntegerAttr());
  builder.setInsertionPoint(startOf(onceFull_));
  simt::StartBarriersOp::create(builder, location, onceEmpty_, uint32_t(consumerWarps(own_)));
  for (Operation *user : llvm::make_early_inc_range(onceFull_.getUsers()))
    if (isa<simt::EndBarriersOp>(user))
      user->erase();
  builder.setInsertionPointAfter(own_);
  for (Value objects : {Value(onceFull_), onceEmpty_})
    simt::EndBarriersOp::create(builder, location, objects);
}

RingPlace ProducerPrograms::beginCopying(OpBuilder &builder) {
  Value zero = simt::placeNumber(builder, own_.getLoc(), 0);
  copying_ = scf::ForOp::create(builder, own_.getLoc(), own_.getLowerBound(), own_.getUpperBound(), own_.getStep(),
                                SmallVector<Value>(own_.getNumRegionIterArgs(), zero));
  copying_->setAttr(simt::kDivergentAttr, builder.getUnitAttr());
  builder.setInsertionPointToStart(copying_.getBody());
  if (!once_.empty())
    copyOnce(builder);
  return placeFrom(copying_, 0);
}

void ProducerPrograms::copyOnce(OpBuilder &builder) {
  Location location = once_.front().getLoc();
  auto [stage, phase] = placeOfOnce(copying_);
  Value other = arith::XOrIOp::create(builder, location, phase, simt::placeNumber(builder, location, 1));
  simt::BarrierWaitOp::create(builder, location, onceEmpty_, stage, other);
  for (simt::CopyTileOp copy : once_) {
    if (simt::SharedAllocOp ring = ringOf(copy.getDst()))
      copy.getDstMutable().assign(
          simt::StageOp::create(builder, copy.getLoc(), copy.getDst().getType(), ring, stage).getResult());
    copy->removeAttr(simt::kScheduleAttr);
    copy->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    copy.getIndexMutable().assign(stage);
    copy.getPhaseMutable().assign(phase);
  }
}

SmallVector<Value> ProducerPrograms::passedOn(OpBuilder &builder, scf::ForOp programs, RingPlace next) {
  SmallVector<Value> values = {next.first, next.second};
  if (!once_.empty()) {
    auto [stage, phase] = placeOfOnce(programs);
    RingPlace behind = simt::placeAfter(builder, programs.getLoc(), stage, phase, onceStages());
    values.append({behind.first, behind.second});
  }
  return values;
}

RingPlace ProducerPrograms::endCopying(OpBuilder &builder, RingPlace next) {
  scf::YieldOp::create(builder, copying_.getLoc(), passedOn(builder, copying_, next));
  cloneInputs();
  builder.setInsertionPointAfter(copying_);
  return {copying_.getResult(0), copying_.getResult(1)};
}

/// Clones what the producer's loop uses of the other loop's body, from which it was made.
void ProducerPrograms::cloneInputs() {
  OpBuilder top = OpBuilder::atBlockBegin(copying_.getBody());
  IRMapping inside;
  inside.map(own_.getInductionVar(), copying_.getInductionVar());
  std::function<Value(Value)> bring = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (inside.contains(value) || !op || op->getBlock() != own_.getBody())
      return inside.lookupOrDefault(value);
    for (Value use : usesOf(op))
      bring(use);
    assert(canRepeatInProducer(op) && "the rules for the copies' operands see to that");
    top.clone(*op, inside);
    return inside.lookup(value);
  };
  SmallVector<OpOperand *> outside;
  copying_.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (use.get().getParentBlock() == own_.getBody())
        outside.push_back(&use);
  });
  for (OpOperand *use : outside)
    use->set(bring(use->get()));
}

void ProducerPrograms::endOwn(RingPlace next) {
  Operation *end = own_.getBody()->getTerminator();
  OpBuilder builder(end);
  end->insertOperands(end->getNumOperands(), passedOn(builder, own_, next));
  if (!once_.empty())
    handBackOnce();
}

/// Lets the warps hand the blocks' stage back behind the last op that reads a block, and behind the program's last
/// products.
void ProducerPrograms::handBackOnce() {
  bool areLoaded = false;
  Operation *last = onceWait_;
  auto arriveBehind = [&](Operation *op) { last = last->isBeforeInBlock(op) ? op : last; };
  for (size_t i = 0; i < onceViews_.size(); ++i)
    for (Operation *user : onceViews_[i].getUsers()) {
      if (auto view = dyn_cast<simt::TransposeOp>(user))
        onceViews_.insert(view);
      Operation *here = own_.getBody()->findAncestorOpInBlock(*user);
      if (!here) // the producer's, or a view from before the loop
        continue;
      areLoaded |= isa<simt::SharedLoadOp>(user);
      arriveBehind(here);
    }
  for (auto products : own_.getBody()->getOps<simt::WaitProductsOp>())
    arriveBehind(products);
  OpBuilder builder(own_->getContext());
  builder.setInsertionPointAfter(last);
  simt::ArriveWarpsOp::create(builder, onceWait_.getLoc(), onceEmpty_, placeOfOnce(own_).first).setLoaded(areLoaded);
}

} // namespace tegula::tile
