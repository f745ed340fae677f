// Verifiers of accesses to global and shared memory.
#include "core/ir/simt/SimtVerify.h"
#include "core/ir/tile/TileVerify.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::simt {
namespace {

LogicalResult needPointee(Operation *op, tile::PtrType base, Type value) {
  return needElement(op, "a value with elements", base.getPointee(), value);
}

LogicalResult verifyShared(Operation *op, SharedType buffer, Type offset, Type value) {
  if (buffer.hasStages())
    return op->emitOpError() << "expected one stage of shared memory, found " << buffer << "; take one with simt.stage";
  if (failed(needElement(op, "a value with elements", buffer.getElementType(), value)))
    return failure();
  if (isPlanned(value)) {
    if (offset)
      return op->emitOpError("expected no offsets for a tensor: the layouts say them");
    return success();
  }
  if (!offset)
    return op->emitOpError() << "expected offsets for a value of one thread, " << value;
  return verifyAccess(op, offset, value);
}

LogicalResult verifyMatrix(Operation *op, SharedType buffer, Type value) {
  if (buffer.hasStages())
    return op->emitOpError() << "expected one stage of shared memory, found " << buffer << "; take one with simt.stage";
  unsigned bits = buffer.getElementType().getIntOrFloatBitWidth();
  if (bits != 8 && bits != 16)
    return op->emitOpError() << "expected elements of 8 or 16 bits, found " << buffer.getElementType();
  if (int64_t perWord = 32 / bits; !llvm::is_contained({perWord, 2 * perWord, 4 * perWord}, elementsOf(value)))
    return op->emitOpError() << "expected " << perWord << ", " << 2 * perWord << " or " << 4 * perWord
                             << " elements a lane (1, 2 or 4 matrices), found " << value;
  return needElement(op, "a value with elements", buffer.getElementType(), value);
}

} // namespace

LogicalResult LoadOp::verify() {
  if (failed(needPointee(*this, getBase().getType(), getType())))
    return failure();
  if (getOther() && getOther().getType() != getType())
    return emitOpError() << "expected 'other' of the result's type " << getType() << ", found " << getOther().getType();
  if (getOther() && !getMask())
    return emitOpError("expected a mask beside 'other'");
  return verifyAccess(*this, getOffset().getType(), getType(), getMask() ? getMask().getType() : Type());
}

LogicalResult StoreOp::verify() {
  if (failed(needPointee(*this, getBase().getType(), getValue().getType())))
    return failure();
  return verifyAccess(*this, getOffset().getType(), getValue().getType(), getMask() ? getMask().getType() : Type());
}

LogicalResult AtomicRmwOp::verify() {
  if (failed(needPointee(*this, getBase().getType(), getType())) ||
      failed(tile::verifyAtomicElement(*this, getKind(), getBase().getType().getPointee())))
    return failure();
  return verifyAccess(*this, getOffset().getType(), getType(), getMask() ? getMask().getType() : Type());
}

LogicalResult AtomicCasOp::verify() {
  if (failed(needPointee(*this, getBase().getType(), getType())))
    return failure();
  FailureOr<int64_t> width = verifyAccess(*this, getOffset().getType(), getType());
  if (succeeded(width) && *width != 1)
    return emitOpError() << "expected one value an offset, found " << *width;
  return width;
}

LogicalResult SharedAllocOp::verify() {
  if (getOffset() && *getOffset() % 16 != 0)
    return emitOpError() << "expected a place that is a multiple of 16 bytes, found " << *getOffset();
  return success();
}

LogicalResult StageOp::verify() {
  SharedType source = getSrc().getType();
  if (!source.hasStages())
    return emitOpError() << "expected a buffer with stages, found " << source;
  if (getType() != source.getStageType())
    return emitOpError() << "expected a result of type " << source.getStageType() << ", found " << getType();
  return success();
}

LogicalResult SharedLoadOp::verify() {
  SharedType view = getSrc().getType();
  auto tensor = dyn_cast<RankedTensorType>(getType());
  if (failed(verifyShared(*this, view, getOffset() ? getOffset().getType() : Type(), getType())))
    return failure();
  if (!tensor)
    return success();
  // The fragments may be larger than the matrix that they hold.
  bool isOfView = tensor.getEncoding()
                      ? tensor.getShape() == view.getTileShape()
                      : tensor.getRank() == int64_t(view.getTileShape().size()) &&
                            llvm::all_of(llvm::zip_equal(tensor.getShape(), view.getTileShape()),
                                         [](auto extents) { return std::get<0>(extents) <= std::get<1>(extents); });
  if (!isOfView)
    return emitOpError() << "expected a tensor of the view's shape " << view << ", found " << tensor;
  return success();
}

LogicalResult SharedStoreOp::verify() {
  SharedType view = getDst().getType();
  auto tensor = dyn_cast<RankedTensorType>(getValue().getType());
  if (failed(verifyShared(*this, view, getOffset() ? getOffset().getType() : Type(), getValue().getType())))
    return failure();
  if (!tensor)
    return getPart()   ? emitOpError("expected no part of a value of one thread")
           : getTf32() ? emitOpError("expected no 'tf32' with a value of one thread")
                       : success();
  if (getTf32() && !view.getElementType().isF32())
    return emitOpError() << "expected f32 elements to round to tf32, found " << view;
  ArrayRef<int64_t> extents = view.getTileShape();
  if (tensor.getRank() != int64_t(extents.size()))
    return emitOpError() << "expected a tensor of the view's rank " << view << ", found " << tensor;
  int64_t parts = 1;
  for (auto [extent, ofView] : llvm::zip_equal(tensor.getShape(), extents))
    if (extent > ofView) {
      if (parts != 1 || extent % ofView != 0)
        return emitOpError() << "expected a tensor that is larger than the view " << view
                             << " along one axis at most, by a whole number of parts, found " << tensor;
      parts = extent / ofView;
    }
  if (bool(getPart()) != (parts > 1) || (getPart() && (*getPart() < 0 || *getPart() >= parts)))
    return emitOpError() << "expected " << (parts > 1 ? "one of " + std::to_string(parts) + " parts" : "no part")
                         << " of " << tensor << " for the view " << view;
  return success();
}

LogicalResult LoadMatrixOp::verify() { return verifyMatrix(*this, getSrc().getType(), getType()); }

LogicalResult StoreMatrixOp::verify() { return verifyMatrix(*this, getDst().getType(), getValue().getType()); }

} // namespace tegula::simt
