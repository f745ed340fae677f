#include "core/passes/analysis/Uniform.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

bool isUniform(Value tensor) {
  if (!isa<RankedTensorType>(tensor.getType()))
    return false;
  DenseElementsAttr constant;
  return tensor.getDefiningOp<SplatOp>() || (matchPattern(tensor, m_Constant(&constant)) && constant.isSplat());
}

Value uniformScalar(OpBuilder &builder, Value tensor) {
  if (auto splat = tensor.getDefiningOp<SplatOp>())
    return splat.getSrc();
  DenseElementsAttr constant;
  if (!isa<RankedTensorType>(tensor.getType()) || !matchPattern(tensor, m_Constant(&constant)) || !constant.isSplat())
    return {};
  return arith::ConstantOp::create(builder, tensor.getLoc(), cast<TypedAttr>(constant.getSplatValue<Attribute>()));
}

Value cloneWith(OpBuilder &builder, Operation *op, ValueRange operands, Type type) {
  OperationState state(op->getLoc(), op->getName(), operands, type, op->getAttrs());
  return builder.create(state)->getResult(0);
}

bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) ||
         isa<AddPtrOp, PtrToIntOp, IntToPtrOp, PtrCastOp, FpCastOp, HintOp, MapElementwiseOp>(op);
}

bool isShapeChange(Operation *op) {
  auto reshape = dyn_cast_or_null<ReshapeOp>(op);
  return isa_and_nonnull<ExpandDimsOp, BroadcastOp, TransOp>(op) || (reshape && !reshape.getAllowReorder());
}

bool hasUniformBase(Value pointers) {
  while (Operation *op = pointers.getDefiningOp()) {
    if (isa<SplatOp>(op))
      return true;
    if (!isa<AddPtrOp>(op) && !isShapeChange(op))
      return false;
    pointers = op->getOperand(0);
  }
  return false;
}

static Value widened(OpBuilder &builder, Location location, Value value) {
  Type wide = withElement(value.getType(), builder.getI64Type());
  if (value.getType() == wide)
    return value;
  if (auto cast = value.getDefiningOp<BroadcastOp>()) // extend before the broadcast: its operand has fewer elements
    return cloneWith(builder, cast, widened(builder, location, cast.getSrc()), wide);
  return arith::ExtSIOp::create(builder, location, wide, value);
}

BaseAndOffsets takeApart(Value pointers, const AxisView &view) {
  Operation *op = pointers.getDefiningOp();
  if (auto splat = dyn_cast<SplatOp>(op))
    return {splat.getSrc(), {}};
  BaseAndOffsets parts = takeApart(op->getOperand(0), view);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location location = op->getLoc();
  auto add = dyn_cast<AddPtrOp>(op);
  if (!add) { // a shape change, not an addptr
    if (parts.offsets)
      parts.offsets = cloneWith(builder, op, parts.offsets,
                                withElement(pointers.getType(), getElementTypeOrSelf(parts.offsets.getType())));
    return parts;
  }
  Value offset = add.getOffset();
  if (Value scalar = uniformScalar(builder, offset)) {
    parts.base = AddPtrOp::create(builder, location, parts.base, scalar);
  } else if (!parts.offsets) {
    parts.offsets = offset;
  } else if (parts.offsets.getType() == offset.getType() && view.sumFits(parts.offsets, offset)) {
    parts.offsets = arith::AddIOp::create(builder, location, parts.offsets, offset, arith::IntegerOverflowFlags::nsw);
  } else {
    parts.offsets = arith::AddIOp::create(builder, location, widened(builder, location, parts.offsets),
                                          widened(builder, location, offset));
  }
  return parts;
}

Value putTogether(OpBuilder &builder, Location location, BaseAndOffsets parts, Type type) {
  Value bases = SplatOp::create(builder, location, type, parts.base);
  return parts.offsets ? AddPtrOp::create(builder, location, bases, parts.offsets).getResult() : bases;
}

} // namespace tegula::tile
