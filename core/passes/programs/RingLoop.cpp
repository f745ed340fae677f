#include "core/passes/programs/RingLoop.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

bool anyInside(Operation *op, llvm::function_ref<bool(Operation *)> predicate) {
  return op->walk([&](Operation *inner) { return predicate(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

namespace {

/// The stage, and the phase if there is one, that an op on a ring's barrier objects or buffer names; empty for other
/// ops.
SmallVector<Value> placeOf(Operation *op) {
  if (auto wait = dyn_cast<simt::BarrierWaitOp>(op))
    return {wait.getIndex(), wait.getPhase()};
  if (auto copy = dyn_cast<simt::CopyTileOp>(op))
    return {copy.getIndex(), copy.getPhase()};
  if (auto arrive = dyn_cast<simt::ArriveWarpsOp>(op))
    return {arrive.getIndex()};
  if (auto stage = dyn_cast<simt::StageOp>(op))
    return {stage.getIndex()};
  return {};
}

/// Collects the carried values that are places of the loop's rings; false if some place does not depend on carried
/// numbers and constants alone.
bool collectPlaces(RingLoop &ring) {
  SmallVector<Value> pending;
  ring.loop.walk([&](Operation *op) { llvm::append_range(pending, placeOf(op)); });
  llvm::SmallPtrSet<Value, 16> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!seen.insert(value).second || matchPattern(value, m_Constant()))
      continue;
    if (Operation *op = value.getDefiningOp()) {
      if (op->getParentOp() != ring.loop || op->getNumRegions() || !isMemoryEffectFree(op))
        return false;
      llvm::append_range(pending, op->getOperands());
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner() != ring.loop.getBody() || argument == ring.loop.getInductionVar())
      return false;
    unsigned number = argument.getArgNumber() - 1;
    if (!argument.getType().isInteger(32) || !matchPattern(ring.loop.getInitArgs()[number], m_Zero()))
      return false;
    ring.places.push_back(number);
    pending.push_back(ring.loop.getYieldedValues()[number]);
  }
  llvm::sort(ring.places);
  return !ring.places.empty();
}

/// Checks the ops after the loop (`behind`): the places of rings that they use must depend on the loop's results alone.
/// Records in `ring.next` the places with which the next program begins: the loop's results, or what `simt.move_ring`
/// makes of them. False if the ops have another form.
bool takeAfterLoop(RingLoop &ring, ArrayRef<Operation *> behind) {
  for (unsigned number : ring.places)
    ring.next.push_back(ring.loop.getResult(number));
  SmallVector<Value> pending;
  bool moves = false;
  for (Operation *op : behind) {
    llvm::append_range(pending, placeOf(op));
    auto move = dyn_cast<simt::MoveRingOp>(op);
    if (!move)
      continue;
    for (auto [from, to] :
         {std::pair(move.getStage(), move.getNextStage()), std::pair(move.getPhase(), move.getNextPhase())}) {
      auto known = llvm::find(ring.next, from);
      if (known == ring.next.end())
        return false;
      *known = to;
    }
    moves = true;
  }
  llvm::SmallPtrSet<Value, 16> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!seen.insert(value).second || matchPattern(value, m_Constant()))
      continue;
    if (op == ring.loop && llvm::is_contained(ring.places, cast<OpResult>(value).getResultNumber()))
      continue;
    if (!op || op->getBlock() != ring.loop->getBlock() || op->getNumRegions() || !isMemoryEffectFree(op))
      return false;
    llvm::append_range(pending, op->getOperands());
  }
  // Without `simt.move_ring`, the ops after the loop must neither fill a stage nor hand one back: only delayed products
  // may use a ring there, and read the stage of the last iteration.
  bool onlyRead = llvm::none_of(behind, llvm::IsaPred<simt::ArriveWarpsOp, simt::CopyTileOp>);
  return moves || behind.empty() || (onlyRead && !ring.cleared.empty());
}

/// The index of the carried value from which the loop computes the ring's stages; nothing if there is no single one.
std::optional<unsigned> stageNumberOf(scf::ForOp loop, Value ring) {
  std::optional<unsigned> found;
  SmallVector<Value> pending;
  loop.walk([&](simt::StageOp stage) {
    if (stage.getSrc() == ring)
      pending.push_back(stage.getIndex());
  });
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument) {
      llvm::append_range(pending, value.getDefiningOp()->getOperands());
      continue;
    }
    unsigned number = argument.getArgNumber() - 1;
    if (argument.getOwner() != loop.getBody() || (found && *found != number))
      return std::nullopt;
    found = number;
  }
  return found;
}

/// Whether the op is a view of a ring's last stage whose only uses store zeros. Such views precede the ring's loop:
/// delayed products of the first iteration read that stage.
bool isCleared(Operation *op) {
  auto stage = dyn_cast<simt::StageOp>(op);
  APInt index;
  return stage && !stage->use_empty() && matchPattern(stage.getIndex(), m_ConstantInt(&index)) &&
         index == stage.getSrc().getType().getShape().front() - 1 &&
         llvm::all_of(stage->getUsers(), [&](Operation *user) {
           auto store = dyn_cast<simt::SharedStoreOp>(user);
           return store && store.getDst() == stage.getResult() &&
                  (matchPattern(store.getValue(), m_AnyZeroFloat()) || matchPattern(store.getValue(), m_Zero()));
         });
}

} // namespace

std::optional<RingLoop> ringLoopOf(ArrayRef<Operation *> ops) {
  std::optional<RingLoop> found;
  SmallVector<Operation *> behind;
  SmallVector<simt::StageOp> cleared;
  for (Operation *op : ops) {
    if (!isa<simt::MoveRingOp>(op) && !anyInside(op, [](Operation *inner) { return !placeOf(inner).empty(); }))
      continue;
    if (!found && isCleared(op)) {
      cleared.push_back(cast<simt::StageOp>(op));
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    if (found && !op->getNumRegions())
      behind.push_back(op);
    else if (loop && !found)
      found = RingLoop{loop, {}, {}, {}};
    else
      return std::nullopt;
  }
  if (!found || !collectPlaces(*found))
    return std::nullopt;
  for (simt::StageOp stage : cleared) {
    std::optional<unsigned> number = stageNumberOf(found->loop, stage.getSrc());
    if (!number)
      return std::nullopt;
    found->cleared.push_back({stage, *number});
  }
  return takeAfterLoop(*found, behind) ? found : std::nullopt;
}

} // namespace tegula::tile
