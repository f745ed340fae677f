// Prints barrier objects (mbarrier, 8 bytes of shared memory each), and clusters, whose programs arrive at each other's
// barrier objects.
#include "backends/cuda/codegen/NvptxPrinter.h"

using namespace mlir;

namespace tegula::cuda {

llvm::Value *NvptxPrinter::barrierObject(mlir::Value barriers, mlir::Value index) {
  return b.CreateGEP(b.getInt64Ty(), one(barriers), one(index));
}

bool NvptxPrinter::printClusters(Operation *op) {
  if (!isa<simt::ClusterRankOp, simt::ClusterBarrierOp>(op))
    return false;
  need(op, 90, "clusters");
  if (isa<simt::ClusterRankOp>(op)) {
    set(op->getResult(0), clusterRank());
    return true;
  }
  // The instructions have no .aligned, because the threads of a producer's warp may arrive one by one. The arrival is
  // .relaxed, because the default, .release, is a fence of all memory.
  InlinePtx(b).emit("barrier.cluster.arrive.relaxed; barrier.cluster.wait;", InlinePtx::Collective);
  return true;
}

bool NvptxPrinter::printBarrierObjects(Operation *op) {
  if (!isa<simt::BarrierInitOp, simt::BarrierArriveOp, simt::BarrierExpectOp, simt::BarrierWaitOp,
           simt::BarrierInvalidateOp>(op))
    return false;
  need(op, 80, "barrier objects");
  InlinePtx ptx(b);
  std::string place = ptx.input(barrierObject(op->getOperand(0), op->getOperand(1))), object = "[" + place + "]";
  if (auto init = dyn_cast<simt::BarrierInitOp>(op)) {
    ptx.emit("mbarrier.init.shared::cta.b64 " + object + ", " + std::to_string(init.getCount()) + ";",
             InlinePtx::Effect);
  } else if (isa<simt::BarrierInvalidateOp>(op)) {
    ptx.emit("mbarrier.inval.shared::cta.b64 " + object + ";", InlinePtx::Effect);
  } else if (auto arrive = dyn_cast<simt::BarrierArriveOp>(op); arrive && arrive.getRank()) {
    need(op, 90, "clusters");
    // The arrival has the PTX ISA's default scope, because `.release.cluster` is a fence of all memory
    // (docs/lab/2026-11-28-pointer-products.md). The thread's earlier reads are complete: it has waited for its
    // products and loads.
    ptx.emit("{ .reg .b32 there; mapa.shared::cluster.u32 there, " + place + ", " + ptx.input(one(arrive.getRank())) +
                 "; mbarrier.arrive.shared::cluster.b64 _, [there]; }",
             InlinePtx::Effect);
  } else if (arrive) {
    ptx.emit("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, " + object + "; }", InlinePtx::Effect);
  } else if (auto expect = dyn_cast<simt::BarrierExpectOp>(op)) {
    need(op, 90, "copies that arrive at barrier objects");
    ptx.emit("mbarrier.arrive.expect_tx.shared::cta.b64 _, " + object + ", " + std::to_string(expect.getBytes()) + ";",
             InlinePtx::Effect);
  } else {
    // try_wait suspends the thread in hardware for a limited time; test_wait, the form before sm_90, returns at once.
    const char *test = version_.number >= 90 ? "mbarrier.try_wait" : "mbarrier.test_wait";
    std::string phase = ptx.input(one(cast<simt::BarrierWaitOp>(op).getPhase()));
    ptx.emit("{ .reg .pred done; WAIT_${:uid}: " + std::string(test) + ".parity.shared::cta.b64 done, " + object +
                 ", " + phase + "; @done bra DONE_${:uid}; bra WAIT_${:uid}; DONE_${:uid}: }",
             InlinePtx::Effect);
  }
  return true;
}

} // namespace tegula::cuda
