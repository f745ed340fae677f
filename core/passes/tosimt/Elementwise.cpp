// Elementwise ops on registers, float conversions, and the scalar regions of reduce, scan and map_elementwise.
#include "core/passes/tosimt/Lowering.h"

#include "core/passes/analysis/Uniform.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tegula::tosimt {

Value Lowering::castFloat(Value from, Type element, tile::RoundingMode rounding) {
  auto like = [&](Type type) { return isa<VectorType>(from.getType()) ? Type(vectorOf(countOf(from), type)) : type; };
  auto source = cast<FloatType>(elementOf(from)), target = cast<FloatType>(element);
  if (source == target)
    return from;
  if (tile::isFp8Scalar(element)) // tile.fp_cast saturates; a folded arith.truncf would not
    return tile::FpCastOp::create(b_, location_, like(element), from, rounding);
  arith::RoundingModeAttr mode;
  if (rounding == tile::RoundingMode::TowardZero)
    mode = arith::RoundingModeAttr::get(b_.getContext(), arith::RoundingMode::toward_zero);
  auto narrow = [&](Value value) -> Value {
    return arith::TruncFOp::create(b_, location_, like(element), value, mode, arith::FastMathFlagsAttr());
  };
  if (source.getWidth() < target.getWidth())
    return arith::ExtFOp::create(b_, location_, like(element), from);
  if (source.getWidth() > target.getWidth())
    return narrow(from);
  // Types of equal width are converted through f32, which represents every value of both exactly.
  return narrow(arith::ExtFOp::create(b_, location_, like(b_.getF32Type()), from));
}

Value Lowering::emitElementwise(Operation *op, ValueRange operands) {
  bool isVector = llvm::any_of(operands, [](Value value) { return isa<VectorType>(value.getType()); });
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (auto cast = dyn_cast<tile::FpCastOp>(op))
    return castFloat(operands[0], element, cast.getRounding());
  if (isa<tile::HintOp>(op))
    return operands[0];
  int64_t count = 0;
  for (Value operand : operands)
    if (isa<VectorType>(operand.getType()))
      count = countOf(operand);
  SmallVector<Value> spread(operands);
  if (isVector) // a select of tensors may have a scalar condition
    for (Value &operand : spread)
      if (!isa<VectorType>(operand.getType()))
        operand = splat(operand, count);
  OperationState state(location_, op->getName());
  state.addOperands(spread);
  state.addAttributes(op->getAttrs());
  for (Type type : op->getResultTypes())
    state.addTypes(isVector ? Type(vectorOf(count, getElementTypeOrSelf(type))) : getElementTypeOrSelf(type));
  return b_.create(state)->getResult(0);
}

// --- regions ---

/// Whether the region is straight-line elementwise code, so that it can be applied to vectors instead of scalars.
static bool isStraight(Region &region) {
  return llvm::all_of(region.front(), [](Operation &op) {
    return op.getNumRegions() == 0 && op.getNumResults() <= 1 &&
           (OpTrait::hasElementwiseMappableTraits(&op) ||
            isa<arith::ConstantOp, tile::FpCastOp, tile::HintOp, tile::AssertOp, tile::AssumeOp, tile::YieldOp>(op));
  });
}

static bool hasAsserts(Region &region) {
  return region.walk([](tile::AssertOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

void Lowering::applyOp(Operation &op, IRMapping &mapping, Value where) {
  auto check = [&](tile::AssertOp assert, Value condition) {
    simt::AssertOp::create(b_, assert.getLoc(), condition, /*elements=*/Value(), where, assert.getMessageAttr(),
                           DenseI64ArrayAttr());
  };
  if (auto assert = dyn_cast<tile::AssertOp>(op))
    return check(assert, mapping.lookup(assert.getCondition()));
  if (isa<tile::AssumeOp>(op)) // earlier passes have used the assumption's facts
    return;
  if (op.getNumRegions() == 0 && op.getNumResults() == 1 && tile::isElementwise(&op)) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(mapping.lookup(operand));
    mapping.map(op.getResult(0), emitElementwise(&op, operands));
    return;
  }
  // All other ops, such as loops and branches, are cloned as they are; their operands are scalars. Of the ops in their
  // regions, float casts and assertions are lowered, and assumptions are erased.
  b_.clone(op, mapping)->walk([&](Operation *inner) {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPoint(inner);
    if (auto cast = dyn_cast<tile::FpCastOp>(inner))
      cast.replaceAllUsesWith(castFloat(cast.getSrc(), cast.getType(), cast.getRounding()));
    else if (auto assert = dyn_cast<tile::AssertOp>(inner))
      check(assert, assert.getCondition());
    else if (!isa<tile::AssumeOp>(inner))
      return;
    inner->erase();
  });
}

Values Lowering::applyBlock(Block &block, ValueRange arguments, Value where) {
  bool isVector = isa<VectorType>(arguments[0].getType());
  IRMapping mapping;
  for (auto [from, to] : llvm::zip_equal(block.getArguments(), arguments))
    mapping.map(from, to);
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      Value value = b_.clone(op)->getResult(0);
      mapping.map(constant.getResult(), isVector ? splat(value, countOf(arguments[0])) : value);
    } else {
      applyOp(op, mapping, where);
    }
  }
  Values results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  return results;
}

Values Lowering::applyRegion(Region &region, ValueRange arguments, Value where) {
  Block &block = region.front();
  if (hasAsserts(region))
    separateAsserts();
  if (!isa<VectorType>(arguments[0].getType()) || isStraight(region))
    return applyBlock(block, arguments, where);
  int64_t count = countOf(arguments[0]);
  SmallVector<SmallVector<Value>> results(block.getTerminator()->getNumOperands());
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> scalars;
    for (Value argument : arguments)
      scalars.push_back(pickOne(argument, i));
    for (auto [to, value] : llvm::zip_equal(results, applyBlock(block, scalars, where)))
      to.push_back(value);
  }
  Values vectors;
  for (ArrayRef<Value> elements : results)
    vectors.push_back(concat(elements, count, elements[0].getType()));
  return vectors;
}

// --- the walk ---

LogicalResult Lowering::lowerElementwise(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense) {
      set(constant, b_.clone(*op)->getResult(0));
      return success();
    }
    if (!dense.isSplat())
      return op->emitOpError(
          "holds a different number in each element, which no thread can have without reading memory");
    int64_t count = registers(constant);
    VectorType type = vectorOf(count, dense.getElementType());
    Attribute value = dense.getSplatValue<Attribute>();
    set(constant, arith::ConstantOp::create(b_, location_, type, DenseElementsAttr::get(type, value)));
    return success();
  }
  if (auto map = dyn_cast<tile::MapElementwiseOp>(op)) {
    SmallVector<Value> arguments;
    for (Value src : map.getSrcs())
      arguments.push_back(get(src));
    for (auto [result, value] : llvm::zip_equal(map.getResults(), applyRegion(map.getBody(), arguments)))
      set(result, value);
    return success();
  }
  bool touchesPointers = isPointers(op->getResult(0)) || llvm::any_of(op->getOperands(), isPointers);
  if (touchesPointers) {
    lowerPointerOp(op);
    return success();
  }
  if (!isTensor(op->getResult(0))) {
    if (isa<tile::FpCastOp, tile::HintOp>(op)) {
      set(op->getResult(0), emitElementwise(op, {get(op->getOperand(0))}));
      return success();
    }
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, get(operand));
    Operation *clone = b_.clone(*op, mapping);
    for (auto [from, to] : llvm::zip_equal(op->getResults(), clone->getResults()))
      set(from, to);
    return success();
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  if (op->getNumResults() == 1) {
    set(op->getResult(0), emitElementwise(op, operands));
    return success();
  }
  emitElementwise(op, operands); // mulsi_extended and its like
  Operation *emitted = &*std::prev(b_.getInsertionPoint());
  for (auto [from, to] : llvm::zip_equal(op->getResults(), emitted->getResults()))
    set(from, to);
  return success();
}

} // namespace tegula::tosimt
