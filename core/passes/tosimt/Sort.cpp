// Sorts: a bitonic network along the last axis. (Source: Batcher, 'Sorting networks and their applications', 1968.)
// Step j of stage s, 0 <= j < s <= log2(n), compares each element i with element i ^ 2^j. The element with the lower
// index keeps the smaller value, the other one the larger; in blocks with bit s of i set, the other way round.
//
// If a thread has few registers, each step is separate code: a thread's elements stay in its registers, and partners
// are in another register, lane or warp. This code grows with registers times steps (64 registers of 2,048 elements
// have 66 steps). If a thread has many registers, the elements lie in shared memory, and two loops run the steps.
#include "core/passes/tosimt/Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {

/// If a thread's registers times the sort's steps exceed this limit, loops run the steps in shared memory; otherwise
/// each step is separate code.
static constexpr int64_t kMostUnrolled = 1024;

Value Lowering::isSortedBefore(tile::SortOp op, Value a, Value b) {
  Type element = elementOf(a);
  if (op.getDescending())
    std::swap(a, b);
  if (!isa<FloatType>(element)) {
    auto predicate = op.getIsSigned() ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
    return arith::CmpIOp::create(b_, location_, predicate, a, b);
  }
  // NaNs sort after all numbers: a is before b if a < b, or if b is NaN and a is not.
  Type wide = element.getIntOrFloatBitWidth() < 16 ? Type(b_.getF32Type()) : element;
  a = castFloat(a, wide, tile::RoundingMode::NearestEven);
  b = castFloat(b, wide, tile::RoundingMode::NearestEven);
  Value isLess = arith::CmpFOp::create(b_, location_, arith::CmpFPredicate::OLT, a, b);
  Value aIsNumber = arith::CmpFOp::create(b_, location_, arith::CmpFPredicate::ORD, a, a);
  Value bIsNaN = arith::CmpFOp::create(b_, location_, arith::CmpFPredicate::UNO, b, b);
  return arith::OrIOp::create(b_, location_, isLess, arith::AndIOp::create(b_, location_, aIsNumber, bIsNaN));
}

Value Lowering::sortInRegisters(tile::SortOp op, ArrayRef<AxisBit> bits) {
  Value value = get(op.getSrc()), number = coordinates(layoutOf(op.getSrc()), shapeOf(op.getSrc()).size() - 1);
  int64_t count = countOf(value);
  Value zeros = splat(constant(0), count);
  auto hasBit = [&](unsigned bit) -> Value {
    Value masked = arith::AndIOp::create(b_, location_, number, splat(constant(int64_t(1) << bit), count));
    return arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ne, masked, zeros);
  };
  for (unsigned stage = 1; stage <= bits.size(); ++stage) {
    for (unsigned j = stage; j-- > 0;) {
      const AxisBit &bit = bits[j];
      int64_t mask = int64_t(1) << bit.bit;
      Value other;
      if (bit.kind == AxisBit::Register) {
        SmallVector<int32_t> partners;
        for (int64_t i = 0; i < count; ++i)
          partners.push_back(i ^ mask);
        other = pick(value, partners);
      } else {
        other = fromPeer(value, bit.kind == AxisBit::Lane ? mask : 0, bit.kind == AxisBit::Warp ? mask : 0);
      }
      Value takesLarger = hasBit(j);
      if (stage < bits.size())
        takesLarger = arith::XOrIOp::create(b_, location_, takesLarger, hasBit(stage));
      Value takesOther = select(takesLarger, isSortedBefore(op, value, other), isSortedBefore(op, other, value));
      value = select(takesOther, other, value);
    }
  }
  return value;
}

/// One step on rows of `extent` elements in a buffer: each thread compares and exchanges `pairs` pairs of elements.
/// Pair p consists of the elements i and i + 2^j, where i is p with a zero inserted at bit j.
void Lowering::sortStep(tile::SortOp op, Value buffer, int64_t extent, int64_t pairs, Value stage, Value j) {
  Type element = op.getSrc().getType().getElementType();
  auto all = [&](Value scalar) { return splat(scalar, pairs); };
  Value pair = arith::AddIOp::create(b_, location_, all(thread_), places(pairs)), one = constant(1);
  Value distance = arith::ShLIOp::create(b_, location_, one, j);
  Value within = all(arith::SubIOp::create(b_, location_, distance, one));
  Value low = arith::AddIOp::create(b_, location_, pair, pair);
  low = arith::SubIOp::create(b_, location_, low, arith::AndIOp::create(b_, location_, pair, within));
  Value high = arith::AddIOp::create(b_, location_, low, all(distance));
  // `tested` decides the order: bit `stage` of the pair's index within its row. In the last stage the rows have no such
  // bit, so it is 0.
  Value coordinate = arith::AndIOp::create(b_, location_, low, all(constant(extent - 1)));
  Value tested =
      arith::AndIOp::create(b_, location_, coordinate, all(arith::ShLIOp::create(b_, location_, one, stage)));
  Value isDownwards = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ne, tested, all(constant(0)));
  Value a = loadShared(buffer, low, pairs, element), b = loadShared(buffer, high, pairs, element);
  Value swaps = select(isDownwards, isSortedBefore(op, a, b), isSortedBefore(op, b, a));
  storeShared(buffer, low, select(swaps, b, a));
  storeShared(buffer, high, select(swaps, a, b));
}

void Lowering::sortShared(tile::SortOp op, Value buffer, int64_t extent, int64_t elements) {
  auto loop = [&](Value begin, Value end) {
    auto made = scf::ForOp::create(b_, location_, begin, end, constant(1));
    made->setAttr(simt::kUniformAttr, b_.getUnitAttr());
    return made;
  };
  OpBuilder::InsertionGuard guard(b_);
  Value one = constant(1);
  auto stages = loop(one, constant(llvm::Log2_64(extent) + 1));
  b_.setInsertionPointToStart(stages.getBody());
  Value stage = stages.getInductionVar();
  auto steps = loop(constant(0), stage);
  b_.setInsertionPointToStart(steps.getBody());
  Value last = arith::SubIOp::create(b_, location_, stage, one);
  Value j = arith::SubIOp::create(b_, location_, last, steps.getInductionVar());
  sortStep(op, buffer, extent, elements / 2 / threads(), stage, j);
}

Value Lowering::sortInMemory(tile::SortOp op, int64_t part) {
  ArrayRef<int64_t> shape = shapeOf(op.getSrc());
  Value value = get(op.getSrc()), number = elementNumbers(layoutOf(op.getSrc()), shape);
  int64_t elements = op.getSrc().getType().getNumElements(), extent = shape.back(), count = countOf(value);
  Type element = elementOf(value);
  if (part == elements) {
    Value buffer = scratch(elements, element);
    storeShared(buffer, number, value);
    sortShared(op, buffer, extent, elements);
    return loadShared(buffer, number, count, element);
  }
  for (int64_t begin = 0; begin < elements; begin += part) {
    Value buffer = scratch(part + threads(), element);
    Value at = arith::SubIOp::create(b_, location_, number, splat(constant(begin), count)), isHere = isBelow(at, part);
    storeWhere(buffer, isHere, at, part, value);
    sortShared(op, buffer, extent, part);
    Value sorted = loadShared(buffer, select(isHere, at, splat(constant(0), count)), count, element);
    value = select(isHere, sorted, value);
  }
  return value;
}

LogicalResult Lowering::lowerSort(tile::SortOp op) {
  Value src = op.getSrc();
  ArrayRef<int64_t> shape = shapeOf(src);
  auto bits = axisBits(layoutOf(src), shape, shape.size() - 1, op);
  if (failed(bits))
    return failure();
  int64_t steps = bits->size() * (bits->size() + 1) / 2;
  int64_t bytes = scratchBytes(elementOf(get(src)));
  int64_t part = atOnce(op.getSrc().getType().getNumElements(), bytes, threads() * bytes);
  // A sort in shared memory needs at least one pair for each thread, and whole rows in each part.
  bool fitsMemory = part >= shape.back() && part >= 2 * threads();
  bool isLong = countOf(get(src)) * steps > kMostUnrolled;
  set(op, isLong && fitsMemory ? sortInMemory(op, part) : sortInRegisters(op, *bits));
  return success();
}

} // namespace tegula::tosimt
