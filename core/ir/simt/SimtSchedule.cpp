// The attribute #simt.schedule: when an op of a loop runs.
#include "core/ir/simt/SimtVerify.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::simt {

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t ahead, int64_t place) {
  if (ahead < 0 || ahead > kMostAhead)
    return emitError() << "expected an op to run 0 to " << kMostAhead << " iterations ahead, found " << ahead;
  if (place < -kMostPlace || place > kMostPlace)
    return emitError() << "expected a place from " << -kMostPlace << " to " << kMostPlace << ", found " << place;
  return success();
}

LogicalResult verifySchedule(Operation *op, Attribute value) {
  auto schedule = dyn_cast<ScheduleAttr>(value);
  if (!schedule || !isa<tile::LoadOp, CopyOp, WaitCopiesOp, SharedStoreOp>(op))
    return op->emitOpError() << "expected '" << kScheduleAttr
                             << "' as a #simt.schedule on a tile.load, simt.copy, simt.wait_copies or "
                                "simt.shared_store only, found "
                             << value;
  if (!isa_and_nonnull<scf::ForOp>(op->getParentOp()))
    return op->emitOpError() << "expected an op with '" << kScheduleAttr << "' directly in the body of an scf.for";
  if (!isa<tile::LoadOp, CopyOp>(op) && schedule.getAhead() != 0)
    return op->emitOpError() << "expected it to run in its own iteration, found " << schedule.getAhead()
                             << " iterations ahead";
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
