// Type inference and verification of the ops in TileDescriptorOps.td.
#include "core/ir/tile/TileVerify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// Verifies that there is one offset for each axis of the block.
LogicalResult verifyOffsets(Operation *op, DescType desc, ValueRange offsets) {
  if (offsets.size() != desc.getShape().size())
    return op->emitOpError() << "expected " << desc.getShape().size() << " offsets for " << desc << ", found "
                             << offsets.size();
  return success();
}

/// Verifies that the tensor has the block's shape, or that shape without some leading axes of extent 1.
LogicalResult verifyBlock(Operation *op, StringRef what, DescType desc, RankedTensorType tensor) {
  ArrayRef<int64_t> block = desc.getShape(), shape = tensor.getShape();
  bool fits = tensor.getElementType() == desc.getElementType() && shape.size() <= block.size() &&
              block.take_back(shape.size()) == shape &&
              llvm::all_of(block.drop_back(shape.size()), [](int64_t extent) { return extent == 1; });
  if (fits)
    return success();
  return op->emitOpError() << "expected " << what << " of type " << desc.getBlockType()
                           << " (leading unit axes may be dropped), found " << tensor;
}

/// The type of the tensor that desc_gather and desc_scatter move: one row for each index, with the block's columns.
FailureOr<RankedTensorType> rowsType(std::optional<Location> location, StringRef op, Type descType, Type rowsOperand) {
  auto desc = dyn_cast<DescType>(descType);
  if (!desc || desc.getShape().size() != 2 || desc.getShape()[0] != 1)
    return emitOptionalError(location, "'", op, "' op expected a descriptor with a block of 1xC, found ", descType);
  auto rows = dyn_cast<RankedTensorType>(rowsOperand);
  if (!rows || rows.getRank() != 1 || !rows.getElementType().isSignlessInteger(32))
    return emitOptionalError(location, "'", op, "' op expected rows to be a rank-1 tensor of i32, found ", rowsOperand);
  return RankedTensorType::get({rows.getDimSize(0), desc.getShape()[1]}, desc.getElementType());
}

} // namespace

LogicalResult MakeDescOp::verify() {
  DescType desc = getResult().getType();
  size_t rank = desc.getShape().size();
  if (failed(needType(*this, "a base", PtrType::get(desc.getElementType()), getBase().getType())))
    return failure();
  if (getShape().size() != rank || getStrides().size() != rank)
    return emitOpError() << "expected " << rank << " extents and strides for " << desc << ", found "
                         << getShape().size() << " and " << getStrides().size();
  if (getPadding() == Padding::NaN && !isFloatScalar(desc.getElementType()))
    return emitOpError() << "expected float elements with padding nan, found " << desc.getElementType();
  return success();
}

LogicalResult DescBaseOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto desc = dyn_cast<DescType>(adaptor.getDesc().getType());
  if (!desc)
    return emitOptionalError(location, "'tile.desc_base' op expected a descriptor, found ",
                             adaptor.getDesc().getType());
  types.push_back(PtrType::get(desc.getElementType()));
  return success();
}

static LogicalResult verifyDescAxis(Operation *op, DescType desc, uint32_t axis) {
  if (axis < desc.getShape().size())
    return success();
  return op->emitOpError() << "expected an axis below " << desc.getShape().size() << " of " << desc << ", found "
                           << axis;
}

LogicalResult DescExtentOp::verify() { return verifyDescAxis(*this, getDesc().getType(), getAxis()); }

LogicalResult DescStrideOp::verify() { return verifyDescAxis(*this, getDesc().getType(), getAxis()); }

void DescLoadOp::build(OpBuilder &builder, OperationState &state, Value desc, ValueRange offsets) {
  build(builder, state, cast<DescType>(desc.getType()).getBlockType(), desc, offsets);
}

LogicalResult DescLoadOp::verify() {
  if (failed(verifyOffsets(*this, getDesc().getType(), getOffsets())))
    return failure();
  return verifyBlock(*this, "a result", getDesc().getType(), getType());
}

LogicalResult DescStoreOp::verify() {
  if (failed(verifyOffsets(*this, getDesc().getType(), getOffsets())))
    return failure();
  return verifyBlock(*this, "a value", getDesc().getType(), getValue().getType());
}

LogicalResult DescGatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto type = rowsType(location, getOperationName(), adaptor.getDesc().getType(), adaptor.getRows().getType());
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult DescScatterOp::verify() {
  auto type = rowsType(getLoc(), getOperationName(), getDesc().getType(), getRows().getType());
  if (failed(type))
    return failure();
  return needType(*this, "a value", *type, getValue().getType());
}

LogicalResult DescAtomicOp::verify() {
  if (failed(verifyOffsets(*this, getDesc().getType(), getOffsets())) ||
      failed(verifyBlock(*this, "a value", getDesc().getType(), getValue().getType())))
    return failure();
  return verifyAtomicElement(*this, getKind(), getValue().getType().getElementType());
}

} // namespace tegula::tile
