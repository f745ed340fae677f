// Scans. For each bit of the coordinate, from the lowest: in each block of 2^(bit+1) elements, every element of the
// upper half is combined with the total of the lower half, which stands in the lower half's last element. (Source:
// Sklansky, 'Conditional-sum addition logic', 1960.) The layout says in which register, lane and warp that last element
// is.
#include "core/passes/tosimt/Lowering.h"

using namespace mlir;

namespace tegula::tosimt {

LogicalResult Lowering::lowerScan(tile::ScanOp op) {
  Value first = op.getSrcs()[0];
  Layout layout = layoutOf(first);
  ArrayRef<int64_t> shape = shapeOf(first);
  auto bits = axisBits(layout, shape, op.getAxis(), op);
  if (failed(bits))
    return failure();
  bool isReverse = op.getReverse();
  Values values;
  for (Value src : op.getSrcs())
    values.push_back(get(src));
  int64_t count = countOf(values[0]);

  int64_t lowRegisters = 0, lowLanes = 0, lowWarps = 0; // masks of the bits handled so far
  for (const AxisBit &bit : *bits) {
    int64_t mask = int64_t(1) << bit.bit;
    // The register, lane or warp number of the partner: the last element of the block's lower half (for a reverse scan,
    // the first element of the upper half).
    auto numberOf = [&](int64_t number, int64_t low, AxisBit::Kind kind) {
      number = isReverse ? number & ~low : number | low;
      if (bit.kind != kind)
        return number;
      return isReverse ? number | mask : number & ~mask;
    };
    SmallVector<int32_t> partners;
    for (int64_t i = 0; i < count; ++i)
      partners.push_back(numberOf(i, lowRegisters, AxisBit::Register));
    int64_t laneBits = lowLanes | (bit.kind == AxisBit::Lane ? mask : 0);
    int64_t warpBits = lowWarps | (bit.kind == AxisBit::Warp ? mask : 0);
    int64_t fromLane = numberOf(0, lowLanes, AxisBit::Lane) & laneBits;
    int64_t fromWarp = numberOf(0, lowWarps, AxisBit::Warp) & warpBits;
    auto placeOf = [&](Value number, int64_t all, int64_t cleared, int64_t set) -> Value {
      Value place = b_.create<arith::AndIOp>(location_, number, constant(all & ~cleared));
      return set == 0 ? place : Value(b_.create<arith::OrIOp>(location_, place, constant(set)));
    };
    Values previous;
    for (Value value : values) {
      Value partner = pick(value, partners);
      if (warpBits != 0)
        partner = fromThread(
            partner, placeOf(thread_, threads() - 1, warpBits * warpSize_ + laneBits, fromWarp * warpSize_ + fromLane));
      else if (laneBits != 0)
        partner = b_.create<simt::ShuffleOp>(location_, simt::ShuffleMode::Index, partner,
                                             placeOf(lane_, warpSize_ - 1, laneBits, fromLane));
      previous.push_back(partner);
    }
    SmallVector<Value> arguments(previous.begin(), previous.end());
    llvm::append_range(arguments, values);
    Values combined = applyRegion(op.getCombine(), arguments);
    // Only the elements of the upper half (reverse: the lower half) take the combined value.
    if (bit.kind == AxisBit::Register) {
      SmallVector<int32_t> chosen; // from (combined, value)
      for (int64_t i = 0; i < count; ++i)
        chosen.push_back(((i & mask) != 0) != isReverse ? i : count + i);
      for (auto [value, changed] : llvm::zip_equal(values, combined))
        value = pick(concat({changed, value}, 2 * count, elementOf(value)), chosen);
      lowRegisters |= mask;
    } else {
      Value number = bit.kind == AxisBit::Lane ? lane_ : warp_;
      auto predicate = isReverse ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne;
      Value changes = b_.create<arith::CmpIOp>(
          location_, predicate, b_.create<arith::AndIOp>(location_, number, constant(mask)), constant(0));
      Value condition = splat(changes, count);
      for (auto [value, changed] : llvm::zip_equal(values, combined))
        value = select(condition, changed, value);
      (bit.kind == AxisBit::Lane ? lowLanes : lowWarps) |= mask;
    }
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), values))
    set(result, value);
  return success();
}

} // namespace tegula::tosimt
