// Type inference, verification and builders of reduce, scan and map_elementwise.
#include "core/ir/layout/LayoutRules.h"
#include "core/ir/tile/TileVerify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {
namespace {

SmallVector<Type> elementTypes(ValueRange values) {
  return llvm::map_to_vector(values.getTypes(), [](Type type) { return getElementTypeOrSelf(type); });
}

/// Verifies that there is at least one operand, and that all operands have the first one's shape.
LogicalResult verifyShapes(std::optional<Location> location, StringRef op, ValueRange srcs) {
  if (srcs.empty())
    return emitOptionalError(location, "'", op, "' op expected at least one operand, found none");
  auto first = needTensor(location, op, "operand #0", srcs[0].getType());
  if (failed(first))
    return failure();
  for (auto [index, type] : llvm::enumerate(srcs.getTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getShape() != first->getShape() || tensor.getEncoding() != first->getEncoding())
      return emitOptionalError(location, "'", op, "' op expected operand #", index, " to have the shape of ", *first,
                               ", found ", type);
  }
  return success();
}

/// Verifies that the region takes scalars of types `arguments` and yields scalars of types `yields`.
LogicalResult verifyRegion(Operation *op, ArrayRef<Type> arguments, ArrayRef<Type> yields) {
  Block &block = op->getRegion(0).front();
  auto spell = [](InFlightDiagnostic &diagnostic, TypeRange types) { diagnostic << "(" << types << ")"; };
  if (!llvm::equal(block.getArgumentTypes(), arguments)) {
    InFlightDiagnostic diagnostic = op->emitOpError() << "expected a region with arguments ";
    spell(diagnostic, arguments);
    diagnostic << ", found ";
    spell(diagnostic, block.getArgumentTypes());
    return diagnostic;
  }
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError("expected a region that ends in tile.yield, found another terminator or none");
  if (!llvm::equal(yield.getValues().getTypes(), yields)) {
    InFlightDiagnostic diagnostic = op->emitOpError() << "expected a region that yields ";
    spell(diagnostic, yields);
    diagnostic << ", found ";
    spell(diagnostic, yield.getValues().getTypes());
    return diagnostic;
  }
  return success();
}

LogicalResult verifyCombine(Operation *op) {
  SmallVector<Type> elements = elementTypes(op->getOperands()), arguments = elements;
  arguments.append(elements);
  return verifyRegion(op, arguments, elements);
}

/// Fills the region of a reduce or scan whose operands are in `state`.
template <typename Body> void buildCombine(OpBuilder &builder, OperationState &state, ValueRange srcs, Body body) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types = elementTypes(srcs);
  types.append(elementTypes(srcs));
  Region *region = state.regions.front().get();
  Block *block = builder.createBlock(region, {}, types, SmallVector<Location>(types.size(), state.location));
  ValueRange arguments = block->getArguments();
  SmallVector<Value> results = body(builder, arguments.take_front(srcs.size()), arguments.drop_front(srcs.size()));
  YieldOp::create(builder, state.location, results);
}

} // namespace

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (failed(verifyShapes(location, getOperationName(), adaptor.getSrcs())))
    return failure();
  Type first = adaptor.getSrcs()[0].getType();
  SmallVector<int64_t> shape(shapeOf(first));
  unsigned axis = adaptor.getAxis();
  if (failed(needAxis(location, getOperationName(), axis, shape.size())))
    return failure();
  Attribute layout;
  if (shape.size() > 1)
    layout = layout_ir::reduceOf(cast<RankedTensorType>(first).getEncoding(), shape, axis);
  shape.erase(shape.begin() + axis);
  for (Type element : elementTypes(adaptor.getSrcs()))
    types.push_back(tensorOrScalar(shape, element, layout));
  return success();
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, ValueRange srcs, int64_t axis, CombineBody body) {
  build(builder, state, srcs, uint32_t(axis));
  buildCombine(builder, state, srcs, body);
}

LogicalResult ReduceOp::verify() { return verifyCombine(*this); }

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  if (failed(verifyShapes(location, getOperationName(), adaptor.getSrcs())) ||
      failed(needAxis(location, getOperationName(), adaptor.getAxis(), shapeOf(adaptor.getSrcs()[0].getType()).size())))
    return failure();
  llvm::append_range(types, adaptor.getSrcs().getTypes());
  return success();
}

void ScanOp::build(OpBuilder &builder, OperationState &state, ValueRange srcs, int64_t axis, bool reverse,
                   CombineBody body) {
  build(builder, state, srcs, uint32_t(axis), reverse);
  buildCombine(builder, state, srcs, body);
}

LogicalResult ScanOp::verify() { return verifyCombine(*this); }

LogicalResult MapElementwiseOp::verify() {
  if (failed(verifyShapes(getLoc(), getOperationName(), getSrcs())))
    return failure();
  for (auto [index, type] : llvm::enumerate(getResultTypes()))
    if (shapeOf(type) != shapeOf(getSrcs()[0].getType()))
      return emitOpError() << "expected result #" << index << " to have the shape of " << getSrcs()[0].getType()
                           << ", found " << type;
  return verifyRegion(*this, elementTypes(getSrcs()), elementTypes(getResults()));
}

} // namespace tegula::tile
