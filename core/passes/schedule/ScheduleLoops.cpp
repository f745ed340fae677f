// tile-schedule-loops (SchedulePasses.td): decides in which iteration the loads of a loop's products are issued.
#include "core/ir/simt/Target.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/StepPlaces.h"
#include "core/passes/schedule/LoopSchedule.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_SCHEDULELOOPS
#include "core/passes/Passes.h.inc"

namespace {

/// Schedules the loads of one innermost loop. `left_` and `leftEarly_` are the bytes of a thread's registers that are
/// still available for loads one iteration ahead, and for loads at the top of their own iteration.
class LoadScheduler {
public:
  LoadScheduler(scf::ForOp loop, int64_t threads, const TargetPolicies &policies)
      : loop_(loop), threads_(threads), left_(policies.aheadBytes), leftEarly_(policies.earlyBytes),
        isConditional_(policies.conditional) {}

  void run() {
    SmallVector<LoadOp> feeding = feedingLoads(loop_);
    llvm::erase_if(feeding, [](LoadOp load) { return bool(simt::scheduleOf(load)); }); // an index of a copy
    if (feeding.empty() && llvm::any_of(*loop_.getBody(), llvm::IsaPred<simt::CopyOp, simt::CopyTileOp>))
      return; // tile-pipeline-copies has taken all loads
    InFlightDiagnostic remark = explain(loop_.getLoc(), kPipelineTopic);
    std::string problem = feeding.empty()       ? "none of its loads reaches a product"
                          : stagesOf(loop_) < 2 ? "num_stages is 1"
                                                : LoopWrites(loop_).obstacle();
    if (!problem.empty()) {
      remark << "the loop's loads are not issued ahead: " << problem;
      return;
    }
    int64_t ahead = 0;
    for (LoadOp load : feeding)
      ahead += schedule(load, remark);
    remark << ahead << " of the loop's " << feeding.size() << " loads for products are issued one iteration ahead";
  }

private:
  /// Returns whether the load is issued one iteration ahead.
  bool schedule(LoadOp load, InFlightDiagnostic &remark) {
    Diagnostic &note = remark.attachNote(load.getLoc());
    SmallVector<ArgumentPair> apart;
    std::string obstacle = LoopSchedule(loop_).obstacleTo(load, 1, kLoadsPlace, isConditional_ ? &apart : nullptr);
    if (!obstacle.empty()) {
      note << "not issued ahead: " << obstacle;
      return false;
    }
    int64_t bytes = isa<RankedTensorType>(load.getType())
                        ? int64_t(llvm::divideCeil(bytesOfWhole(load.getType()), threads_))
                        : bytesOfWhole(load.getType());
    if (bytes <= left_) {
      note << "issued one iteration ahead, " << bytes << " bytes a thread"
           << ifApart(loop_->getParentOfType<func::FuncOp>(), apart);
      left_ -= bytes;
      place(load, 1, apart);
      return true;
    }
    note << "not issued ahead: it takes " << bytes << " bytes a thread of the " << left_ << " that are left";
    if (bytes <= leftEarly_) {
      note << "; issued as its own iteration begins";
      leftEarly_ -= bytes;
      place(load, 0, apart);
    }
    return false;
  }

  void place(LoadOp load, int64_t ahead, ArrayRef<ArgumentPair> apart) {
    simt::setSchedule(load, ahead, kLoadsPlace);
    if (!apart.empty())
      addApart(loop_->getParentOfType<func::FuncOp>(), apart);
  }

  scf::ForOp loop_;
  int64_t threads_, left_, leftEarly_;
  bool isConditional_; // the code may rely on conditions that the launch checks
};

struct ScheduleLoopsPass : impl::ScheduleLoopsBase<ScheduleLoopsPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    for (scf::ForOp loop : innermostLoops(getOperation())) {
      auto warps = loop->getParentWithTrait<OpTrait::SymbolTable>()->getAttrOfType<IntegerAttr>(kNumWarpsAttr);
      int64_t threads = (warps ? warps.getInt() : 4) * target.features.threadsPerWarp;
      LoadScheduler(loop, threads, target.policies).run();
    }
  }
};

} // namespace
} // namespace tegula::tile
