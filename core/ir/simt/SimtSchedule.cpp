// The attribute #simt.schedule: when an op of a loop runs.
#include "core/ir/simt/SimtVerify.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::simt {

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t ahead, int64_t place) {
  if (ahead < -1 || ahead > kMostAhead)
    return emitError() << "expected an op to run -1 to " << kMostAhead << " iterations ahead, found " << ahead;
  if (place < -kMostPlace || place > kMostPlace)
    return emitError() << "expected a place from " << -kMostPlace << " to " << kMostPlace << ", found " << place;
  return success();
}

LogicalResult verifySchedule(Operation *op, Attribute value) {
  auto schedule = dyn_cast<ScheduleAttr>(value);
  bool runsAhead = isa<tile::LoadOp, CopyOp, CopyTileOp>(op), runsLater = isa<ProductOp, WaitProductsOp>(op);
  bool isInTime = isa<WaitCopiesOp, WaitTilesOp, FenceOp, SharedStoreOp, ConvertLayoutOp>(op);
  if (!schedule || (!runsAhead && !runsLater && !isInTime))
    return op->emitOpError() << "expected '" << kScheduleAttr
                             << "' as a #simt.schedule on a load, an asynchronous copy or product, a wait for one, a "
                                "fence, a simt.shared_store or a simt.convert_layout only, found "
                             << value;
  if (!isa_and_nonnull<scf::ForOp>(op->getParentOp()))
    return op->emitOpError() << "expected an op with '" << kScheduleAttr << "' directly in the body of an scf.for";
  if (runsLater && (schedule.getAhead() != -1 || schedule.getPlace() != 0))
    return op->emitOpError() << "expected it to run in the next iteration, #simt.schedule<ahead -1>, found "
                             << schedule;
  if ((isInTime && schedule.getAhead() != 0) || (runsAhead && schedule.getAhead() < 0))
    return op->emitOpError() << "expected it to run in its own iteration" << (runsAhead ? " or ahead" : "")
                             << ", found " << schedule.getAhead() << " iterations ahead";
  return success();
}

ScheduleAttr scheduleOf(Operation *op) { return op->getAttrOfType<ScheduleAttr>(kScheduleAttr); }

void setSchedule(Operation *op, int64_t ahead, int64_t place) {
  op->setAttr(kScheduleAttr, ScheduleAttr::get(op->getContext(), ahead, place));
}

bool isMadeAhead(Value value) {
  Operation *op = value.getDefiningOp();
  ScheduleAttr schedule = op ? scheduleOf(op) : ScheduleAttr();
  return schedule && schedule.getAhead() > 0;
}

} // namespace tegula::simt
