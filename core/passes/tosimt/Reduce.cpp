// Reductions: over registers first, then lanes, then warps; the values of many warps go to lanes once more. All threads
// that hold a copy of a result compute the same value, bit for bit, because every thread combines the elements in the
// same order. If the combining function is not known to commute, the layout must make this order the order of the axis
// (layout_ir::inAxisOrder).
#include "core/passes/tosimt/Lowering.h"

using namespace mlir;

namespace tegula::tosimt {

/// Reports an error if the reduction needs the order of the axis and the layout does not provide it.
static LogicalResult checkOrder(tile::ReduceOp op, bool isInOrder, layout_ir::DistributedAttr layout) {
  if (isInOrder || op.commutes())
    return success();
  return op->emitOpError() << "expected a layout whose registers hold the lowest bits of the coordinate along axis "
                           << op.getAxis()
                           << " and whose warps hold the highest, for a function that may not commute, found "
                           << layout;
}

LogicalResult Lowering::lowerReduce(tile::ReduceOp op) {
  Value first = op.getSrcs()[0];
  Layout layout = layoutOf(first);
  ArrayRef<int64_t> shape = shapeOf(first);
  unsigned axis = op.getAxis(), rank = layout.getRank();
  auto bits = axisBits(layout, shape, axis, op);
  if (failed(bits))
    return failure();
  bool isInOrder = llvm::is_sorted(*bits, [](AxisBit a, AxisBit b) { return a.kind < b.kind; });
  if (failed(checkOrder(op, isInOrder, layout)))
    return failure();
  Region &region = op.getCombine();
  Values values;
  for (Value src : op.getSrcs())
    values.push_back(get(src));
  auto combine = [&](ValueRange lower, ValueRange upper) {
    SmallVector<Value> arguments(lower);
    llvm::append_range(arguments, upper);
    return applyRegion(region, arguments);
  };

  // Registers: for each register bit of the axis, each register whose number has this bit clear is combined with the
  // register whose number differs in this bit only.
  SmallVector<unsigned> left; // the bits of register numbers that remain, lowest first
  for (unsigned bit = 0; bit < layout.getRegisters().size() / rank; ++bit)
    left.push_back(bit);
  for (const AxisBit &bit : *bits) {
    if (bit.kind != AxisBit::Register)
      continue;
    unsigned place = llvm::find(left, bit.bit) - left.begin();
    left.erase(left.begin() + place);
    SmallVector<int32_t> low, high;
    for (int64_t i = 0, count = countOf(values[0]); i < count; ++i)
      (i >> place & 1 ? high : low).push_back(i);
    Values lower, upper;
    for (Value value : values) {
      lower.push_back(pick(value, low));
      upper.push_back(pick(value, high));
    }
    values = combine(lower, upper);
  }

  // Lanes: each lane exchanges its values with the lane whose number differs in one bit, and combines.
  auto combineLanes = [&](unsigned bit) {
    int64_t mask = int64_t(1) << bit;
    Values peers;
    for (Value value : values)
      peers.push_back(fromPeer(value, mask, 0));
    if (op.isOneCommutativeOp()) {
      values = combine(values, peers);
      return;
    }
    // Both lanes of a pair combine in the same order: the element with the lower coordinate first, then the one with
    // the higher.
    Value isHigh = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ne,
                                         arith::AndIOp::create(b_, location_, lane_, constant(mask)), constant(0));
    Value condition = splat(isHigh, countOf(values[0]));
    Values lower, upper;
    for (auto [mine, other] : llvm::zip_equal(values, peers)) {
      lower.push_back(select(condition, other, mine));
      upper.push_back(select(condition, mine, other));
    }
    values = combine(lower, upper);
  };
  SmallVector<unsigned> equalLanes; // bits of lane numbers: lanes that differ in these only hold the same values now
  SmallVector<int64_t> warpBits;
  for (const AxisBit &bit : *bits) {
    if (bit.kind == AxisBit::Lane) {
      combineLanes(bit.bit);
      equalLanes.push_back(bit.bit);
    } else if (bit.kind == AxisBit::Warp) {
      warpBits.push_back(int64_t(1) << bit.bit);
    }
  }

  // Warps. Up to 8 warps: each warp reads the values of all, which takes one round of a write, a barrier and reads.
  // More warps would take two rounds. If there are enough lanes with the same values, each of them reads the values of
  // another warp instead, and the lanes combine them.
  constexpr size_t kBitsAtOnce = 3;
  if (warpBits.size() > kBitsAtOnce && equalLanes.size() >= warpBits.size()) {
    SmallVector<int64_t> threadBits(llvm::Log2_64(uint64_t(warpSize_)), 0); // of the thread to read from, by lane bit
    int64_t mask = 0;
    for (auto [lane, warp] : llvm::zip(equalLanes, warpBits)) {
      threadBits[lane] = warp * warpSize_;
      mask |= warp * warpSize_;
    }
    Value origin = arith::AndIOp::create(b_, location_, thread_, constant(~mask & (threads() - 1)));
    values = fromThread(values, arith::OrIOp::create(b_, location_, origin, linear(lane_, threadBits)));
    for (unsigned lane : ArrayRef(equalLanes).take_front(warpBits.size()))
      combineLanes(lane);
  } else {
    for (ArrayRef<int64_t> rest = warpBits; !rest.empty();) {
      ArrayRef<int64_t> now = rest.take_front(kBitsAtOnce);
      rest = rest.drop_front(now.size());
      values = combineWarps(values, now, combine);
    }
  }

  for (auto [result, value] : llvm::zip_equal(op.getResults(), values))
    set(result, isTensor(result) ? value : pickOne(value, 0));
  return success();
}

} // namespace tegula::tosimt
