// Type inference, verification and folding of the ops in TileComputeOps.td that have no region.
#include "core/ir/Numbers.h"
#include "core/ir/tile/TileVerify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {

// --- dot ---

LogicalResult DotOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getC().getType());
  return success();
}

static LogicalResult verifyDotElements(DotOp op, Type a, Type b, Type c) {
  if (a != b && !(isFp8Scalar(a) && isFp8Scalar(b)))
    return op.emitOpError() << "expected elements of b to be " << a << " as those of a, found " << b;
  if (a.isSignlessInteger(8) ? c.isSignlessInteger(32) : isFloatScalar(a) && isFloatScalar(c) && !isFp8Scalar(c))
    return success();
  if (isIntScalar(a) && !a.isSignlessInteger(8))
    return op.emitOpError() << "expected elements of a to be float or i8, found " << a;
  return op.emitOpError() << "expected elements of c to be " << (isIntScalar(a) ? "i32" : "f16, bf16, f32 or f64")
                          << ", found " << c;
}

LogicalResult DotOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(), c = getC().getType();
  int64_t rank = a.getRank();
  if (rank != 2 && rank != 3)
    return emitOpError() << "expected operands of rank 2 or 3, found " << a;
  if (b.getRank() != rank || c.getRank() != rank)
    return emitOpError() << "expected operands of rank " << rank << ", found " << b << " and " << c;
  if (failed(verifyDotElements(*this, a.getElementType(), b.getElementType(), c.getElementType())))
    return failure();
  SmallVector<int64_t> bShape(b.getShape()), cShape(c.getShape());
  bShape[rank - 2] = a.getDimSize(rank - 1);
  cShape[rank - 2] = a.getDimSize(rank - 2);
  cShape[rank - 1] = b.getDimSize(rank - 1);
  if (rank == 3)
    bShape[0] = cShape[0] = a.getDimSize(0);
  if (failed(needType(*this, "b", b.clone(bShape), b)))
    return failure();
  return needType(*this, "c", c.clone(cShape), c);
}

// --- gather, histogram, sort ---

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto src = needTensor(location, getOperationName(), "the operand", adaptor.getSrc().getType());
  auto indices = needTensor(location, getOperationName(), "the indices", adaptor.getIndices().getType());
  if (failed(src) || failed(indices) ||
      failed(needAxis(location, getOperationName(), adaptor.getAxis(), src->getRank())))
    return failure();
  if (indices->getRank() != src->getRank())
    return emitOptionalError(location, "'tile.gather' op expected indices of rank ", src->getRank(), ", found ",
                             *indices);
  for (int64_t axis = 0; axis < src->getRank(); ++axis)
    if (axis != adaptor.getAxis() && src->getDimSize(axis) != indices->getDimSize(axis))
      return emitOptionalError(location, "'tile.gather' op expected extent ", src->getDimSize(axis), " at axis ", axis,
                               " of the indices, found ", indices->getDimSize(axis));
  types.push_back(RankedTensorType::get(indices->getShape(), src->getElementType(), indices->getEncoding()));
  return success();
}

LogicalResult HistogramOp::verify() {
  RankedTensorType src = getSrc().getType();
  if (src.getRank() != 1 || getType().getRank() != 1)
    return emitOpError() << "expected operand and result of rank 1, found " << src << " and " << getType();
  if (!getMask())
    return success();
  return needType(*this, "a mask", withElement(src, IntegerType::get(getContext(), 1)), getMask().getType());
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getSrc().getType());
  return success();
}

// --- function ---

unsigned FunctionOp::arity(FunctionKind kind) {
  switch (kind) {
  case FunctionKind::Hypot: return 2;
  case FunctionKind::FmaDown:
  case FunctionKind::FmaUp:
  case FunctionKind::FmaZero: return 3;
  default: return 1;
  }
}

LogicalResult FunctionOp::verify() {
  if (getArgs().size() == arity(getKind()))
    return success();
  return emitOpError() << "expected " << arity(getKind()) << " arguments of " << stringifyFunctionKind(getKind())
                       << ", found " << getArgs().size();
}

// --- fp_cast ---

bool roundsTo16Bits(Operation *op) {
  auto cast = dyn_cast<FpCastOp>(op);
  return (isa<arith::TruncFOp>(op) || (cast && cast.getRounding() == RoundingMode::NearestEven)) &&
         getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth() <= 16;
}

LogicalResult FpCastOp::verify() {
  Type from = getSrc().getType();
  return needType(*this, "a result", withElement(from, getElementTypeOrSelf(getType())), getType());
}

OpFoldResult FpCastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  auto to = cast<FloatType>(getElementTypeOrSelf(getType()));
  bool towardZero = getRounding() == RoundingMode::TowardZero;
  auto convert = [&](const llvm::APFloat &value) -> Attribute {
    return FloatAttr::get(to, roundedTo(to, value.convertToDouble(), towardZero));
  };
  if (auto scalar = dyn_cast_or_null<FloatAttr>(adaptor.getSrc()))
    return convert(scalar.getValue());
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return SplatElementsAttr::get(cast<ShapedType>(getType()), convert(splat.getSplatValue<llvm::APFloat>()));
  return {};
}

} // namespace tegula::tile
