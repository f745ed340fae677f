// Type inference, verification and folding of the ops in TileMemoryOps.td.
#include "core/ir/tile/TileVerify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// The type that a load through `pointers` returns, or an error.
FailureOr<Type> needPointee(std::optional<Location> location, StringRef op, Type pointers) {
  if (isPtrScalar(getElementTypeOrSelf(pointers)))
    return pointeeLike(pointers);
  return emitOptionalError(location, "'", op, "' op expected !tile.ptr or a tensor of it, found ", pointers);
}

LogicalResult verifyMask(Operation *op, Type pointers, Value mask) {
  Type i1 = IntegerType::get(op->getContext(), 1);
  return mask ? needType(op, "a mask", withElement(pointers, i1), mask.getType()) : success();
}

LogicalResult verifySameShape(Operation *op, Type from, Type to) {
  if (shapeOf(from) != shapeOf(to) || isa<RankedTensorType>(from) != isa<RankedTensorType>(to))
    return op->emitOpError() << "expected a result with the shape of " << from << ", found " << to;
  return success();
}

enum class MaskState { Unknown, AllTrue, AllFalse };

MaskState stateOf(Value mask) {
  if (mask && matchPattern(mask, m_One()))
    return MaskState::AllTrue;
  if (mask && matchPattern(mask, m_Zero()))
    return MaskState::AllFalse;
  return MaskState::Unknown;
}

} // namespace

// --- pointers ---

LogicalResult AddPtrOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getPtr().getType());
  return success();
}

LogicalResult AddPtrOp::verify() {
  Type ptr = getPtr().getType(), offset = getOffset().getType();
  return needType(*this, "an offset", withElement(ptr, getElementTypeOrSelf(offset)), offset);
}

OpFoldResult AddPtrOp::fold(FoldAdaptor) { return matchPattern(getOffset(), m_Zero()) ? getPtr() : OpFoldResult(); }

LogicalResult PtrToIntOp::verify() {
  return needType(*this, "a result", withElement(getSrc().getType(), IntegerType::get(getContext(), 64)), getType());
}

LogicalResult IntToPtrOp::verify() {
  if (failed(verifySameShape(*this, getSrc().getType(), getType())))
    return failure();
  return needType(*this, "an address", withElement(getType(), IntegerType::get(getContext(), 64)), getSrc().getType());
}

LogicalResult PtrCastOp::verify() { return verifySameShape(*this, getSrc().getType(), getType()); }

OpFoldResult PtrCastOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<PtrCastOp>()) {
    setOperand(inner.getSrc());
    return getResult();
  }
  return {};
}

// --- load ---

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  FailureOr<Type> pointee = needPointee(location, getOperationName(), adaptor.getPtr().getType());
  if (failed(pointee))
    return failure();
  types.push_back(*pointee);
  return success();
}

LogicalResult LoadOp::verify() {
  Type ptr = getPtr().getType();
  if (failed(verifyMask(*this, ptr, getMask())))
    return failure();
  if (!getOther())
    return success();
  if (!getMask())
    return emitOpError("expected a mask with 'other', found none");
  return needType(*this, "'other'", pointeeLike(ptr), getOther().getType());
}

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  // A volatile load declares a write, so that it is neither merged with another load nor removed.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult LoadOp::canonicalize(LoadOp op, PatternRewriter &rewriter) {
  switch (stateOf(op.getMask())) {
  case MaskState::Unknown: return rewriter.notifyMatchFailure(op, "there is no constant mask");
  case MaskState::AllTrue:
    rewriter.modifyOpInPlace(op, [&] {
      op.getMaskMutable().clear();
      op.getOtherMutable().clear();
    });
    return success();
  case MaskState::AllFalse: break;
  }
  if (op.getOther()) {
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
  TypedAttr zero = rewriter.getZeroAttr(op.getType());
  if (!zero)
    return rewriter.notifyMatchFailure(op, "there are no pointer constants");
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
  return success();
}

LogicalResult LoadStridedOp::verify() {
  auto tensor = dyn_cast<RankedTensorType>(getType());
  if (!tensor || tensor.getRank() != 2 || tensor.getElementType() != getBase().getType().getPointee())
    return emitOpError() << "expected a matrix of " << getBase().getType().getPointee() << ", found " << getType();
  return success();
}

// --- store and atomics ---

LogicalResult StoreOp::verify() {
  Type ptr = getPtr().getType();
  if (failed(verifyMask(*this, ptr, getMask())))
    return failure();
  return needType(*this, "a value", pointeeLike(ptr), getValue().getType());
}

LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  switch (stateOf(op.getMask())) {
  case MaskState::Unknown: return rewriter.notifyMatchFailure(op, "there is no constant mask");
  case MaskState::AllTrue: rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); }); return success();
  case MaskState::AllFalse: rewriter.eraseOp(op); return success();
  }
  llvm_unreachable("all states are handled");
}

LogicalResult AtomicRmwOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  FailureOr<Type> pointee = needPointee(location, getOperationName(), adaptor.getPtr().getType());
  if (failed(pointee))
    return failure();
  types.push_back(*pointee);
  return success();
}

LogicalResult verifyAtomicElement(Operation *op, AtomicKind kind, Type element) {
  bool isFloatKind = llvm::is_contained({AtomicKind::FAdd, AtomicKind::FMin, AtomicKind::FMax}, kind);
  if (kind == AtomicKind::Exchange || (isFloatKind ? isFloatScalar(element) : isIntScalar(element)))
    return success();
  return op->emitOpError() << "expected " << (isFloatKind ? "float" : "integer") << " elements for '"
                           << stringifyAtomicKind(kind) << "', found " << element;
}

LogicalResult AtomicRmwOp::verify() {
  Type ptr = getPtr().getType();
  if (failed(verifyMask(*this, ptr, getMask())) ||
      failed(needType(*this, "a value", pointeeLike(ptr), getValue().getType())))
    return failure();
  return verifyAtomicElement(*this, getKind(), getElementTypeOrSelf(getValue().getType()));
}

LogicalResult AtomicCasOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  FailureOr<Type> pointee = needPointee(location, getOperationName(), adaptor.getPtr().getType());
  if (failed(pointee))
    return failure();
  types.push_back(*pointee);
  return success();
}

LogicalResult AtomicCasOp::verify() {
  Type pointee = pointeeLike(getPtr().getType());
  if (failed(needType(*this, "a compared value", pointee, getCompare().getType())))
    return failure();
  return needType(*this, "a value", pointee, getValue().getType());
}

} // namespace tegula::tile
