// Decides whether a producer, one thread of additional warps, starts the copies that PipelineCopies.cpp has selected
// (docs/matrix/producer.md).
#include "core/passes/Budget.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/CopyPipeline.h"
#include "core/passes/loops/ProducerRules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::tile {

namespace {

/// Whether the loop computes the value from a tile that threads load from global memory.
bool needsThreadsLoad(scf::ForOp loop, Value value) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i].getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      continue;
    if (auto load = dyn_cast<LoadOp>(op); load && cast<ShapedType>(load.getType()).getRank() > 1)
      return true;
    for (Value operand : op->getOperands())
      if (isTensor(operand))
        reached.insert(operand);
  }
  return false;
}

} // namespace

bool CopyPipeline::readsNoLaterLoads() {
  return llvm::none_of(loop_.getBody()->getOps<simt::SharedStoreOp>(), [&](simt::SharedStoreOp store) {
    bool isCandidate = llvm::any_of(candidates_, [&](Candidate &each) { return each.store == store; });
    return !isCandidate && needsThreadsLoad(loop_, store.getValue());
  });
}

bool CopyPipeline::areRingsReadInBody() {
  if (!loop_.getBody()->getOps<DotOp>().empty()) // a product on registers, whose operands are loaded later
    return false;
  return llvm::all_of(candidates_, [&](Candidate &each) {
    if (!each.store)
      return true;
    return llvm::all_of(each.buffer()->getUsers(), [&](Operation *user) {
      return isa<simt::ProductOp, simt::TransposeOp, simt::SharedLoadOp, simt::SharedStoreOp>(user) &&
             user->getBlock() == loop_.getBody();
    });
  });
}

bool CopyPipeline::addsNoSharedMemory() {
  // From the kernel's beginning on, the rings are alive beside every buffer that is allocated before the loop.
  for (Operation *before = loop_->getPrevNode(); before; before = before->getPrevNode()) {
    auto endsEarlier = [&](simt::SharedAllocOp buffer) {
      return isAliveIn(loop_, buffer) ? WalkResult::advance() : WalkResult::interrupt();
    };
    if (before->walk(endsEarlier).wasInterrupted())
      return false;
  }
  return true;
}

bool CopyPipeline::canHaveProducer() {
  if (hardwareCopies() == 0 || hardwareCopies() != int64_t(candidates_.size()))
    return false;
  SmallVector<Value> positions;
  for (Candidate &each : candidates_)
    llvm::append_range(positions, each.descLoad().getOffsets());
  return areRingsReadInBody() && readsNoLaterLoads() && addsNoSharedMemory() &&
         obstacleToProducer(loop_, positions).empty();
}

bool CopyPipeline::leavesRegisters() {
  // Measured: two programs of four warps on a multiprocessor are faster than one program with a producer, both with a
  // producer each and without one, when they have all registers (docs/lab/2026-11-28-attention-forward.md). So a kernel
  // of four warps gets a producer only if two programs with producers fit.
  TargetFeatures features = simt::targetOf(loop_).features;
  if (candidates_.empty() || threads_ != kProducerWarps * features.threadsPerWarp)
    return true;
  int64_t bytes = registerBytesOf(loop_, threads_);
  for (auto product : loop_.getBody()->getOps<simt::ProductOp>())
    if (isa<RankedTensorType>(product.getA().getType()))
      bytes += bytesOfWhole(product.getA().getType()) / threads_;
  return bytes / 4 + simt::kRegistersBesideLoop <=
         budget_.ofProducer(kProducerWarps, kProducerWarps, kProducerRegisters, features.threadsPerWarp, /*programs=*/2)
             .consumer;
}

} // namespace tegula::tile
