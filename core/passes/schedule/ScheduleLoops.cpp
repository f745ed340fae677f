// tile-schedule-loops (SchedulePasses.td): decides in which iteration the loads of a loop's products are issued.
#include "core/ir/simt/Target.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/StepPlaces.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/schedule/LoopSchedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_SCHEDULELOOPS
#include "core/passes/Passes.h.inc"

namespace {

/// Schedules the loads of one innermost loop. `left_` and `leftEarly_` are the bytes of a thread's registers that are
/// still available for loads one iteration ahead, and for loads at the top of their own iteration.
class LoadScheduler {
public:
  LoadScheduler(scf::ForOp loop, AxisAnalysis &axes, int64_t threads, const TargetPolicies &policies)
      : loop_(loop), axes_(axes), threads_(threads), left_(policies.aheadBytes), leftEarly_(policies.earlyBytes),
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
    int64_t bytes = registerBytesOf(load);
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

  /// The bytes of a thread's registers that the loaded elements take until they are used. What one access loads has
  /// registers of its own: an access to a single element of 16 bits takes 32.
  int64_t registerBytesOf(LoadOp load) {
    constexpr int64_t kRegisterBytes = 4;
    int64_t bytes = bytesOfWhole(load.getType());
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type)
      return bytes;
    int64_t width = 1;
    for (unsigned axis = 0; axis < type.getRank(); ++axis)
      width =
          std::max({width, axes_.accessWidth(load.getPtr(), load.getMask(), axis), axes_.loadConstancy(load, axis)});
    int64_t accesses = llvm::divideCeil(type.getNumElements() / std::min(width, type.getNumElements()), threads_);
    return std::max<int64_t>(llvm::divideCeil(bytes, threads_), accesses * kRegisterBytes);
  }

  void place(LoadOp load, int64_t ahead, ArrayRef<ArgumentPair> apart) {
    simt::setSchedule(load, ahead, kLoadsPlace);
    if (!apart.empty())
      addApart(loop_->getParentOfType<func::FuncOp>(), apart);
  }

  scf::ForOp loop_;
  AxisAnalysis &axes_;
  int64_t threads_, left_, leftEarly_;
  bool isConditional_; // the code may rely on conditions that the launch checks
};

struct ScheduleLoopsPass : impl::ScheduleLoopsBase<ScheduleLoopsPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    auto warps = getOperation()->getAttrOfType<IntegerAttr>(kNumWarpsAttr);
    int64_t threads = (warps ? warps.getInt() : 4) * target.features.threadsPerWarp;
    getOperation()->walk([&](func::FuncOp function) {
      SmallVector<scf::ForOp> loops = innermostLoops(function);
      if (loops.empty())
        return;
      AxisAnalysis axes(function);
      for (scf::ForOp loop : loops)
        LoadScheduler(loop, axes, threads, target.policies).run();
    });
  }
};

} // namespace
} // namespace tegula::tile
