// tile-fit-schedules (SchedulePasses.td): fits schedules to what later passes, such as the choice of layouts, have made
// of their loops.
#include "core/ir/layout/LayoutRules.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/StepPlaces.h"
#include "core/passes/loops/ProducerRules.h"
#include "core/passes/schedule/LoopSchedule.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_FITSCHEDULES
#include "core/passes/Passes.h.inc"

namespace {

/// The most bytes of a thread that the result of an early conversion may occupy: it lives in registers for most of a
/// step. Statistics of rows and scales of groups have fewer.
constexpr int64_t kEarlyBytes = 64;

/// Whether the tensor's elements are in registers, and occupy few bytes of a thread's.
bool isSmall(RankedTensorType type) {
  auto layout = dyn_cast<layout_ir::DistributedAttr>(type.getEncoding());
  return layout && layout_ir::registersOf(layout) * simt::elementBytes(type.getElementType()) <= kEarlyBytes;
}

struct FitSchedulesPass : impl::FitSchedulesBase<FitSchedulesPass> {
  void runOnOperation() override {
    llvm::SetVector<Operation *> loops;
    getOperation()->walk([&](Operation *op) {
      if (simt::scheduleOf(op) && isa<scf::ForOp>(op->getParentOp()))
        loops.insert(op->getParentOp());
    });
    for (Operation *loop : loops) {
      dropTurns(cast<scf::ForOp>(loop));
      fit(cast<scf::ForOp>(loop));
      convertEarly(cast<scf::ForOp>(loop));
    }
  }

private:
  /// Lets the conversions of small values that are loaded ahead run at the beginning of a step. Such a value is there
  /// before the step waits for its copies and products. The waits then hide the latency of the exchange between
  /// threads; behind the last wait nothing would.
  void convertEarly(scf::ForOp loop) {
    LoopSchedule schedule(loop);
    for (auto convert : loop.getBody()->getOps<simt::ConvertLayoutOp>()) {
      auto load = convert.getSrc().getDefiningOp<LoadOp>();
      if (load && simt::isMadeAhead(load) && isSmall(cast<RankedTensorType>(convert.getType())) &&
          schedule.obstacleTo(convert, /*ahead=*/0, kLoadsPlace).empty())
        simt::setSchedule(convert, /*ahead=*/0, kLoadsPlace);
    }
  }

  /// Lets groups of warps issue their products without turns, if layouts have brought exchanges between the products.
  void dropTurns(scf::ForOp loop) {
    bool areInTurns = llvm::any_of(loop.getBody()->getOps<simt::ProductOp>(), [](simt::ProductOp product) {
      return simt::issuerOf(product) == simt::Issuer::Turns;
    });
    if (!areInTurns || obstacleToTurns(loop).empty())
      return;
    for (auto product : loop.getBody()->getOps<simt::ProductOp>())
      if (simt::issuerOf(product) != simt::Issuer::Turns)
        continue;
      else if (int64_t ahead = simt::scheduleOf(product).getAhead(); ahead < 0)
        simt::setSchedule(product, ahead, /*place=*/0);
      else
        product->removeAttr(simt::kScheduleAttr);
  }

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
