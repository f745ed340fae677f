// Scans. For each bit of the coordinate, from the lowest: in each block of 2^(bit+1) elements, every element of the
// upper half is combined with the total of the lower half, which is the lower half's last element. (Source: Sklansky,
// 'Conditional-sum addition logic', 1960.) The layout determines the register, lane and warp of that last element.
#include "core/passes/tosimt/Lowering.h"

using namespace mlir;

namespace tegula::tosimt {

Values Lowering::scanRegisters(tile::ScanOp op, const Values &previous, const Values &values, int64_t mask) {
  // `changed`: the registers that are combined with `previous`. `merged`: for each register of the result, its index in
  // the vector of all old registers followed by the combined ones.
  SmallVector<int32_t> changed, merged;
  auto count = int32_t(countOf(values[0]));
  for (int32_t i = 0; i < count; ++i) {
    bool changes = ((i & mask) != 0) != op.getReverse();
    merged.push_back(changes ? count + int32_t(changed.size()) : i);
    if (changes)
      changed.push_back(i);
  }
  SmallVector<Value> arguments;
  for (const Values &side : {previous, values})
    for (Value value : side)
      arguments.push_back(pick(value, changed));
  Values result;
  for (auto [value, combined] : llvm::zip_equal(values, applyRegion(op.getCombine(), arguments)))
    result.push_back(pick(concat({value, combined}, count + int64_t(changed.size()), elementOf(value)), merged));
  return result;
}

Values Lowering::scanThreads(tile::ScanOp op, const Values &previous, const Values &values, Value number,
                             int64_t mask) {
  auto predicate = op.getReverse() ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne;
  Value changes = arith::CmpIOp::create(b_, location_, predicate,
                                        arith::AndIOp::create(b_, location_, number, constant(mask)), constant(0));
  SmallVector<Value> arguments(previous.begin(), previous.end());
  llvm::append_range(arguments, values);
  Values combined = applyRegion(op.getCombine(), arguments, changes), result;
  Value condition = splat(changes, countOf(values[0]));
  for (auto [value, changed] : llvm::zip_equal(values, combined))
    result.push_back(select(condition, changed, value));
  return result;
}

/// Returns the distinct numbers, and for each of `numbers` its index among the distinct ones.
static std::pair<SmallVector<int32_t>, SmallVector<int32_t>> eachOnce(ArrayRef<int32_t> numbers) {
  SmallVector<int32_t> distinct, which;
  DenseMap<int32_t, int32_t> known;
  for (int32_t number : numbers) {
    auto [found, isNew] = known.try_emplace(number, int32_t(distinct.size()));
    if (isNew)
      distinct.push_back(number);
    which.push_back(found->second);
  }
  return {distinct, which};
}

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
    auto [sent, which] = eachOnce(partners); // all registers of a block have the same partner
    int64_t laneBits = lowLanes | (bit.kind == AxisBit::Lane ? mask : 0);
    int64_t warpBits = lowWarps | (bit.kind == AxisBit::Warp ? mask : 0);
    int64_t fromLane = numberOf(0, lowLanes, AxisBit::Lane) & laneBits;
    int64_t fromWarp = numberOf(0, lowWarps, AxisBit::Warp) & warpBits;
    auto placeOf = [&](Value number, int64_t all, int64_t cleared, int64_t set) -> Value {
      Value place = arith::AndIOp::create(b_, location_, number, constant(all & ~cleared));
      return set == 0 ? place : Value(arith::OrIOp::create(b_, location_, place, constant(set)));
    };
    Values previous;
    for (Value value : values) {
      Value partner = pick(value, sent);
      if (warpBits != 0)
        partner = fromThread(
            partner, placeOf(thread_, threads() - 1, warpBits * warpSize_ + laneBits, fromWarp * warpSize_ + fromLane));
      else if (laneBits != 0)
        partner = simt::ShuffleOp::create(b_, location_, simt::ShuffleMode::Index, partner,
                                          placeOf(lane_, warpSize_ - 1, laneBits, fromLane));
      previous.push_back(pick(partner, which));
    }
    if (bit.kind == AxisBit::Register) {
      values = scanRegisters(op, previous, values, mask);
      lowRegisters |= mask;
    } else {
      values = scanThreads(op, previous, values, bit.kind == AxisBit::Lane ? lane_ : warp_, mask);
      (bit.kind == AxisBit::Lane ? lowLanes : lowWarps) |= mask;
    }
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), values))
    set(result, value);
  return success();
}

} // namespace tegula::tosimt
