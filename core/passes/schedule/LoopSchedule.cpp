#include "core/passes/schedule/LoopSchedule.h"
#include "core/passes/loops/LoopAdvance.h"

#include "mlir/IR/Matchers.h"

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

simt::SharedAllocOp ringOf(simt::CopyOp copy) {
  auto stage = copy.getDst().getDefiningOp<simt::StageOp>();
  bool isFirst = stage && matchPattern(stage.getIndex(), m_Zero());
  return isFirst ? stage.getSrc().getDefiningOp<simt::SharedAllocOp>() : simt::SharedAllocOp();
}

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
  if (ahead == 0 && place == 0)
    return {};
  if (auto load = dyn_cast<LoadOp>(op))
    return obstacleToLoad(load, ahead, time, assumed);
  if (auto copy = dyn_cast<simt::CopyOp>(op))
    return obstacleToCopy(copy, ahead, time, assumed);
  if (isa<simt::WaitCopiesOp>(op))
    return obstacleToOperands(op, ahead, time);
  return obstacleToStore(cast<simt::SharedStoreOp>(op), time);
}

std::string LoopSchedule::obstacleToLoad(LoadOp load, int64_t ahead, StepTime time,
                                         SmallVectorImpl<ArgumentPair> *assumed) {
  if (std::string obstacle = writes_.obstacleOf(load, assumed); !obstacle.empty())
    return obstacle;
  if (std::string obstacle = obstacleToOperands(load, ahead, time); !obstacle.empty())
    return obstacle;
  for (Operation *user : load->getUsers())
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

std::string LoopSchedule::obstacleToCopy(simt::CopyOp copy, int64_t ahead, StepTime time,
                                         SmallVectorImpl<ArgumentPair> *assumed) {
  if (std::string obstacle = writes_.obstacleOf(copy, assumed); !obstacle.empty())
    return obstacle;
  if (std::string obstacle = obstacleToOperands(copy, ahead, time); !obstacle.empty())
    return obstacle;
  return obstacleToFilling(copy, ahead, time);
}

std::optional<StepTime> LoopSchedule::arrivalOf(simt::CopyOp copy) {
  std::optional<StepTime> arrival;
  for (Operation *wait : copy->getUsers())
    if (isa<simt::WaitCopiesOp>(wait) && wait->getBlock() == loop_.getBody())
      arrival = std::min(arrival.value_or(timeOf(wait)), timeOf(wait));
  return arrival;
}

std::string LoopSchedule::obstacleToFilling(simt::CopyOp copy, int64_t ahead, StepTime time) {
  simt::SharedAllocOp ring = ringOf(copy);
  if (!ring || loop_->isAncestor(ring))
    return "it does not fill stage 0 of a ring that is allocated before the loop";
  std::optional<StepTime> arrival = arrivalOf(copy);
  if (!arrival || llvm::any_of(copy->getUsers(), [&](Operation *user) {
        return !isa<simt::WaitCopiesOp>(user) || user->getBlock() != loop_.getBody();
      }))
    return "only waits in the loop's body may take its token, and one has to";
  SmallVector<Operation *> users(ring->getUsers());
  StepTime lastRead = *arrival;
  for (size_t i = 0; i < users.size(); ++i) {
    Operation *user = users[i];
    bool isView = isa<simt::TransposeOp>(user) || (isa<simt::StageOp>(user) && user->getOperand(0) == ring &&
                                                   matchPattern(user->getOperand(1), m_Zero()));
    if (isView)
      llvm::append_range(users, user->getUsers());
    if (isView || user == copy)
      continue;
    if (!isa<simt::SharedLoadOp, simt::ProductOp>(user) || !loop_.getBody()->findAncestorOpInBlock(*user))
      return "its ring is also used by '" + user->getName().getStringRef().str() + "'";
    if (!(*arrival < timeOf(user)))
      return "its ring is read before a wait for it";
    lastRead = std::max(lastRead, timeOf(user));
  }
  int64_t stages = ring.getType().getStages();
  if (ahead > stages || (ahead == stages && !(lastRead < time)))
    return "its ring of " + std::to_string(stages) + " stages is filled again before it is read";
  return {};
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
  if (const ScheduledOp *found = find(op)) {
    bool isKnown = ahead < found->ahead || (ahead == found->ahead && found->time < time);
    return isKnown ? "" : "it depends on '" + op->getName().getStringRef().str() + "', which does not run before it";
  }
  if (!canRepeatAhead(loop_, op))
    return "it depends on '" + op->getName().getStringRef().str() + "' in the loop";
  for (Value use : usesOf(op))
    if (std::string obstacle = obstacleTo(use, ahead, time, seen); !obstacle.empty())
      return obstacle;
  return {};
}

llvm::SmallPtrSet<Operation *, 4> LoopSchedule::indices() {
  DenseSet<Instance> seen;
  for (const ScheduledOp &each : ops_)
    if (isa<LoadOp, simt::CopyOp>(each.op))
      for (Value operand : each.op->getOperands())
        (void)obstacleTo(operand, each.ahead, each.time, seen);
  llvm::SmallPtrSet<Operation *, 4> found;
  for (const ScheduledOp &each : ops_)
    if (llvm::any_of(seen, [&](const Instance &instance) { return instance.first.getDefiningOp() == each.op; }))
      found.insert(each.op);
  return found;
}

int64_t LoopSchedule::carriedAhead(llvm::SetVector<BlockArgument> &arguments) {
  int64_t far = 0;
  for (const ScheduledOp &each : ops_)
    far = std::max(far, isa<simt::CopyOp>(each.op) ? each.ahead : 0);
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
