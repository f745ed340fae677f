// Gather and histogram.
#include "core/passes/tosimt/Lowering.h"

using namespace mlir;

namespace tegula::tosimt {

/// Gathers through shared memory: each thread stores its elements of the source and loads the elements that its indices
/// name.
LogicalResult Lowering::lowerGather(tile::GatherOp op) {
  Value src = op.getSrc(), result = op.getResult();
  ArrayRef<int64_t> from = shapeOf(src);
  unsigned axis = op.getAxis();
  Value value = dataOf(src);
  Type element = elementOf(value);
  // The offset to load from is that of the result's element, with the index in place of the element's coordinate along
  // the axis. Bits of an index beyond the axis are cleared: such an index loads a wrong element, but from within the
  // buffer.
  Value index = toWidth(get(op.getIndices()), 32);
  int64_t count = countOf(index);
  index = arith::AndIOp::create(b_, location_, index, splat(constant(from[axis] - 1), count));
  Value place;
  int64_t stride = 1;
  for (size_t at = from.size(); at-- > 0; stride *= from[at]) {
    Value part = at == axis ? index : coordinates(layoutOf(result), at);
    if (stride != 1)
      part = arith::MulIOp::create(b_, location_, part, splat(constant(stride), count));
    place = place ? Value(arith::AddIOp::create(b_, location_, place, part)) : part;
  }
  // If shared memory cannot hold the source, the gather is divided into parts: part p holds the elements [p * part, (p
  // + 1) * part). Each element is stored in its part, and each result is loaded in the part that contains its offset.
  int64_t elements = cast<RankedTensorType>(src.getType()).getNumElements(), bytes = scratchBytes(element);
  int64_t part = atOnce(elements, bytes, threads() * bytes);
  Value number = elementNumbers(layoutOf(src), from);
  if (part == elements) {
    Value buffer = scratch(elements, element);
    storeShared(buffer, number, value);
    setData(op, loadShared(buffer, place, count, element));
    return success();
  }
  Value found;
  for (int64_t begin = 0; begin < elements; begin += part) {
    auto within = [&](Value numbers) -> Value {
      return arith::SubIOp::create(b_, location_, numbers, splat(constant(begin), countOf(numbers)));
    };
    Value buffer = scratch(part + threads(), element), to = within(number), at = within(place);
    storeWhere(buffer, isBelow(to, part), to, part, value);
    Value isHere = isBelow(at, part);
    Value some = loadShared(buffer, select(isHere, at, splat(constant(0), count)), count, element);
    found = found ? select(isHere, some, found) : some;
  }
  setData(op, found);
  return success();
}

/// Histograms through shared memory: all elements are stored there; each thread loops over them and counts the elements
/// that fall into its own bins.
LogicalResult Lowering::lowerHistogram(tile::HistogramOp op) {
  Value src = op.getSrc();
  ArrayRef<int64_t> shape = shapeOf(src);
  Value value = get(src);
  Type element = elementOf(value);
  int64_t bins = shapeOf(op.getResult())[0];
  // An element that no bin counts, because it is out of range or masked off, becomes -1, which is not a bin's number.
  if (element.getIntOrFloatBitWidth() != 32) {
    Type wide = vectorOf(countOf(value), b_.getI64Type());
    Value numbers = element.isInteger(64) ? value : Value(arith::ExtSIOp::create(b_, location_, wide, value));
    Value limit = splat(constant(bins, 64), countOf(value));
    Value fits = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ult, numbers, limit);
    value = select(fits, toWidth(numbers, 32), splat(constant(-1), countOf(value)));
  }
  if (op.getMask())
    value = select(get(op.getMask()), value, splat(constant(-1), countOf(value)));
  Value mine = coordinates(layoutOf(op.getResult()), 0), number = elementNumbers(layoutOf(src), shape);
  int64_t count = countOf(mine), part = atOnce(shape[0], 4, threads() * 4);
  VectorType counts = vectorOf(count, b_.getI32Type());
  Value result = arith::ConstantOp::create(b_, location_, counts, b_.getZeroAttr(counts));
  for (int64_t begin = 0; begin < shape[0]; begin += part) {
    Value buffer = scratch(part + (part == shape[0] ? 0 : threads()), b_.getI32Type());
    if (part == shape[0]) {
      storeShared(buffer, number, value);
    } else {
      Value to = arith::SubIOp::create(b_, location_, number, splat(constant(begin), countOf(number)));
      storeWhere(buffer, isBelow(to, part), to, part, value);
    }
    auto loop = scf::ForOp::create(b_, location_, constant(0), constant(part), constant(1), result);
    loop->setAttr(simt::kUniformAttr, b_.getUnitAttr());
    result = loop.getResult(0);
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    Value one = simt::SharedLoadOp::create(b_, location_, b_.getI32Type(), buffer, loop.getInductionVar());
    Value isMine = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, splat(one, count), mine);
    Value next = arith::AddIOp::create(b_, location_, loop.getRegionIterArg(0),
                                       arith::ExtUIOp::create(b_, location_, counts, isMine));
    scf::YieldOp::create(b_, location_, next);
  }
  Type wanted = getElementTypeOrSelf(op.getType());
  set(op, toWidth(result, wanted.getIntOrFloatBitWidth()));
  return success();
}

} // namespace tegula::tosimt
