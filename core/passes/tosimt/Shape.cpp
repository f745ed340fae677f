// Ranges and splats; shape changes, which only renumber registers; layout conversions; program ids.
#include "core/passes/tosimt/Lowering.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {

LogicalResult Lowering::lowerShape(Operation *op) {
  // Sets the result: its register i is register source[i] of `src`.
  auto rename = [&](Value result, Value src, ArrayRef<int32_t> source) {
    if (isPointers(result))
      setPointers(result, base(src), pick(offsets(src), source));
    else
      set(result, pick(get(src), source));
  };
  auto keep = [&](Value result, Value src) {
    Values same = values_.at(src); // a copy: a new entry may move the others
    values_[result] = std::move(same);
  };

  if (auto range = dyn_cast<tile::MakeRangeOp>(op)) {
    Value numbers = coordinates(layoutOf(range), 0);
    if (int64_t start = int32_t(range.getStart()))
      numbers = arith::AddIOp::create(b_, location_, numbers, splat(constant(start), countOf(numbers)));
    set(range, numbers);
    return success();
  }
  if (auto spread = dyn_cast<tile::SplatOp>(op)) {
    int64_t count = registers(spread);
    if (isPointers(spread))
      setPointers(spread, get(spread.getSrc()), splat(constant(0), count));
    else
      set(spread, splat(get(spread.getSrc()), count));
    return success();
  }
  if (isa<tile::ExpandDimsOp, tile::TransOp>(op)) { // layout inference gives the result the registers of the source
    keep(op->getResult(0), op->getOperand(0));
    return success();
  }
  if (isa<tile::BroadcastOp, tile::ReshapeOp>(op)) {
    Value src = op->getOperand(0), result = op->getResult(0);
    Layout from = layoutOf(src);
    ArrayRef<int64_t> shape = shapeOf(src);
    if (isa<tile::ReshapeOp>(op)) {
      from = layout_ir::reshape(from, shape, shapeOf(result));
      shape = shapeOf(result);
    }
    auto source = layout_ir::localRegisters(from, shape, layoutOf(result), shapeOf(result));
    if (!source)
      return op->emitOpError() << "expected a result whose elements are in the same threads as the operand's";
    rename(result, src, *source);
    return success();
  }
  if (auto convert = dyn_cast<simt::ConvertLayoutOp>(op)) {
    Value src = convert.getSrc(), result = convert.getResult();
    Layout from = layoutOf(src), to = layoutOf(result);
    auto move = [&](Value vector) { return convertLayout(vector, from, to, shapeOf(src), op); };
    if (isPointers(result))
      setPointers(result, base(src), forms_.isZero(src) ? splat(constant(0), registers(result)) : move(offsets(src)));
    else
      set(result, move(get(src)));
    return success();
  }
  if (auto join = dyn_cast<tile::JoinOp>(op)) {
    Value left = dataOf(join.getLhs()), right = dataOf(join.getRhs());
    int64_t count = countOf(left);
    SmallVector<int32_t> alternate;
    for (int64_t i = 0; i < count; ++i)
      alternate.append({int32_t(i), int32_t(count + i)});
    setData(join, pick(concat({left, right}, 2 * count, elementOf(left)), alternate));
    return success();
  }
  if (auto split = dyn_cast<tile::SplitOp>(op)) {
    Value src = split.getSrc();
    unsigned bit = *layout_ir::splitBit(layoutOf(src));
    SmallVector<int32_t> halves[2];
    for (int64_t i = 0, count = registers(src); i < count; ++i)
      halves[i >> bit & 1].push_back(i);
    for (auto [result, source] : llvm::zip_equal(split.getResults(), halves)) {
      if (isTensor(result))
        rename(result, src, source);
      else
        setData(result, pick(dataOf(src), source));
    }
    return success();
  }
  if (auto cat = dyn_cast<tile::CatOp>(op)) {
    Value left = dataOf(cat.getLhs()), right = dataOf(cat.getRhs());
    setData(cat, concat({left, right}, 2 * countOf(left), elementOf(left)));
    return success();
  }
  if (auto join = dyn_cast<simt::JoinPartsOp>(op)) {
    joinParts(join);
    return success();
  }
  bool isScalar =
      isa<tile::ProgramIdOp, tile::NumProgramsOp, simt::ResidentIdOp, simt::ResidentsOp, simt::ClusterRankOp,
          tile::DescBaseOp, tile::DescExtentOp, tile::DescStrideOp, tile::DescPadsNanOp>(op);
  if (isScalar) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, get(operand));
    set(op->getResult(0), b_.clone(*op, mapping)->getResult(0));
    return success();
  }
  return op->emitOpError("has no lowering to threads yet");
}

void Lowering::joinParts(simt::JoinPartsOp op) {
  Layout layout = layoutOf(op.getResult());
  unsigned rank = layout.getRank();
  int64_t extent = shapeOf(op.getParts().front()).back();
  auto partBases = [&](ArrayRef<int64_t> bases) { // bases of the number of the part that contains an element
    SmallVector<int64_t> result;
    for (size_t at = rank - 1; at < bases.size(); at += rank)
      result.push_back(bases[at] / extent);
    return result;
  };
  SmallVector<Value> parts;
  for (Value part : op.getParts())
    parts.push_back(get(part));
  // Which part a register's element belongs to may depend on the thread's lane and warp, not on the register alone.
  SmallVector<int64_t> lanes = partBases(layout.getLanes()), warps = partBases(layout.getWarps());
  int64_t ofThreads = 0;
  for (int64_t basis : llvm::concat<int64_t>(lanes, warps))
    ofThreads |= basis;
  Value number = ofThreads ? pickOne(offsetsFrom({0}, lanes, warps), 0) : Value();
  SmallVector<Value> chosen;
  for (int64_t part = 0; part < int64_t(parts.size()); ++part) {
    Value value = parts[part];
    for (int64_t other = 1; other < int64_t(parts.size()); ++other)
      if ((other & ~ofThreads) == 0) {
        Value isOther = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, number, constant(other));
        value = arith::SelectOp::create(b_, location_, isOther, parts[part ^ other], value);
      }
    chosen.push_back(value);
  }
  int64_t count = countOf(chosen.front());
  SmallVector<unsigned> within = layout_ir::bitsOfPart(layout, extent);
  SmallVector<int64_t> registers = partBases(layout.getRegisters());
  SmallVector<int32_t> places;
  for (int64_t held = 0; held < int64_t(1) << registers.size(); ++held) {
    int64_t part = 0, place = 0;
    for (auto [bit, basis] : llvm::enumerate(registers))
      part ^= (held >> bit & 1) * basis;
    for (auto [position, bit] : llvm::enumerate(within))
      place |= (held >> bit & 1) << position;
    places.push_back(int32_t(part * count + place));
  }
  set(op, pick(concat(chosen, count * int64_t(chosen.size()), elementOf(chosen.front())), places));
}

} // namespace tegula::tosimt
