#include "core/passes/loops/ProducerRules.h"

#include "core/ir/simt/Target.h"
#include "core/passes/layouts/LayoutChoice.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopProducts.h"
#include "core/passes/loops/TileCopies.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// Whether no op before the loop has to run before the copies.
bool canBeginWithKernel(Operation *loop) {
  for (Operation *before = loop->getPrevNode(); before; before = before->getPrevNode())
    if (!mayBePassedByCopies(before))
      return false;
  return isa<func::FuncOp>(loop->getParentOp()) || canBeginWithKernel(loop->getParentOp());
}

/// Whether the values, and the loop's bounds, depend on arguments, program ids and constants only.
bool canRepeat(scf::ForOp loop, ArrayRef<Value> values) {
  SmallVector<Value> work(values);
  work.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (isOfKernel(value) || value == loop.getInductionVar() || !seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != loop.getBody())
        return false;
      work.push_back(loop.getTiedLoopInit(argument)->get());
      work.push_back(loop.getTiedLoopYieldedValue(argument)->get());
    } else if (canRepeatInProducer(value.getDefiningOp())) {
      llvm::append_range(work, usesOf(value.getDefiningOp()));
    } else {
      return false;
    }
  }
  return true;
}

} // namespace

int64_t consumerWarps(scf::ForOp loop) { return threadsOf(loop->getParentOfType<ModuleOp>()).warps; }

scf::ForOp programsAround(scf::ForOp loop) {
  auto programs = dyn_cast<scf::ForOp>(loop->getParentOp());
  return programs && programs->hasAttr(simt::kProgramsAttr) ? programs : scf::ForOp();
}

bool hasAlikeCounts(scf::ForOp loop) {
  SmallVector<Value> pending = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op && isa<func::FuncOp>(cast<BlockArgument>(value).getOwner()->getParentOp()))
      continue;
    if (!op || isa<ProgramIdOp>(op) || op->getNumRegions() || !isMemoryEffectFree(op))
      return false;
    llvm::append_range(pending, op->getOperands());
  }
  return true;
}

bool isInLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  return loop && !loop->hasAttr(simt::kProgramsAttr);
}

bool isOfKernel(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  Operation *parent = argument.getOwner()->getParentOp();
  return isa<func::FuncOp>(parent) || (parent->hasAttr(simt::kProgramsAttr) && argument.getArgNumber() == 0);
}

bool canRepeatInProducer(Operation *op) {
  auto excludes = [](Operation *each) {
    bool isAllowed = (each->getNumRegions() == 0 || isa<scf::IfOp>(each)) &&
                     llvm::none_of(each->getResultTypes(), llvm::IsaPred<TensorType>);
    return isAllowed ? WalkResult::advance() : WalkResult::interrupt();
  };
  return isMemoryEffectFree(op) && !op->walk(excludes).wasInterrupted();
}

std::string obstacleToProducer(scf::ForOp loop, ArrayRef<Value> operands) {
  auto kernel = loop->getParentOfType<func::FuncOp>();
  if (loop->getParentOp() != kernel && !programsAround(loop))
    return "its loop stands neither in the kernel's body nor in its loop over programs";
  auto excludesProducer = [&](Operation *op) {
    if (isa<simt::ProducerOp>(op))
      return WalkResult::interrupt();
    bool isOfOtherLoop = simt::issuerOf(op) == simt::Issuer::Producer && isInLoop(op) && op->getParentOp() != loop;
    return isOfOtherLoop || isa<PrintOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  if (kernel.walk(excludesProducer).wasInterrupted())
    return "the kernel prints, or has a producer for another loop";
  if (!canBeginWithKernel(loop))
    return "an op before its loop has to run before the copies";
  if (!canRepeat(loop, operands))
    return "one of its operands, or a bound of its loop, follows not only from arguments, program ids and constants";
  int64_t warps = consumerWarps(loop);
  if (!simt::targetOf(loop).features.movesRegisters || warps % kProducerWarps != 0 || warps > kMostConsumerWarps)
    return "a producer needs warps that can move registers, and 4 or 8 other warps";
  return {};
}

std::string obstacleToTurns(scf::ForOp loop) {
  constexpr int64_t kGroups = 2;
  int64_t warps = consumerWarps(loop);
  SmallVector<simt::ProductOp> products(loop.getBody()->getOps<simt::ProductOp>());
  if (!llvm::all_of(products,
                    [&](simt::ProductOp product) { return warpsOf(product.getInstruction()) * kGroups == warps; }))
    return "not all products of its loop take half of the kernel's warps";
  // A delayed product starts right behind another one.
  llvm::erase_if(products, [](simt::ProductOp product) { return runsLater(product); });
  if (products.empty())
    return "no product of its loop starts in its own iteration";
  // Later passes insert barriers of all warps where elements move between threads (right after the op that defines a
  // tensor, or later, but not past the next wait) and where threads access shared memory. Neither may happen between
  // these products.
  for (Operation *op = products.front(); op != products.back(); op = op->getNextNode())
    if (!isa<simt::ProductOp, simt::WaitTilesOp>(op) &&
        (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>)))
      return "all warps may have to wait for each other between the products of an iteration";
  return {};
}

} // namespace tegula::tile
