#include "core/passes/schedule/LoopSchedule.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopProducts.h"
#include "core/passes/loops/ProducerRules.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;

namespace tegula::tile {

LoopSchedule::LoopSchedule(scf::ForOp loop) : loop_(loop), writes_(loop) {
  for (Operation &op : *loop.getBody())
    positions_[&op] = int64_t(positions_.size());
  for (Operation &op : *loop.getBody())
    if (simt::ScheduleAttr schedule = simt::scheduleOf(&op))
      ops_.push_back({&op, schedule.getAhead(), timeAt(&op, schedule.getPlace())});
  llvm::sort(ops_, [](const ScheduledOp &a, const ScheduledOp &b) { return a.time < b.time; });
}

namespace {

/// Later than every op of a step.
constexpr StepTime kEnd = {std::numeric_limits<int64_t>::max(), 0};

/// Whether the view, before a loop, is of the ring's last stage and only filled with zeros: the first delayed product
/// reads this stage.
bool isCleared(simt::StageOp view) {
  return getConstantIntValue(view.getIndex()) == view.getSrc().getType().getStages() - 1 &&
         llvm::all_of(view->getUsers(), [&](Operation *user) {
           auto store = dyn_cast<simt::SharedStoreOp>(user);
           return store && store.getDst() == view &&
                  (matchPattern(store.getValue(), m_Zero()) || matchPattern(store.getValue(), m_PosZeroFloat()));
         });
}

/// Whether simt-insert-barriers may put a barrier before the op: one that accesses shared memory or exchanges elements
/// between threads.
bool mayNeedBarrier(Operation &op) {
  bool isPure = isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
                !llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>);
  return !isPure && !isa<simt::WaitCopiesOp, simt::WaitTilesOp, simt::FenceOp>(op);
}

/// Whether asynchronous units read the buffer, or a view of it.
bool isReadByUnits(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    return isa<simt::ProductOp, simt::CopyOutOp>(user) ||
           (isa<simt::TransposeOp, simt::StageOp, simt::PartOp>(user) && isReadByUnits(user->getResult(0)));
  });
}

/// Whether the op belongs to an epilogue operand behind the loop: a copy by the loop's producer to a ring, or a load of
/// what such a copy brought.
bool usesNextStage(scf::ForOp loop, Operation *op) {
  if (op->getBlock() != loop->getBlock() || !loop->isBeforeInBlock(op))
    return false;
  return simt::issuerOf(op) == simt::Issuer::Producer ||
         llvm::any_of(loop->getBlock()->getOps<simt::CopyTileOp>(), [&](simt::CopyTileOp copy) {
           return simt::issuerOf(copy) == simt::Issuer::Producer && llvm::is_contained(loadsOfPart(copy), op);
         });
}

/// Whether the op, or a user of the view that it is, fills memory in the loop without a schedule.
bool isFilledIn(scf::ForOp loop, Operation *op) {
  if (isa<simt::SharedAllocOp, simt::StageOp, simt::TransposeOp>(op))
    return llvm::any_of(op->getUsers(), [&](Operation *user) { return isFilledIn(loop, user); });
  bool fills = isa<simt::SharedStoreOp>(op) || (RingCopy::of(op) && !simt::scheduleOf(op));
  return fills && loop->isAncestor(op);
}

} // namespace

StepTime LoopSchedule::timeAt(Operation *op, int64_t place) {
  return {place, positions_.at(loop_.getBody()->findAncestorOpInBlock(*op))};
}

StepTime LoopSchedule::timeOf(Operation *op) {
  const ScheduledOp *scheduled = find(op);
  return scheduled ? scheduled->time : timeAt(op, 0);
}

const ScheduledOp *LoopSchedule::find(Operation *op) const {
  const auto *found = llvm::find_if(ops_, [&](const ScheduledOp &each) { return each.op == op; });
  return found == ops_.end() ? nullptr : found;
}

std::string LoopSchedule::obstacleTo(Operation *op, int64_t ahead, int64_t place,
                                     SmallVectorImpl<ArgumentPair> *assumed) {
  StepTime time = timeAt(op, place);
  if (loop_.getUnsignedCmp())
    return "the loop compares its induction variable without sign";
  if (std::optional<RingCopy> copy = RingCopy::of(op))
    return obstacleToCopy(*copy, ahead, time, assumed);
  if (simt::issuerOf(op) == simt::Issuer::Turns)
    if (std::string obstacle = obstacleToTurn(); !obstacle.empty())
      return obstacle;
  if (ahead == 0 && place == 0)
    return {};
  if (auto load = dyn_cast<LoadOp>(op))
    return obstacleToLoad(load, ahead, time, assumed);
  if (isa<simt::WaitCopiesOp>(op))
    return obstacleToOperands(op, ahead, time);
  if (auto wait = dyn_cast<simt::WaitTilesOp>(op))
    return obstacleToWait(wait, time);
  if (auto fence = dyn_cast<simt::FenceOp>(op))
    return obstacleToFence(fence);
  if (auto product = dyn_cast<simt::ProductOp>(op)) {
    auto wait = product->hasOneUse() ? dyn_cast<simt::WaitProductsOp>(*product->user_begin()) : simt::WaitProductsOp();
    return wait && simt::scheduleOf(wait) ? obstacleToProduct(wait) : "its wait has no schedule";
  }
  if (auto wait = dyn_cast<simt::WaitProductsOp>(op))
    return obstacleToProduct(wait);
  if (isa<simt::ConvertLayoutOp>(op))
    return obstacleToResult(op, ahead, time);
  return obstacleToStore(cast<simt::SharedStoreOp>(op), time);
}

std::string LoopSchedule::obstacleToLoad(LoadOp load, int64_t ahead, StepTime time,
                                         SmallVectorImpl<ArgumentPair> *assumed) {
  if (std::string obstacle = writes_.obstacleOf(load, assumed); !obstacle.empty())
    return obstacle;
  return obstacleToResult(load, ahead, time);
}

std::string LoopSchedule::obstacleToResult(Operation *op, int64_t ahead, StepTime time) {
  if (std::string obstacle = obstacleToOperands(op, ahead, time); !obstacle.empty())
    return obstacle;
  for (Operation *user : op->getUsers())
    if (Operation *own = loop_.getBody()->findAncestorOpInBlock(*user);
        own && ahead == 0 && !isa<scf::YieldOp>(own) && !simt::scheduleOf(own) && timeAt(own, 0) < time)
      return "its result is used earlier in the iteration";
  return {};
}

std::string LoopSchedule::obstacleToOperands(Operation *op, int64_t ahead, StepTime time) {
  DenseSet<Instance> seen;
  for (Value operand : op->getOperands())
    if (std::string obstacle = obstacleTo(operand, ahead, time, seen); !obstacle.empty())
      return obstacle;
  return {};
}

std::string LoopSchedule::obstacleToCopy(RingCopy copy, int64_t ahead, StepTime time,
                                         SmallVectorImpl<ArgumentPair> *assumed) {
  std::string obstacle = copy.byHardware() ? writes_.obstacleOf(copy.filled().getType().getElementType())
                                           : writes_.obstacleOf(cast<simt::CopyOp>(copy.op), assumed);
  if (obstacle.empty() && copy.byHardware())
    obstacle = obstacleToTile(copy.byHardware(), ahead);
  if (obstacle.empty() && copy.isByProducer())
    obstacle = obstacleToProducersCopy(copy, ahead);
  if (obstacle.empty())
    obstacle = obstacleToOperands(copy.op, ahead, time);
  return obstacle.empty() ? obstacleToFilling(copy, ahead, time) : obstacle;
}

std::string LoopSchedule::obstacleToTile(simt::CopyTileOp copy, int64_t ahead) {
  auto isOutside = [&](Value value) { return !value || loop_.isDefinedOutsideOfLoop(value); };
  if (!matchPattern(copy.getIndex(), m_Zero()) || !matchPattern(copy.getPhase(), m_Zero()) ||
      !matchPattern(copy.getCondition(), m_One()) || !isOutside(copy.getDescriptor()) || !isOutside(copy.getOnce()) ||
      !isOutside(copy.getMulticast()))
    return "it must name object 0 and phase 0, be unconditional, and have its descriptor from before the loop";
  // In the code before the loop, copies by hardware precede loads of indices and exchanges of addresses.
  LoopSlice slice(loop_);
  for (Value offset : copy.getPosition())
    if (!slice.canRunAhead(offset))
      return "its position depends on '" + slice.blocker()->getName().getStringRef().str() + "' in the loop";
  SmallVector<Operation *> starts;
  llvm::copy_if(copy.getBarriers().getUsers(), std::back_inserter(starts), llvm::IsaPred<simt::StartBarriersOp>);
  int64_t copies = 0;
  for (auto other : loop_.getBody()->getOps<simt::CopyTileOp>()) {
    if (other.getBarriers() != copy.getBarriers())
      continue;
    ++copies;
    const ScheduledOp *scheduled = find(other);
    if (!scheduled || scheduled->ahead != ahead)
      return "all copies of its phase must run as far ahead";
  }
  auto stage = copy.getDst().getDefiningOp<simt::StageOp>();
  // A producer's rings, and their objects, go on from one program of the grid to the next.
  scf::ForOp programs = simt::issuerOf(copy) == simt::Issuer::Producer ? programsAround(loop_) : scf::ForOp();
  Operation *used = (programs ? programs : loop_).getOperation();
  if (starts.size() != 1 || starts.front()->getBlock() != used->getBlock() || !starts.front()->isBeforeInBlock(used) ||
      int64_t(cast<simt::StartBarriersOp>(starts.front()).getCount()) != copies || !stage ||
      copy.getBarriers().getType().getCount() != stage.getSrc().getType().getStages())
    return "it needs one barrier object for each stage of its ring, started once before the loop for all copies of a "
           "phase";
  return {};
}

std::string LoopSchedule::obstacleToProducersCopy(RingCopy copy, int64_t ahead) {
  if (!copy.ring() || !llvm::all_of(*loop_.getBody(), [&](Operation &op) {
        std::optional<RingCopy> other = RingCopy::of(&op);
        return !other || (other->isByProducer() && other->ring() && other->stages() == copy.stages());
      }))
    return "the producer must start all copies of its loop, to rings of as many stages";
  if (ahead != copy.stages() - 1)
    return "the producer runs as far ahead as the ring has empty stages: 'ahead' must be one less than its " +
           std::to_string(copy.stages()) + " stages";
  simt::CopyTileOp tile = copy.byHardware();
  SmallVector<Value> operands(tile.getPosition());
  for (Value condition : {tile.getOnce(), tile.getMulticast()})
    if (condition)
      operands.push_back(condition);
  scf::ForOp programs = programsAround(loop_);
  if (programs && (copy.ring()->getBlock() != programs->getBlock() || !isOfKernel(tile.getDescriptor())))
    return "its ring must stand before the loop over programs, and its descriptor be an argument of the kernel";
  // Two programs that copy to each other must be at the same stage of the ring.
  if (tile.getMulticast() &&
      (!programs || programs->getParentOp()->hasAttr(simt::kPairsAttr) || !hasAlikeCounts(loop_)))
    return "only programs of a persistent kernel, not in pairs, with equally many iterations copy blocks to each other";
  return obstacleToProducer(loop_, operands);
}

std::string LoopSchedule::obstacleToTurn() {
  if (programsAround(loop_))
    return "turns begin anew with each program of the grid, but the phases of their objects do not";
  for (Operation &op : *loop_.getBody())
    if (isa<simt::ProductOp>(op) && simt::issuerOf(&op) != simt::Issuer::Turns)
      return "not all products of its loop are issued in turns";
  if (llvm::none_of(ops_, [](const ScheduledOp &each) { return simt::issuerOf(each.op) == simt::Issuer::Producer; }))
    return "products are issued in turns only beside a producer";
  return obstacleToTurns(loop_);
}

std::optional<StepTime> LoopSchedule::arrivalOf(RingCopy copy) {
  std::optional<StepTime> arrival;
  for (Operation *wait : copy.op->getUsers())
    if (isa<simt::WaitCopiesOp, simt::WaitTilesOp>(wait) && wait->getBlock() == loop_.getBody())
      arrival = std::min(arrival.value_or(timeOf(wait)), timeOf(wait));
  return arrival;
}

std::optional<LoopSchedule::Reading> LoopSchedule::readingOf(Operation *op) {
  if (!loop_.getBody()->findAncestorOpInBlock(*op))
    return std::nullopt;
  if (isa<simt::SharedLoadOp>(op))
    return Reading{timeOf(op), timeOf(op)};
  if (!isa<simt::ProductOp>(op) || !op->hasOneUse() || !isa<simt::WaitProductsOp>(*op->user_begin()))
    return std::nullopt;
  const ScheduledOp *wait = find(*op->user_begin()); // a product reads until its wait
  return Reading{timeOf(op), timeOf(*op->user_begin()), wait ? wait->ahead : 0};
}

bool LoopSchedule::hasFence(StepTime after, StepTime before) {
  auto fences = loop_.getBody()->getOps<simt::FenceOp>();
  return llvm::any_of(fences, [&](simt::FenceOp fence) {
    StepTime time = timeOf(fence);
    return fence.getKind() == simt::FenceKind::Async && after < time && time < before &&
           llvm::none_of(
               *loop_.getBody(),
               [&](Operation &op) { return mayNeedBarrier(op) && after < timeOf(&op) && timeOf(&op) < time; });
  });
}

std::string LoopSchedule::obstacleToFilling(RingCopy copy, int64_t ahead, StepTime time) {
  simt::SharedAllocOp ring = copy.ring();
  if (!ring || loop_->isAncestor(ring))
    return "it does not fill stage 0 of a ring that is allocated before the loop";
  std::optional<StepTime> arrival = arrivalOf(copy);
  if (!arrival || llvm::any_of(copy.op->getUsers(), [&](Operation *user) {
        return !isa<simt::WaitCopiesOp, simt::WaitTilesOp>(user) || user->getBlock() != loop_.getBody();
      }))
    return "only waits in the loop's body may take its token, and one has to";
  for (Operation *wait : copy.op->getUsers()) {
    if (ahead == 0 && !(time < timeOf(wait)))
      return "it does not run before a wait for it";
    if (auto tiles = dyn_cast<simt::WaitTilesOp>(wait))
      if (std::string obstacle = obstacleToWait(tiles, timeOf(wait)); !obstacle.empty())
        return obstacle;
  }
  bool arrivesLater = llvm::any_of(copy.op->getUsers(), [&](Operation *wait) { // in the next iteration
    const ScheduledOp *scheduled = find(wait);
    return scheduled && scheduled->ahead < 0;
  });
  if (arrivesLater && !copy.isByProducer())
    return "only for a producer's copies a wait can be one of the next iteration";
  bool isReadLater = copy.isByProducer() && this->isReadLater(copy), isRead = false;
  SmallVector<Operation *> users(ring->getUsers());
  for (size_t i = 0; i < users.size(); ++i) {
    Operation *user = users[i];
    auto stage = dyn_cast<simt::StageOp>(user);
    if (stage && !loop_->isAncestor(stage) && isCleared(stage)) {
      if (copy.isByProducer() && !isReadLater)
        return "threads clear a stage that the producer fills from the kernel's beginning on";
      continue;
    }
    if (user == copy.op)
      continue;
    if (copy.isByProducer() && usesNextStage(loop_, user))
      continue;
    if (isa<simt::TransposeOp>(user) || (stage && matchPattern(stage.getIndex(), m_Zero()))) {
      llvm::append_range(users, user->getUsers());
      continue;
    }
    std::optional<Reading> reading = readingOf(user);
    if (!reading)
      return "its ring is also used by '" + user->getName().getStringRef().str() + "'";
    if (copy.isByProducer() && !isInBody(user))
      return "its ring is read in a branch";
    isRead |= !user->use_empty();
    bool isOfLater = simt::scheduleOf(user) && simt::scheduleOf(user).getAhead() < 0; // it starts in the next step
    if (!isOfLater && (arrivesLater || !(*arrival < reading->first)))
      return "its ring is read before a wait for it";
    if (!copy.byHardware() && isa<simt::ProductOp>(user) && !hasFence(*arrival, isOfLater ? kEnd : reading->first))
      return "no fence stands between its wait and the product that reads its ring";
    // The copy of iteration i + stages fills the stage that this reads in iteration i.
    int64_t least = ahead - reading->endsAhead;
    if (copy.stages() < least || (copy.stages() == least && !(reading->last < time)))
      return "its ring of " + std::to_string(copy.stages()) + " stages is filled again before it is read";
  }
  return copy.isByProducer() && !isRead ? "nothing reads its ring" : "";
}

std::string LoopSchedule::obstacleToWait(simt::WaitTilesOp wait, StepTime time) {
  // The phase ends when all copies that count towards it have arrived.
  for (auto copy : loop_.getBody()->getOps<simt::CopyTileOp>()) {
    const ScheduledOp *scheduled = find(copy);
    bool isStarted = (scheduled && scheduled->ahead > 0) || timeOf(copy) < time;
    if (copy.getBarriers() == wait.getBarriers() && !isStarted)
      return "not all copies of its phase are started before it";
    if (copy.getBarriers() == wait.getBarriers() && simt::issuerOf(copy) == simt::Issuer::Producer && time.place != 0)
      return "a wait for a producer's copies has no place: it stands before the first op that reads their rings";
  }
  return obstacleToOperands(wait, /*ahead=*/0, time);
}

std::string LoopSchedule::obstacleToFence(simt::FenceOp fence) {
  // Stores that asynchronous units read need a fence that stays behind them.
  auto stays = [&](simt::SharedStoreOp store) {
    return llvm::any_of(loop_.getBody()->getOps<simt::FenceOp>(), [&](simt::FenceOp other) {
      return !simt::scheduleOf(other) && store->isBeforeInBlock(other) && other->isBeforeInBlock(fence);
    });
  };
  for (auto store : loop_.getBody()->getOps<simt::SharedStoreOp>()) {
    simt::SharedAllocOp ring = ringOf(store.getDst()); // units may read it through another view
    if (store->isBeforeInBlock(fence) && isReadByUnits(ring ? Value(ring) : store.getDst()) && !stays(store))
      return "it orders a store of the loop";
  }
  return {};
}

std::string LoopSchedule::obstacleToProduct(simt::WaitProductsOp wait) {
  simt::ProductOp product = wait.getProduct().getDefiningOp<simt::ProductOp>();
  if (!product || !simt::scheduleOf(product)) {
    auto stays = [&](Value operand) {
      simt::StageOp stage = stageReadBy(operand);
      simt::SharedAllocOp buffer = bufferOf(stage ? stage.getSrc() : operand);
      if (!buffer || loop_->isAncestor(buffer))
        return false;
      // The product reads one stage of a computed operand while the next iteration stores another one.
      return !isFilledIn(loop_, buffer) || (buffer.getType().getStages() > 1 && fillingStore(loop_, buffer));
    };
    bool runsOn = canRunOn(loop_, wait) && stays(product.getA()) && stays(product.getB());
    return runsOn ? ""
                  : "its product cannot run on: its operands must stay in shared memory, and nothing but the next "
                    "iteration's product may take its sum";
  }
  std::optional<DelayedProduct> delayed = delayedBy(loop_, wait);
  if (!delayed)
    return "its product cannot be delayed: it must add, to a sum that nothing else takes, what an earlier product's "
           "result gives";
  if (!isSumOfProducts(loop_.getTiedLoopInit(delayed->sum)->get()))
    return "the sum of its product does not begin with zeros or a sum of products";
  simt::StageOp stage = stageReadBy(product.getB());
  if (!stage || !llvm::any_of(ops_, [&](const ScheduledOp &each) {
        std::optional<RingCopy> copy = RingCopy::of(each.op);
        return copy && copy->ring() && copy->ring() == stage.getSrc().getDefiningOp();
      }))
    return "its product's right operand is not in a ring that the loop fills";
  bool isCleared = llvm::any_of(stage.getSrc().getUsers(), [&](Operation *user) {
    auto last = dyn_cast<simt::StageOp>(user);
    return last && !loop_->isAncestor(last) && tile::isCleared(last) &&
           (!programsAround(loop_) || last->getBlock() == loop_->getBlock());
  });
  return isCleared ? "" : "the last stage of its right operand's ring is not cleared before the loop";
}

std::string LoopSchedule::obstacleToStore(simt::SharedStoreOp store, StepTime time) {
  auto buffer = store.getDst().getDefiningOp<simt::SharedAllocOp>();
  if (!buffer || buffer->getBlock() != loop_.getBody() || store.getOffset() || store.getPart())
    return "it does not fill a whole buffer of the iteration";
  for (Operation *user : buffer->getUsers())
    if (user != store && (isa<simt::SharedStoreOp>(user) || timeAt(user, 0) < time))
      return "its buffer is used earlier in the iteration";
  DenseSet<Instance> seen;
  return obstacleTo(store.getValue(), /*ahead=*/0, time, seen);
}

std::string LoopSchedule::obstacleTo(Value value, int64_t ahead, StepTime time, DenseSet<Instance> &seen) {
  if (!loop_.getRegion().isAncestor(value.getParentRegion()) || !seen.insert({value, ahead}).second)
    return {};
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isKnown = argument == loop_.getInductionVar() || ahead == 0;
    return isKnown ? "" : obstacleTo(loop_.getTiedLoopYieldedValue(argument)->get(), ahead - 1, time, seen);
  }
  Operation *op = value.getDefiningOp();
  // A conversion is computed again where another op needs it, as other pure ops are: its place says when the iteration
  // itself computes it.
  if (const ScheduledOp *found = find(op); found && !isa<simt::ConvertLayoutOp>(op)) {
    bool isKnown = ahead < found->ahead || (ahead == found->ahead && found->time < time);
    return isKnown ? "" : "it depends on '" + op->getName().getStringRef().str() + "', which does not run before it";
  }
  if (!canRepeatAhead(op))
    return "it depends on '" + op->getName().getStringRef().str() + "' in the loop";
  for (Value use : usesOf(op))
    if (std::string obstacle = obstacleTo(use, ahead, time, seen); !obstacle.empty())
      return obstacle;
  return {};
}

llvm::SmallPtrSet<Operation *, 4> LoopSchedule::indices() {
  DenseSet<Instance> seen;
  for (const ScheduledOp &each : ops_)
    if (isa<LoadOp>(each.op) || RingCopy::of(each.op))
      for (Value operand : each.op->getOperands())
        (void)obstacleTo(operand, each.ahead, each.time, seen);
  llvm::SmallPtrSet<Operation *, 4> found;
  for (const ScheduledOp &each : ops_)
    if (isa<LoadOp>(each.op) &&
        llvm::any_of(seen, [&](const Instance &instance) { return instance.first.getDefiningOp() == each.op; }))
      found.insert(each.op);
  return found;
}

bool LoopSchedule::isInBody(Operation *reader) {
  Operation *wait = isa<simt::ProductOp>(reader) ? *reader->user_begin() : reader;
  return reader->getBlock() == loop_.getBody() && wait->getBlock() == loop_.getBody();
}

bool LoopSchedule::isReadLater(RingCopy copy) {
  SmallVector<Operation *> users(copy.ring()->getUsers());
  for (size_t i = 0; i < users.size(); ++i) {
    if (isa<simt::StageOp, simt::TransposeOp>(users[i]))
      llvm::append_range(users, users[i]->getUsers());
    else if (std::optional<Reading> reading = readingOf(users[i]); reading && reading->endsAhead < 0)
      return true;
  }
  return false;
}

int64_t LoopSchedule::carriedAhead(llvm::SetVector<BlockArgument> &arguments) {
  int64_t far = 0;
  for (const ScheduledOp &each : ops_)
    if (std::optional<RingCopy> copy = RingCopy::of(each.op); copy && !copy->isByProducer())
      far = std::max(far, each.ahead);
  // The next step's state is computed while this step's ops of that iteration are known: a load on which it depends
  // must run one iteration further ahead.
  auto mayRead = [&](LoadOp load) {
    const ScheduledOp *scheduled = find(load);
    return scheduled && scheduled->ahead > far && scheduled->time.place < 0;
  };
  LoopSlice slice(loop_, mayRead);
  for (const ScheduledOp &each : ops_)
    for (Value operand : each.op->getOperands())
      if (far > 0 && each.ahead >= far && !slice.canRunAhead(operand))
        return 0;
  arguments.insert_range(slice.carried());
  return far;
}

} // namespace tegula::tile
