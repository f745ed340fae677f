// Products without matrix instructions: both operands go to shared memory, and each thread computes its own elements of
// the result.
#include "core/passes/products/ProductChoice.h"
#include "core/passes/tosimt/Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {

LogicalResult Lowering::lowerDot(tile::DotOp op) {
  Value a = op.getA(), b = op.getB(), c = op.getC();
  Layout layout = layoutOf(op.getResult());
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  unsigned rank = shape.size(), row = rank - 2, column = rank - 1;
  int64_t depth = shapeOf(a).back();
  Type element = elementOf(get(c)), sum = tile::accumulatorOf(elementOf(get(a)));
  if (element.isF64())
    sum = element;
  // If shared memory cannot hold both operands, it holds `part` of the depth at a time.
  int64_t batch = rank == 3 ? shape[0] : 1;
  int64_t aBytes = scratchBytes(elementOf(get(a))), bBytes = scratchBytes(elementOf(get(b)));
  auto bytesOf = [&](int64_t part) {
    int64_t idle = part == depth ? 0 : threads();
    return (batch * shape[row] * part + idle) * aBytes + (batch * shape[column] * part + idle) * bBytes;
  };
  int64_t part = depth;
  while (part > 1 && bytesOf(part) > room_)
    part /= 2;
  // A buffer with the elements of an operand whose index k along `axis` is in [k0, k0 + part). Registers with another
  // index go to the thread's dummy slot (storeWhere).
  auto toShared = [&](Value operand, unsigned axis, int64_t k0) {
    Value value = get(operand);
    Layout from = layoutOf(operand);
    SmallVector<int64_t> extents(shapeOf(operand));
    extents[axis] = part;
    int64_t size = batch * extents[row] * extents[column], count = countOf(value);
    Value buffer = scratch(size + (part == depth ? 0 : threads()), elementOf(value));
    if (part == depth) {
      storeShared(buffer, elementNumbers(from, shapeOf(operand)), value);
      return buffer;
    }
    Value k = b_.create<arith::SubIOp>(location_, coordinates(from, axis), splat(constant(k0), count));
    Value place;
    int64_t stride = 1;
    for (unsigned at = rank; at-- > 0; stride *= extents[at]) {
      Value coordinate = at == axis ? k : coordinates(from, at);
      Value scaled = b_.create<arith::MulIOp>(location_, coordinate, splat(constant(stride), count));
      place = place ? Value(b_.create<arith::AddIOp>(location_, place, scaled)) : scaled;
    }
    storeWhere(buffer, isBelow(k, part), place, size, value);
    return buffer;
  };

  // Several registers of the result share a row of A, or a column of B: each row and each column is read once. `firsts`
  // is one register for each distinct row (column), `which` is the index in `firsts` for each register.
  auto distinct = [&](unsigned dropped, SmallVectorImpl<int32_t> &firsts, SmallVectorImpl<int32_t> &which) {
    ArrayRef<int64_t> bases = layout.getRegisters();
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
  };
  SmallVector<int32_t> aFirsts, aWhich, bFirsts, bWhich;
  distinct(column, aFirsts, aWhich);
  distinct(row, bFirsts, bWhich);
  auto scaled = [&](Value value, int64_t factor) -> Value {
    return factor == 1 ? value
                       : Value(b_.create<arith::MulIOp>(location_, value, splat(constant(factor), countOf(value))));
  };
  Value aStart = scaled(pick(coordinates(layout, row), aFirsts), part);
  Value bStart = pick(coordinates(layout, column), bFirsts);
  if (rank == 3) {
    aStart =
        b_.create<arith::AddIOp>(location_, aStart, scaled(pick(coordinates(layout, 0), aFirsts), shape[row] * part));
    bStart = b_.create<arith::AddIOp>(location_, bStart,
                                      scaled(pick(coordinates(layout, 0), bFirsts), shape[column] * part));
  }

  auto widen = [&](Value value) -> Value {
    Type type = vectorOf(countOf(value), sum);
    if (isa<IntegerType>(sum))
      return elementOf(value) == sum ? value : Value(b_.create<arith::ExtSIOp>(location_, type, value));
    return castFloat(value, sum, tile::RoundingMode::NearestEven);
  };
  Value result = widen(get(c));
  for (int64_t k0 = 0; k0 < depth; k0 += part) {
    Value aBuffer = toShared(a, column, k0), bBuffer = toShared(b, row, k0);
    auto loop = b_.create<scf::ForOp>(location_, constant(0), constant(part), constant(1), result);
    loop->setAttr(simt::kUniformAttr, b_.getUnitAttr());
    result = loop.getResult(0);
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    Value aAt = b_.create<arith::AddIOp>(location_, aStart, splat(k, countOf(aStart)));
    Value kRow = b_.create<arith::MulIOp>(location_, k, constant(shape[column]));
    Value bAt = b_.create<arith::AddIOp>(location_, bStart, splat(kRow, countOf(bStart)));
    Value left = pick(widen(loadShared(aBuffer, aAt, countOf(aAt), elementOf(get(a)))), aWhich);
    Value right = pick(widen(loadShared(bBuffer, bAt, countOf(bAt), elementOf(get(b)))), bWhich);
    Value next;
    if (isa<IntegerType>(sum))
      next = b_.create<arith::AddIOp>(location_, loop.getRegionIterArg(0),
                                      b_.create<arith::MulIOp>(location_, left, right));
    else
      next = b_.create<math::FmaOp>(location_, left, right, loop.getRegionIterArg(0), arith::FastMathFlags::contract);
    b_.create<scf::YieldOp>(location_, next);
  }
  set(op, isa<IntegerType>(sum) ? result : castFloat(result, element, tile::RoundingMode::NearestEven));
  return success();
}

} // namespace tegula::tosimt
