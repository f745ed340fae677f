// Verifiers of thread-level ops: register tiles and shuffles.
#include "core/ir/layout/LayoutRules.h"
#include "core/ir/simt/SimtVerify.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::simt {
namespace {

LogicalResult needSameElement(Operation *op, Type source, Type result) {
  if (getElementTypeOrSelf(source) == getElementTypeOrSelf(result))
    return success();
  return op->emitOpError() << "expected a result with elements of type " << getElementTypeOrSelf(source) << ", found "
                           << result;
}

LogicalResult verifyKeep(Operation *op, uint32_t keep, Type whole, Type kept, StringRef what) {
  int64_t count = elementsOf(whole), expected = int64_t(1) << llvm::popcount(keep);
  if (!llvm::isPowerOf2_64(count))
    return op->emitOpError() << "expected a power of two of registers, found " << whole;
  if (keep >= count)
    return op->emitOpError() << "expected 'keep' below the " << count << " registers, found " << keep;
  if (elementsOf(kept) != expected)
    return op->emitOpError() << "expected a " << what << " of " << expected << " registers for keep " << keep
                             << ", found " << kept;
  return needSameElement(op, whole, kept);
}

bool isFloatKind(CombineKind kind) { return kind <= CombineKind::MinimumF; }

} // namespace

LogicalResult SplatOp::verify() { return needElement(*this, "a result with elements", getSrc().getType(), getType()); }

LogicalResult PickOp::verify() {
  int64_t count = elementsOf(getSrc().getType());
  for (int32_t number : getRegisters())
    if (number < 0 || number >= count)
      return emitOpError() << "expected register numbers below " << count << ", found " << number;
  if (!tile::isNumberScalar(getType()) && !isRegisterTile(getType()))
    return emitOpError() << "expected a number or a vector as result, found " << getType();
  if (elementsOf(getType()) != static_cast<int64_t>(getRegisters().size()))
    return emitOpError() << "expected a result of " << getRegisters().size() << " elements, found " << getType();
  return needSameElement(*this, getSrc().getType(), getType());
}

LogicalResult SliceOp::verify() {
  int64_t end = int64_t(getStart()) + elementsOf(getType()), count = elementsOf(getSrc().getType());
  if (end > count)
    return emitOpError() << "expected a slice within the " << count << " registers, found it to end at " << end;
  return needSameElement(*this, getSrc().getType(), getType());
}

LogicalResult ConcatOp::verify() {
  int64_t sum = 0;
  for (Value part : getParts()) {
    if (!tile::isNumberScalar(part.getType()) && !isa<VectorType>(part.getType()))
      return emitOpError() << "expected numbers and vectors as parts, found " << part.getType();
    if (failed(needSameElement(*this, part.getType(), getType())))
      return failure();
    sum += elementsOf(part.getType());
  }
  if (sum != elementsOf(getType()))
    return emitOpError() << "expected a result of " << sum << " elements, as the parts have together, found "
                         << getType();
  return success();
}

LogicalResult verifyKind(Operation *op, CombineKind kind, Type element) {
  if (isFloatKind(kind) ? isa<FloatType>(element) && !tile::isFp8Scalar(element) : !isa<FloatType>(element))
    return success();
  return op->emitOpError() << "expected " << (isFloatKind(kind) ? "floats of at least 16 bits" : "integers") << " for '"
                           << stringifyCombineKind(kind) << "', found " << element;
}

LogicalResult ReduceRegistersOp::verify() {
  if (failed(verifyKind(*this, getKind(), getElementTypeOrSelf(getSrc().getType()))))
    return failure();
  return verifyKeep(*this, getKeep(), getSrc().getType(), getType(), "result");
}

LogicalResult SpreadRegistersOp::verify() {
  return verifyKeep(*this, getKeep(), getType(), getSrc().getType(), "source");
}

LogicalResult ConvertLayoutOp::verify() {
  auto from = cast<RankedTensorType>(getSrc().getType()), to = cast<RankedTensorType>(getType());
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType())
    return emitOpError() << "expected a result of the same shape and elements as " << from << ", found " << to;
  return success();
}

LogicalResult JoinPartsOp::verify() {
  auto whole = cast<RankedTensorType>(getType());
  if (getParts().empty())
    return emitOpError("expected at least one part, found none");
  auto part = cast<RankedTensorType>(getParts().front().getType());
  for (Type other : getParts().getTypes())
    if (other != part)
      return emitOpError() << "expected parts of one type, found " << part << " and " << other;
  SmallVector<int64_t> shape(part.getShape());
  shape.back() *= int64_t(getParts().size());
  if (whole.getShape() != ArrayRef(shape) || whole.getElementType() != part.getElementType())
    return emitOpError() << "expected a result of " << getParts().size() << " parts " << part
                         << " along the last axis, found " << whole;
  auto layout = dyn_cast_or_null<layout_ir::DistributedAttr>(whole.getEncoding());
  if (layout && part.getEncoding() != layout_ir::part(layout, part.getShape().back()))
    return emitOpError() << "expected parts with the layout of a part of " << whole << ", found " << part;
  return success();
}

/// Verifies element numbers: their count against `value`, whose elements they number, and their range against the
/// tensor's shape.
static LogicalResult verifyElements(Operation *op, Value elements, Value value, std::optional<ArrayRef<int64_t>> shape,
                                    StringRef what) {
  if (!elements && shape)
    return op->emitOpError() << "expected 'elements' beside 'shape', found none";
  if (!elements)
    return success();
  if (!shape)
    return op->emitOpError() << "expected 'shape' beside 'elements', found none";
  if (!value)
    return op->emitOpError() << "expected a " << what << " beside 'elements', found none";
  if (!getElementTypeOrSelf(elements.getType()).isInteger(32) ||
      elementsOf(elements.getType()) != elementsOf(value.getType()))
    return op->emitOpError() << "expected " << elementsOf(value.getType())
                             << " element numbers of type i32, one for each "
                             << "of the " << what << "'s, found " << elements.getType();
  return success();
}

LogicalResult PrintOp::verify() {
  Value value = getValue();
  if (value && isPlanned(value.getType()))
    return emitOpError() << "expected a value of one thread, found " << value.getType();
  if (value && !getElements() && isa<VectorType>(value.getType()))
    return emitOpError() << "expected 'elements' for a value of several, found none";
  if (getIsAddress() && (!value || !getElementTypeOrSelf(value.getType()).isInteger(64)))
    return emitOpError() << "expected a value of type i64 for 'address', found "
                         << (value ? value.getType() : NoneType::get(getContext()));
  return verifyElements(*this, getElements(), value, getShape(), "value");
}

LogicalResult AssertOp::verify() {
  if (getLimit() && !getCondition().getType().isInteger(1))
    return emitOpError() << "expected a limit to be tested by one i1, found " << getCondition().getType();
  return verifyElements(*this, getElements(), getCondition(), getShape(), "condition");
}

LogicalResult ShuffleOp::verify() {
  if (isPlanned(getType()))
    return emitOpError() << "expected a value of one thread, found " << getType();
  return success();
}

} // namespace tegula::simt
