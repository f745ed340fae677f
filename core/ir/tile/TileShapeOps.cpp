// Type inference, verification and folding of the ops in TileShapeOps.td.
#include "core/ir/layout/LayoutRules.h"
#include "core/ir/tile/TileVerify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// A constant of type `type` with the value of a splat constant; null for any other attribute.
OpFoldResult resplat(Attribute constant, Type type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(constant);
  return splat ? SplatElementsAttr::get(cast<ShapedType>(type), splat.getSplatValue<Attribute>()) : OpFoldResult();
}

/// At the planned level: verifies that the registers of `from` in each thread hold all elements of `to` that this
/// thread has.
LogicalResult verifyLocal(Operation *op, RankedTensorType from, RankedTensorType to) {
  if (!layoutOf(from) && !layoutOf(to))
    return success();
  if (layoutOf(from) && layoutOf(to) &&
      layout_ir::localRegisters(layoutOf(from), from.getShape(), layoutOf(to), to.getShape()))
    return success();
  return op->emitOpError() << "expected a result whose elements are in the same threads as those of " << from
                           << ", found " << to;
}

/// Folds a change of shape of `tile.splat x` to a `tile.splat x` of the new shape.
LogicalResult splatThrough(Operation *op, PatternRewriter &rewriter) {
  auto splat = op->getOperand(0).getDefiningOp<SplatOp>();
  if (!splat)
    return rewriter.notifyMatchFailure(op, "the operand is no splat");
  rewriter.replaceOpWithNewOp<SplatOp>(op, op->getResult(0).getType(), splat.getSrc());
  return success();
}

} // namespace

LogicalResult MakeRangeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  int64_t start = int32_t(adaptor.getStart()), end = int32_t(adaptor.getEnd());
  if (end <= start || !llvm::isPowerOf2_64(end - start) || end - start > kMaxTensorElements)
    return emitOptionalError(location, "'tile.make_range' op expected end - start to be a power of two up to ",
                             kMaxTensorElements, ", found ", end, " - ", start, " = ", end - start);
  types.push_back(RankedTensorType::get({end - start}, IntegerType::get(context, 32)));
  return success();
}

bool MakeRangeOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return shapeOf(inferred[0]) == shapeOf(actual[0]) &&
         getElementTypeOrSelf(inferred[0]) == getElementTypeOrSelf(actual[0]);
}

// --- splat ---

void SplatOp::build(OpBuilder &builder, OperationState &state, ArrayRef<int64_t> shape, Value src) {
  build(builder, state, RankedTensorType::get(shape, src.getType()), src);
}

LogicalResult SplatOp::verify() {
  return needType(*this, "result elements", getSrc().getType(), getType().getElementType());
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getSrc()))
    return SplatElementsAttr::get(getType(), adaptor.getSrc());
  return {};
}

// --- expand_dims ---

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto src = needTensor(location, getOperationName(), "the operand", adaptor.getSrc().getType());
  if (failed(src) || failed(needAxis(location, getOperationName(), adaptor.getAxis(), src->getRank() + 1)))
    return failure();
  SmallVector<int64_t> shape(src->getShape());
  shape.insert(shape.begin() + adaptor.getAxis(), 1);
  types.push_back(RankedTensorType::get(shape, src->getElementType(),
                                        layout_ir::expandDimsOf(src->getEncoding(), adaptor.getAxis())));
  return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return resplat(adaptor.getSrc(), getType()); }

LogicalResult ExpandDimsOp::canonicalize(ExpandDimsOp op, PatternRewriter &rewriter) {
  return splatThrough(op, rewriter);
}

// --- broadcast ---

void BroadcastOp::build(OpBuilder &builder, OperationState &state, ArrayRef<int64_t> shape, Value src) {
  build(builder, state, RankedTensorType::get(shape, getElementTypeOrSelf(src.getType())), src);
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getType();
  if (failed(needType(*this, "result elements", from.getElementType(), to.getElementType())))
    return failure();
  if (from.getRank() != to.getRank())
    return emitOpError() << "expected a result of rank " << from.getRank() << ", found " << to;
  for (auto [axis, extents] : llvm::enumerate(llvm::zip_equal(from.getShape(), to.getShape()))) {
    auto [source, result] = extents;
    if (source != 1 && source != result)
      return emitOpError() << "expected extent " << source << " at axis " << axis << " of the result, found " << result;
  }
  if (auto fragments = dyn_cast_or_null<layout_ir::FragmentsAttr>(to.getEncoding())) {
    auto line = dyn_cast_or_null<layout_ir::FragmentsAttr>(from.getEncoding());
    if (line && line != fragments && line.as(fragments.getKind()) == fragments)
      return success();
    if (layoutOf(from) && (from.getShape().back() == 1) != (from.getDimSize(from.getRank() - 2) == 1))
      return success();
    return emitOpError() << "expected a row or a column, distributed over threads or in fragments, for a result in "
                            "fragments, found "
                         << from;
  }
  return verifyLocal(*this, from, to);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return resplat(adaptor.getSrc(), getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op, PatternRewriter &rewriter) {
  if (auto inner = op.getSrc().getDefiningOp<BroadcastOp>()) {
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSrc());
    return success();
  }
  return splatThrough(op, rewriter);
}

// --- reshape ---

void ReshapeOp::build(OpBuilder &builder, OperationState &state, ArrayRef<int64_t> shape, Value src,
                      bool allowReorder) {
  build(builder, state, RankedTensorType::get(shape, getElementTypeOrSelf(src.getType())), src, allowReorder);
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getSrc().getType(), to = getType();
  if (failed(needType(*this, "result elements", from.getElementType(), to.getElementType())))
    return failure();
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "expected a result of " << from.getNumElements() << " elements, found "
                         << to.getNumElements();
  if (!layoutOf(from) || getAllowReorder())
    return success();
  auto kept = RankedTensorType::get(to.getShape(), from.getElementType(),
                                    layout_ir::reshape(layoutOf(from), from.getShape(), to.getShape()));
  return verifyLocal(*this, kept, to);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType() && !getAllowReorder())
    return getSrc();
  if (auto constant = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSrc()))
    return constant.reshape(getType());
  return {};
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  if (auto inner = op.getSrc().getDefiningOp<ReshapeOp>()) {
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSrc(),
                                           op.getAllowReorder() || inner.getAllowReorder());
    return success();
  }
  return splatThrough(op, rewriter);
}

// --- trans ---

LogicalResult TransOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto src = needTensor(location, getOperationName(), "the operand", adaptor.getSrc().getType());
  if (failed(src))
    return failure();
  ArrayRef<int32_t> order = adaptor.getOrder();
  if (int64_t(order.size()) != src->getRank())
    return emitOptionalError(location, "'tile.trans' op expected an order of ", src->getRank(), " axes, found ",
                             order.size());
  llvm::SmallBitVector seen(order.size());
  SmallVector<int64_t> shape;
  for (int32_t axis : order) {
    if (axis < 0 || axis >= src->getRank() || seen.test(axis))
      return emitOptionalError(location, "'tile.trans' op expected order to be a permutation of the axes 0 to ",
                               src->getRank() - 1, ", found axis ", axis,
                               seen.size() && axis >= 0 && axis < src->getRank() ? " twice" : "");
    seen.set(axis);
    shape.push_back(src->getDimSize(axis));
  }
  types.push_back(RankedTensorType::get(shape, src->getElementType(), layout_ir::transpose(layoutOf(*src), order)));
  return success();
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int32_t> order = getOrder();
  if (llvm::equal(order, llvm::seq<int32_t>(0, order.size())))
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<TransOp>()) {
    SmallVector<int32_t> composed;
    for (int32_t axis : order)
      composed.push_back(inner.getOrder()[axis]);
    setOrder(composed);
    setOperand(inner.getSrc());
    return getResult();
  }
  return resplat(adaptor.getSrc(), getType());
}

LogicalResult TransOp::canonicalize(TransOp op, PatternRewriter &rewriter) { return splatThrough(op, rewriter); }

// --- join, split, cat ---

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Type lhs = adaptor.getLhs().getType(), rhs = adaptor.getRhs().getType();
  if (lhs != rhs)
    return emitOptionalError(location, "'tile.join' op expected operands of one type, found ", lhs, " and ", rhs);
  SmallVector<int64_t> shape(shapeOf(lhs));
  shape.push_back(2);
  types.push_back(RankedTensorType::get(shape, getElementTypeOrSelf(lhs), layout_ir::join(layoutOf(lhs))));
  return success();
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto src = needTensor(location, getOperationName(), "the operand", adaptor.getSrc().getType());
  if (failed(src))
    return failure();
  if (src->getRank() == 0 || src->getShape().back() != 2)
    return emitOptionalError(location, "'tile.split' op expected a last axis of extent 2, found ", *src);
  layout_ir::DistributedAttr layout = layoutOf(*src);
  if (layout && !layout_ir::splitBit(layout))
    return emitOptionalError(location,
                             "'tile.split' op expected one register bit to select along the last axis, found ", *src);
  types.assign(2, tensorOrScalar(src->getShape().drop_back(), src->getElementType(), layout_ir::split(layout)));
  return success();
}

LogicalResult SplitOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSrc().getDefiningOp<JoinOp>();
  if (!join)
    return failure();
  results.assign({join.getLhs(), join.getRhs()});
  return success();
}

LogicalResult CatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto lhs = needTensor(location, getOperationName(), "the first operand", adaptor.getLhs().getType());
  if (failed(lhs))
    return failure();
  if (*lhs != adaptor.getRhs().getType())
    return emitOptionalError(location, "'tile.cat' op expected operands of one type, found ", *lhs, " and ",
                             adaptor.getRhs().getType());
  if (lhs->getRank() != 1)
    return emitOptionalError(location, "'tile.cat' op expected operands of rank 1, found rank ", lhs->getRank());
  int64_t extent = lhs->getDimSize(0);
  types.push_back(RankedTensorType::get({extent * 2}, lhs->getElementType(), layout_ir::cat(layoutOf(*lhs), extent)));
  return success();
}

} // namespace tegula::tile
