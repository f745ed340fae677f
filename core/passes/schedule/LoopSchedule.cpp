#include "core/passes/schedule/LoopSchedule.h"
#include "core/passes/loops/LoopAdvance.h"

using namespace mlir;

namespace tegula::tile {

LoopSchedule::LoopSchedule(scf::ForOp loop) : loop_(loop), writes_(loop) {
  for (Operation &op : *loop.getBody())
    positions_[&op] = int64_t(positions_.size());
  for (Operation &op : *loop.getBody())
    if (simt::ScheduleAttr schedule = simt::scheduleOf(&op))
      ops_.push_back({&op, schedule.getAhead(), timeOf(&op, schedule.getPlace())});
  llvm::sort(ops_, [](const ScheduledOp &a, const ScheduledOp &b) { return a.time < b.time; });
}

StepTime LoopSchedule::timeOf(Operation *op, int64_t place) {
  return {place, positions_.at(loop_.getBody()->findAncestorOpInBlock(*op))};
}

std::string LoopSchedule::obstacleTo(Operation *op, int64_t ahead, int64_t place,
                                     SmallVectorImpl<ArgumentPair> *assumed) {
  StepTime time = timeOf(op, place);
  if (loop_.getUnsignedCmp())
    return "the loop compares its induction variable without sign";
  if (ahead == 0 && place == 0)
    return {};
  if (auto load = dyn_cast<LoadOp>(op))
    return obstacleToLoad(load, ahead, time, assumed);
  return obstacleToStore(cast<simt::SharedStoreOp>(op), time);
}

std::string LoopSchedule::obstacleToLoad(LoadOp load, int64_t ahead, StepTime time,
                                         SmallVectorImpl<ArgumentPair> *assumed) {
  if (std::string obstacle = writes_.obstacleOf(load, assumed); !obstacle.empty())
    return obstacle;
  DenseSet<Instance> seen;
  for (Value operand : load->getOperands())
    if (std::string obstacle = obstacleTo(operand, ahead, time, seen); !obstacle.empty())
      return obstacle;
  for (Operation *user : load->getUsers())
    if (Operation *own = loop_.getBody()->findAncestorOpInBlock(*user);
        own && ahead == 0 && !isa<scf::YieldOp>(own) && !simt::scheduleOf(own) && timeOf(own, 0) < time)
      return "its result is used earlier in the iteration";
  return {};
}

std::string LoopSchedule::obstacleToStore(simt::SharedStoreOp store, StepTime time) {
  auto buffer = store.getDst().getDefiningOp<simt::SharedAllocOp>();
  if (!buffer || buffer->getBlock() != loop_.getBody() || store.getOffset() || store.getPart())
    return "it does not fill a whole buffer of the iteration";
  for (Operation *user : buffer->getUsers())
    if (user != store && (isa<simt::SharedStoreOp>(user) || timeOf(user, 0) < time))
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
  if (const auto *found = llvm::find_if(ops_, [&](const ScheduledOp &each) { return each.op == op; });
      found != ops_.end()) {
    bool isLoaded = ahead < found->ahead || (ahead == found->ahead && found->time < time);
    return isLoaded ? "" : "it depends on a load that does not run before it";
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
    if (isa<LoadOp>(each.op))
      for (Value operand : each.op->getOperands())
        (void)obstacleTo(operand, each.ahead, each.time, seen);
  llvm::SmallPtrSet<Operation *, 4> found;
  for (const ScheduledOp &each : ops_)
    if (llvm::any_of(seen, [&](const Instance &instance) { return instance.first.getDefiningOp() == each.op; }))
      found.insert(each.op);
  return found;
}

} // namespace tegula::tile
