// The attribute #simt.schedule: when an op of a loop runs.
#include "core/ir/simt/SimtVerify.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::simt {

// `<` `ahead` N (`,` `place` N)? (`,` issuer)? `>`
Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  int64_t ahead = 0, place = 0;
  Issuer issuer = Issuer::Own;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("ahead") || parser.parseInteger(ahead))
    return {};
  bool isFurther = succeeded(parser.parseOptionalComma());
  if (isFurther && succeeded(parser.parseOptionalKeyword("place"))) {
    if (parser.parseInteger(place))
      return {};
    isFurther = succeeded(parser.parseOptionalComma());
  }
  if (isFurther) {
    StringRef name;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return {};
    std::optional<Issuer> found = symbolizeIssuer(name);
    if (!found) {
      parser.emitError(at) << "expected 'place', 'producer' or 'turns', found '" << name << "'";
      return {};
    }
    issuer = *found;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ScheduleAttr>(start, parser.getContext(), ahead, place, issuer);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<ahead " << getAhead();
  if (getPlace() != 0)
    printer << ", place " << getPlace();
  if (getIssuer() != Issuer::Own)
    printer << ", " << stringifyIssuer(getIssuer());
  printer << ">";
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t ahead, int64_t place, Issuer) {
  if (ahead < -1 || ahead > kMostAhead)
    return emitError() << "expected an op to run -1 to " << kMostAhead << " iterations ahead, found " << ahead;
  if (place < -kMostPlace || place > kMostPlace)
    return emitError() << "expected a place from " << -kMostPlace << " to " << kMostPlace << ", found " << place;
  return success();
}

/// Checks who executes the op, and for the producer's copies where they stand.
static LogicalResult verifyIssuer(Operation *op, ScheduleAttr schedule) {
  Issuer issuer = schedule.getIssuer();
  if (issuer == Issuer::Producer && !isa<CopyTileOp>(op))
    return op->emitOpError("expected 'producer' on a simt.copy_tile only");
  if (issuer == Issuer::Turns && !isa<ProductOp>(op))
    return op->emitOpError("expected 'turns' on a simt.product only");
  Operation *parent = op->getParentOp();
  bool isInPrograms = parent && parent->hasAttr(kProgramsAttr);
  if (isa_and_nonnull<scf::ForOp>(parent) && !isInPrograms)
    return success();
  if (issuer != Issuer::Producer || (!isInPrograms && !isa_and_nonnull<func::FuncOp>(parent)))
    return op->emitOpError() << "expected an op with '" << kScheduleAttr
                             << "' directly in the body of an scf.for, or a producer's copy in the body of the kernel "
                                "or of its loop over programs";
  if (schedule.getAhead() != 0 || schedule.getPlace() != 0)
    return op->emitOpError() << "expected #simt.schedule<ahead 0, producer> outside of loops, found " << schedule;
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
  if (failed(verifyIssuer(op, schedule)))
    return failure();
  bool isLater = schedule.getAhead() == -1 && schedule.getPlace() == 0;
  bool isInTurn = schedule.getIssuer() == Issuer::Turns && schedule.getAhead() == 0 && schedule.getPlace() == 0;
  if (runsLater && !isLater && !isInTurn)
    return op->emitOpError() << "expected it to run in the next iteration, #simt.schedule<ahead -1>, found "
                             << schedule;
  bool mayBeLater = isLater && isa<WaitTilesOp>(op);
  if ((isInTime && schedule.getAhead() != 0 && !mayBeLater) || (runsAhead && schedule.getAhead() < 0))
    return op->emitOpError() << "expected it to run in its own iteration" << (runsAhead ? " or ahead" : "")
                             << ", found " << schedule.getAhead() << " iterations ahead";
  return success();
}

ScheduleAttr scheduleOf(Operation *op) { return op->getAttrOfType<ScheduleAttr>(kScheduleAttr); }

void setSchedule(Operation *op, int64_t ahead, int64_t place, Issuer issuer) {
  op->setAttr(kScheduleAttr, ScheduleAttr::get(op->getContext(), ahead, place, issuer));
}

Issuer issuerOf(Operation *op) {
  ScheduleAttr schedule = scheduleOf(op);
  return schedule ? schedule.getIssuer() : Issuer::Own;
}

bool isMadeAhead(Value value) {
  Operation *op = value.getDefiningOp();
  ScheduleAttr schedule = op ? scheduleOf(op) : ScheduleAttr();
  return schedule && schedule.getAhead() > 0;
}

} // namespace tegula::simt
