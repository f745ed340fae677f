// The rules for copies that a producer starts outside of its loop: blocks that are copied once before it, and parts of
// an epilogue operand behind it.
#include "core/passes/loops/ProducerRules.h"
#include "core/passes/loops/TileCopies.h"
#include "core/passes/schedule/ProducerLoop.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// The loop of the block that has a producer; null if there is none.
scf::ForOp loopWithProducer(Block *block) {
  for (auto loop : block->getOps<scf::ForOp>())
    for (auto copy : loop.getBody()->getOps<simt::CopyTileOp>())
      if (simt::issuerOf(copy) == simt::Issuer::Producer)
        return loop;
  return {};
}

/// Checks a copy before the producer's loop. Returns an empty text if it alone fills its buffer, which is read behind
/// the wait only, else the reason why not.
std::string obstacleToFillingOnce(simt::CopyTileOp copy, scf::ForOp loop) {
  simt::SharedAllocOp ring = RingCopy{copy}.ring();
  auto buffer = ring ? ring : copy.getDst().getDefiningOp<simt::SharedAllocOp>();
  scf::ForOp programs = programsAround(loop);
  Operation *all = programs ? programs.getOperation() : copy.getOperation();
  int64_t stages = ring ? ring.getType().getStages() : 1;
  simt::StartBarriersOp start = startOf(copy.getBarriers());
  int64_t copies = 0;
  Operation *wait = nullptr; // the first
  for (Operation *user : copy.getBarriers().getUsers()) {
    copies += isa<simt::CopyTileOp>(user);
    if (isa<simt::WaitTilesOp>(user) && user->getBlock() == copy->getBlock() && (!wait || user->isBeforeInBlock(wait)))
      wait = user;
  }
  if (!buffer || (ring && !programs) || copy.getBarriers().getType().getCount() != stages || !start ||
      start->getBlock() != all->getBlock() || !start->isBeforeInBlock(all) || int64_t(start.getCount()) != copies ||
      !matchPattern(copy.getIndex(), m_Zero()) || !matchPattern(copy.getPhase(), m_Zero()))
    return "before the loop it fills a whole buffer, unconditionally, in phase 0 of an object for all copies of the "
           "phase";
  if (programs && buffer->getBlock() != programs->getBlock())
    return "its buffer must stand before the loop over programs";
  if (programs && llvm::any_of(copy->getBlock()->getOps<simt::CopyTileOp>(), [&](simt::CopyTileOp other) {
        return other->isBeforeInBlock(loop) && other.getBarriers() != copy.getBarriers();
      }))
    return "all blocks that are copied before the loop must arrive at one object";
  SmallVector<Operation *> users((ring ? Value(copy.getDst()) : Value(buffer)).getUsers());
  if (ring && !ring->hasOneUse())
    return "its ring has another view";
  for (size_t i = 0; i < users.size(); ++i) {
    Operation *user = users[i], *here = copy->getBlock()->findAncestorOpInBlock(*user);
    if (isa<simt::TransposeOp>(user))
      llvm::append_range(users, user->getUsers());
    else if (user != copy && (!isa<simt::ProductOp, simt::SharedLoadOp>(user) || !here || !wait->isBeforeInBlock(here)))
      return "its buffer is also written, or read before the wait";
  }
  return {};
}

/// Checks a copy behind the producer's loop. Returns an empty text if it is one part of an epilogue operand, which
/// fills the next stage of a ring, else the reason why not.
std::string obstacleToPart(simt::CopyTileOp copy, scf::ForOp loop) {
  bool isOfRing = false, isAlone = true, isReadLater = false;
  for (auto each : loop.getBody()->getOps<simt::CopyTileOp>()) {
    isAlone &= each.getBarriers() == copy.getBarriers();
    isOfRing |= RingCopy{each}.ring() && RingCopy{each}.ring() == ringOf(copy.getDst());
  }
  for (auto wait : loop.getBody()->getOps<simt::WaitProductsOp>())
    isReadLater |= bool(simt::scheduleOf(wait));
  if (!isAlone || !isOfRing || loadsOfPart(copy).empty())
    return "behind the loop it fills a stage of one of the loop's rings, which become full together, for one wait "
           "and a load";
  // If iterations hand back the previous stage, the next program's first one hands back the stage of the last part. All
  // warps must have loaded that part by then; the barrier of a simt.copy_out behind it sees to that.
  bool isStoredBehind = llvm::any_of(copy->getBlock()->getOps<simt::CopyOutOp>(),
                                     [&](simt::CopyOutOp out) { return copy->isBeforeInBlock(out); });
  return isReadLater && !isStoredBehind ? "no simt.copy_out of the result follows" : "";
}

} // namespace

std::string obstacleOutsideLoop(simt::CopyTileOp copy) {
  scf::ForOp loop = loopWithProducer(copy->getBlock());
  if (!loop)
    return "no loop of the kernel has a producer";
  SmallVector<Value> operands(copy.getPosition());
  if (copy.getOnce())
    operands.push_back(copy.getOnce());
  if (!llvm::all_of(operands, followsFromKernel) || !isOfKernel(copy.getDescriptor()))
    return "one of its operands follows not only from arguments, program ids and constants";
  if (!matchPattern(copy.getCondition(), m_One()) || copy.getMulticast())
    return "it must be unconditional, and copy to its own program only";
  bool isWaitedFor = llvm::any_of(copy.getBarriers().getUsers(), [&](Operation *user) {
    return isa<simt::WaitTilesOp>(user) && user->getBlock() == copy->getBlock() && copy->isBeforeInBlock(user);
  });
  if (!isWaitedFor ||
      llvm::any_of(copy->getUsers(), [&](Operation *user) { return user->getBlock() != copy->getBlock(); }))
    return "waits in its own block, and only those, must wait for it";
  for (Operation &op : *copy->getBlock()) {
    if (&op == copy)
      break;
    if (!mayBePassedByCopies(&op))
      return "'" + op.getName().getStringRef().str() + "' before it has to run before it";
  }
  return copy->isBeforeInBlock(loop) ? obstacleToFillingOnce(copy, loop) : obstacleToPart(copy, loop);
}

} // namespace tegula::tile
