// Products without matrix instructions: both operands are stored to shared memory, and each thread computes its own
// elements of the result.
#include "core/passes/products/ProductChoice.h"
#include "core/passes/tosimt/Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {

/// Removes from the registers of a layout those that differ only along the axis `dropped`. Returns one register for
/// each distinct element of the other axes, and for each register the index of its element among these.
static std::pair<SmallVector<int32_t>, SmallVector<int32_t>>
distinctRegisters(layout_ir::DistributedAttr layout, ArrayRef<int64_t> shape, unsigned dropped) {
  SmallVector<int32_t> firsts, which;
  ArrayRef<int64_t> bases = layout.getRegisters();
  unsigned rank = shape.size();
  DenseMap<int64_t, int32_t> seen;
  for (int64_t i = 0, count = layout_ir::registersOf(layout); i < count; ++i) {
    int64_t key = 0;
    for (unsigned axis = 0; axis < rank; ++axis) {
      int64_t coordinate = 0;
      for (size_t bit = 0; bit * rank < bases.size(); ++bit)
        coordinate ^= i >> bit & 1 ? bases[bit * rank + axis] : 0;
      key = key * shape[axis] + (axis == dropped ? 0 : coordinate);
    }
    auto [found, isNew] = seen.try_emplace(key, int32_t(firsts.size()));
    if (isNew)
      firsts.push_back(i);
    which.push_back(found->second);
  }
  return {firsts, which};
}

int64_t Lowering::depthAtOnce(tile::DotOp op) {
  ArrayRef<int64_t> a = shapeOf(op.getA()), b = shapeOf(op.getB());
  int64_t depth = a.back(), batch = a.size() == 3 ? a[0] : 1;
  int64_t aBytes = scratchBytes(elementOf(get(op.getA()))), bBytes = scratchBytes(elementOf(get(op.getB())));
  auto bytesOf = [&](int64_t part) {
    int64_t idle = part == depth ? 0 : threads();
    return (batch * a[a.size() - 2] * part + idle) * aBytes + (batch * b.back() * part + idle) * bBytes;
  };
  int64_t part = depth;
  while (part > 1 && bytesOf(part) > room_)
    part /= 2;
  return part;
}

Value Lowering::operandInShared(Value operand, unsigned axis, int64_t part, Value begin) {
  Value value = get(operand);
  Layout from = layoutOf(operand);
  SmallVector<int64_t> extents(shapeOf(operand));
  bool isWhole = extents[axis] == part;
  extents[axis] = part;
  int64_t size = 1, count = countOf(value);
  for (int64_t extent : extents)
    size *= extent;
  Value buffer = scratch(size + (isWhole ? 0 : threads()), elementOf(value));
  if (isWhole) {
    storeShared(buffer, elementNumbers(from, extents), value);
    return buffer;
  }
  Value k = arith::SubIOp::create(b_, location_, coordinates(from, axis), splat(begin, count));
  Value place;
  int64_t stride = 1;
  for (unsigned at = extents.size(); at-- > 0; stride *= extents[at]) {
    Value coordinate = at == axis ? k : coordinates(from, at);
    Value scaled = arith::MulIOp::create(b_, location_, coordinate, splat(constant(stride), count));
    place = place ? Value(arith::AddIOp::create(b_, location_, place, scaled)) : scaled;
  }
  storeWhere(buffer, isBelow(k, part), place, size, value);
  return buffer;
}

Value Lowering::uniformLoop(int64_t end, int64_t step, Value carried, function_ref<Value(Value, Value)> body) {
  auto loop = scf::ForOp::create(b_, location_, constant(0), constant(end), constant(step), carried);
  loop->setAttr(simt::kUniformAttr, b_.getUnitAttr());
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b_, location_, body(loop.getInductionVar(), loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

Value Lowering::addProducts(tile::DotOp op, Value a, Value b, int64_t part, Value c) {
  Layout layout = layoutOf(op.getResult());
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  unsigned rank = shape.size(), row = rank - 2, column = rank - 1;
  Type sum = elementOf(c);
  // Registers of the result in one row use the same row of A, and those in one column the same column of B. Each row
  // and each column is loaded once.
  auto [aFirsts, aWhich] = distinctRegisters(layout, shape, column);
  auto [bFirsts, bWhich] = distinctRegisters(layout, shape, row);
  auto scaled = [&](Value value, int64_t factor) -> Value {
    return factor == 1 ? value
                       : Value(arith::MulIOp::create(b_, location_, value, splat(constant(factor), countOf(value))));
  };
  Value aStart = scaled(pick(coordinates(layout, row), aFirsts), part);
  Value bStart = pick(coordinates(layout, column), bFirsts);
  if (rank == 3) {
    Value aBatch = scaled(pick(coordinates(layout, 0), aFirsts), shape[row] * part);
    Value bBatch = scaled(pick(coordinates(layout, 0), bFirsts), shape[column] * part);
    aStart = arith::AddIOp::create(b_, location_, aStart, aBatch);
    bStart = arith::AddIOp::create(b_, location_, bStart, bBatch);
  }
  Type aElement = elementOf(get(op.getA())), bElement = elementOf(get(op.getB()));
  return uniformLoop(part, 1, c, [&](Value k, Value before) -> Value {
    Value aAt = arith::AddIOp::create(b_, location_, aStart, splat(k, countOf(aStart)));
    Value kRow = arith::MulIOp::create(b_, location_, k, constant(shape[column]));
    Value bAt = arith::AddIOp::create(b_, location_, bStart, splat(kRow, countOf(bStart)));
    Value left = pick(toAccumulator(loadShared(a, aAt, countOf(aAt), aElement), sum), aWhich);
    Value right = pick(toAccumulator(loadShared(b, bAt, countOf(bAt), bElement), sum), bWhich);
    if (isa<IntegerType>(sum))
      return arith::AddIOp::create(b_, location_, before, arith::MulIOp::create(b_, location_, left, right));
    return math::FmaOp::create(b_, location_, left, right, before, arith::FastMathFlags::contract);
  });
}

Value Lowering::toAccumulator(Value value, Type sum) {
  Type type = vectorOf(countOf(value), sum);
  if (isa<IntegerType>(sum))
    return elementOf(value) == sum ? value : Value(arith::ExtSIOp::create(b_, location_, type, value));
  return castFloat(value, sum, tile::RoundingMode::NearestEven);
}

LogicalResult Lowering::lowerDot(tile::DotOp op) {
  Value a = op.getA(), b = op.getB();
  unsigned rank = shapeOf(a).size(), row = rank - 2, column = rank - 1;
  Type element = elementOf(get(op.getC())), sum = element.isF64() ? element : tile::accumulatorOf(elementOf(get(a)));
  int64_t depth = shapeOf(a).back(), part = depthAtOnce(op);
  Value result = toAccumulator(get(op.getC()), sum);
  auto addPart = [&](Value begin, Value before) {
    Value aPart = operandInShared(a, column, part, begin), bPart = operandInShared(b, row, part, begin);
    return addProducts(op, aPart, bPart, part, before);
  };
  result = part == depth ? addPart(constant(0), result) : uniformLoop(depth, part, result, addPart);
  set(op, isa<IntegerType>(sum) ? result : castFloat(result, element, tile::RoundingMode::NearestEven));
  return success();
}

} // namespace tegula::tosimt
