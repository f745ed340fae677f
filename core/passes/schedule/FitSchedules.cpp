// tile-fit-schedules (SchedulePasses.td): removes schedules that were legal when they were decided, and that later
// passes, such as the choice of layouts, have made illegal.
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/schedule/LoopSchedule.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_FITSCHEDULES
#include "core/passes/Passes.h.inc"

namespace {

struct FitSchedulesPass : impl::FitSchedulesBase<FitSchedulesPass> {
  void runOnOperation() override {
    llvm::SetVector<Operation *> loops;
    getOperation()->walk([&](Operation *op) {
      if (simt::scheduleOf(op))
        loops.insert(op->getParentOp());
    });
    for (Operation *loop : loops)
      fit(cast<scf::ForOp>(loop));
  }

private:
  void fit(scf::ForOp loop) {
    LoopSchedule schedule(loop);
    // Without a schedule, copies by hardware would have one phase in all iterations. What their schedules need is not
    // changed by layouts.
    if (llvm::any_of(schedule.ops(), [](const ScheduledOp &each) { return isa<simt::CopyTileOp>(each.op); }))
      return;
    for (const ScheduledOp &each : schedule.ops()) {
      std::string obstacle = schedule.obstacleTo(each.op, each.ahead, each.time.place);
      if (obstacle.empty())
        continue;
      InFlightDiagnostic remark = explain(loop.getLoc(), kPipelineTopic);
      remark << "the loop's schedule is given up: each iteration waits for its own loads and copies";
      remark.attachNote(each.op->getLoc()) << obstacle;
      for (const ScheduledOp &scheduled : schedule.ops())
        scheduled.op->removeAttr(simt::kScheduleAttr);
      return;
    }
  }
};

} // namespace
} // namespace tegula::tile
