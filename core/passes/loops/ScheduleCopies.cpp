// Gives the copies that PipelineCopies.cpp has selected their rings, barrier objects and schedules (docs/schedules.md).
#include "core/passes/RingPlace.h"
#include "core/passes/StepPlaces.h"
#include "core/passes/loops/CopyPipeline.h"
#include "core/passes/loops/ProducerRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// The ops of the loop's body that read the buffer: products, and loads to registers.
SmallVector<Operation *> readersOf(Value buffer) {
  SmallVector<Operation *> readers;
  for (Operation *user : buffer.getUsers())
    if (isa<simt::TransposeOp>(user))
      llvm::append_range(readers, readersOf(user->getResult(0)));
    else if (isa<simt::ProductOp, simt::SharedLoadOp>(user))
      readers.push_back(user);
  return readers;
}

/// The ops of the body that will read the candidate's ring. Where threads load the tile, that is at its load.
SmallVector<Operation *> readersOf(Candidate &candidate) {
  SmallVector<Operation *> readers = candidate.store ? readersOf(candidate.buffer()) : SmallVector<Operation *>();
  if (!candidate.store || !candidate.load->hasOneUse())
    readers.push_back(candidate.load);
  return readers;
}

/// Of the ops, the first in the body.
Operation *firstOf(ArrayRef<Operation *> ops) {
  return *llvm::min_element(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}

/// The product that reads what this op loads as its left operand; the op itself if there is none.
Operation *productOf(Operation *reader) {
  if (isa<simt::SharedLoadOp>(reader))
    for (Operation *user : reader->getUsers())
      if (isa<simt::ProductOp>(user))
        return user;
  return reader;
}

} // namespace

Value CopyPipeline::number(OpBuilder &builder, int64_t value) {
  return simt::placeNumber(builder, loop_.getLoc(), value);
}

namespace {

/// Emits a buffer of `stages` tiles.
simt::SharedAllocOp makeRing(OpBuilder &builder, Location location, int64_t stages, ArrayRef<int64_t> tile,
                             Type element, layout_ir::SharedAttr layout) {
  SmallVector<int64_t> shape = {stages};
  llvm::append_range(shape, tile);
  auto type = simt::SharedType::get(builder.getContext(), shape, element, layout);
  return simt::SharedAllocOp::create(builder, location, type, IntegerAttr());
}

} // namespace

void CopyPipeline::makeRings(OpBuilder &builder) {
  for (Candidate &each : candidates_)
    each.ring = makeRing(builder, each.load->getLoc(), stages_, each.type().getShape(), each.type().getElementType(),
                         each.layout);
}

void CopyPipeline::addStages(OpBuilder &builder) {
  for (simt::SharedAllocOp buffer : stored_) {
    OpBuilder at(buffer);
    simt::SharedType tile = buffer.getType();
    Value ring =
        makeRing(builder, buffer.getLoc(), kStoredStages, tile.getShape(), tile.getElementType(), tile.getTileLayout());
    buffer.replaceAllUsesWith(firstStage(at, ring));
    buffer.erase();
  }
}

Value CopyPipeline::firstStage(OpBuilder &builder, Value ring) {
  auto type = cast<simt::SharedType>(ring.getType());
  return simt::StageOp::create(builder, ring.getLoc(), type.getStageType(), ring, number(builder, 0));
}

void CopyPipeline::clearStages(OpBuilder &builder) {
  for (Candidate &each : candidates_) {
    if (llvm::none_of(products_.delayed, [&](DelayedProduct &delayed) {
          return each.store && bufferOf(delayed.product().getB()) == each.buffer();
        }))
      continue;
    Location location = each.load->getLoc();
    auto ring = cast<simt::SharedType>(each.ring.getType());
    Value last = simt::StageOp::create(builder, location, ring.getStageType(), each.ring, number(builder, stages_ - 1));
    Value zeros = arith::ConstantOp::create(builder, location, builder.getZeroAttr(each.type()));
    simt::SharedStoreOp::create(builder, location, last, Value(), zeros);
    simt::FenceOp::create(builder, location, simt::FenceKind::Async);
  }
}

void CopyPipeline::groupCopies() {
  llvm::MapVector<Operation *, CopyGroup> byReader; // by the first product that reads the buffer
  for (Candidate &each : candidates_)
    if (each.descLoad())
      byReader[hasProducer_ ? productOf(firstOf(readersOf(each))) : nullptr].members.push_back(&each);
  for (auto &[reader, group] : byReader)
    groups_.push_back(std::move(group));
}

void CopyPipeline::startBarriers(OpBuilder &top, OpBuilder &before) {
  auto type = simt::BarriersType::get(loop_.getContext(), stages_);
  for (CopyGroup &group : groups_)
    group.barriers = simt::BarrierAllocOp::create(top, loop_.getLoc(), type, IntegerAttr());
  for (CopyGroup &group : groups_)
    simt::StartBarriersOp::create(before, loop_.getLoc(), group.barriers, uint32_t(group.members.size()));
}

void CopyPipeline::copyByHardware(const CopyGroup &group) {
  SmallVector<Operation *> readers; // of the group's rings
  for (Candidate *each : group.members)
    llvm::append_range(readers, readersOf(*each));
  bool isLater = hasProducer_ && llvm::all_of(readers, runsLater);
  for (Candidate *each : group.members) {
    Location location = each->load->getLoc();
    OpBuilder builder(each->load);
    Value first = number(builder, 0), stage = firstStage(builder, each->ring);
    Value always = arith::ConstantOp::create(builder, location, builder.getBoolAttr(true));
    DescLoadOp load = each->descLoad();
    auto copy = simt::CopyTileOp::create(builder, location, load.getDesc(), load.getOffsets(), stage, group.barriers,
                                         first, first, always, each->store && each->store.getTf32(), each->once);
    if (hasProducer_) {
      simt::setSchedule(copy, stages_ - 1, kLateCopiesPlace, simt::Issuer::Producer);
      // Warps wait as late as they can: right before the first op that reads the ring.
      OpBuilder atReader(firstOf(readers));
      auto wait = simt::WaitTilesOp::create(atReader, location, copy, group.barriers);
      if (isLater)
        simt::setSchedule(wait, /*ahead=*/-1, /*place=*/0);
    } else {
      simt::setSchedule(copy, prefetchDistance_, startsLate_ ? kLateCopiesPlace : kCopiesPlace);
      auto wait = simt::WaitTilesOp::create(builder, location, copy, group.barriers);
      simt::setSchedule(wait, /*ahead=*/0, kWaitsPlace);
    }
    readStage(*each, stage);
  }
}

void CopyPipeline::copyByThreads(Candidate &each) {
  Location location = each.load->getLoc();
  OpBuilder builder(each.load);
  Value stage = firstStage(builder, each.ring);
  auto load = cast<LoadOp>(each.load);
  auto copy = simt::CopyOp::create(builder, location, load.getPtr(), stage, load.getMask());
  // (Measured: copies by threads that start after the iteration's product made a 4096 x 4096 x 4096 matmul 3 to 14%
  // slower, so they do that only where it lets one more program run. In loops of several products, tile-order-products
  // moves copies by hardware to after the first products.)
  simt::setSchedule(copy, prefetchDistance_, startsLate_ ? kLateCopiesPlace : kCopiesPlace);
  simt::setSchedule(simt::WaitCopiesOp::create(builder, location, copy.getToken()), /*ahead=*/0, kWaitsPlace);
  if (each.store) // asynchronous products read the ring
    simt::setSchedule(simt::FenceOp::create(builder, location, simt::FenceKind::Async), /*ahead=*/0, kFencesPlace);
  readStage(each, stage);
}

void CopyPipeline::readStage(Candidate &candidate, Value stage) {
  if (candidate.store) {
    simt::SharedAllocOp buffer = candidate.buffer();
    buffer.replaceAllUsesWith(stage);
    if (isa<simt::FenceOp>(candidate.store->getNextNode()))
      candidate.store->getNextNode()->erase();
    candidate.store.erase();
    buffer.erase();
  }
  if (!candidate.load->use_empty()) {
    OpBuilder at(candidate.load);
    Value loaded = simt::SharedLoadOp::create(at, candidate.load->getLoc(), candidate.type(), stage, Value());
    candidate.load->replaceAllUsesWith(ValueRange(loaded));
  }
  candidate.load->erase();
}

void CopyPipeline::scheduleProducts() {
  for (simt::WaitProductsOp wait : products_.runningOn)
    simt::setSchedule(wait, /*ahead=*/-1, /*place=*/0);
  for (const DelayedProduct &each : products_.delayed) {
    simt::setSchedule(each.product(), /*ahead=*/-1, /*place=*/0);
    simt::setSchedule(each.wait, /*ahead=*/-1, /*place=*/0);
  }
  // Two groups of warps that issue their products in turns: while the products of one group run, the other group
  // computes the ops between its products; in an attention, these are the exponentials. Without this order both groups
  // may compute at the same time, and then both wait for products at the same time. (FlashAttention-3's "ping-pong":
  // Shah et al., 2024, section 3.1.)
  if (hasProducer_ && !products_.delayed.empty() && obstacleToTurns(loop_).empty())
    for (auto product : loop_.getBody()->getOps<simt::ProductOp>())
      simt::setSchedule(product, runsLater(product) ? -1 : 0, /*place=*/0, simt::Issuer::Turns);
}

void CopyPipeline::scheduleCopies() {
  OpBuilder top = OpBuilder::atBlockBegin(&loop_->getParentOfType<func::FuncOp>().getBody().front()), before(loop_);
  groupCopies();
  if (hasProducer_)
    findEpilogueOperand();
  scheduleProducts();
  makeRings(hasProducer_ ? top : before);
  addStages(before);
  clearStages(before);
  startBarriers(top, hasProducer_ ? top : before);
  for (Candidate &each : candidates_)
    if (!each.descLoad())
      copyByThreads(each);
  for (const CopyGroup &group : groups_)
    copyByHardware(group);
  for (LoadOp load : indices_)
    simt::setSchedule(load, prefetchDistance_ + 1, kCopiesPlace);
  OpBuilder after(loop_->getContext());
  after.setInsertionPointAfter(loop_);
  if (epilogue_)
    after.setInsertionPointAfter(copyEpilogueOperand());
  for (const CopyGroup &group : groups_)
    simt::EndBarriersOp::create(after, loop_.getLoc(), group.barriers);
}

} // namespace tegula::tile
