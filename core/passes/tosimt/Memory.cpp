// Loads, stores and atomics of global memory.
#include "core/passes/tosimt/Lowering.h"

#include "core/layout/Layouts.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {

Value Lowering::everyNth(Value vector, int64_t step) {
  SmallVector<int32_t> numbers;
  for (int64_t i = 0, count = countOf(vector); i < count; i += step)
    numbers.push_back(i);
  return pick(vector, numbers);
}

int64_t Lowering::accessWidth(Value pointers, Value mask) {
  if (widths_.isZero(pointers))
    return 1;
  Layout layout = layoutOf(pointers);
  unsigned rank = layout.getRank();
  ArrayRef<int64_t> bases = layout.getRegisters();
  // The axis along which the lowest registers are neighbours, and how many are.
  int64_t best = 1;
  for (unsigned axis = 0; axis < rank; ++axis) {
    int64_t run = 1;
    for (size_t at = 0; at < bases.size(); at += rank) {
      bool isNext = true;
      for (unsigned other = 0; other < rank; ++other)
        isNext &= bases[at + other] == (other == axis ? run : 0);
      if (!isNext)
        break;
      run *= 2;
    }
    if (run > 1)
      best = std::max(best, std::min(run, axes_.useAccessWidth(pointers, mask, axis)));
  }
  return best;
}

std::pair<Value, Value> Lowering::accessOf(Value pointers, int64_t width, Type element) {
  Value from = base(pointers);
  Type wanted = tile::PtrType::get(element);
  if (from.getType() != wanted)
    from = b_.create<tile::PtrCastOp>(location_, wanted, from);
  if (!isTensor(pointers))
    return {from, splat(constant(0), 1)};
  return {from, everyNth(offsets(pointers), width)};
}

/// Pointers in memory are addresses of 64 bits.
static Type storedElement(Type element, OpBuilder &builder) {
  return tile::isPtrScalar(element) ? builder.getI64Type() : element;
}

LogicalResult Lowering::lowerMemory(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return lowerLoad(load);
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return lowerStore(store);
  return lowerAtomic(op);
}

LogicalResult Lowering::lowerLoad(tile::LoadOp op) {
  bool isTile = isTensor(op.getPtr());
  Type pointee = getElementTypeOrSelf(op.getType()), element = storedElement(pointee, b_);
  int64_t width = isTile ? accessWidth(op.getPtr(), op.getMask()) : 1;
  auto [from, at] = accessOf(op.getPtr(), width, element);
  int64_t count = isTile ? registers(op.getPtr()) : 1;
  Value mask, other;
  if (op.getMask())
    mask = isTile ? everyNth(get(op.getMask()), width) : splat(get(op.getMask()), 1);
  if (op.getOther()) {
    if (tile::isPtrScalar(pointee))
      return op.emitOpError("of pointers has no 'other'");
    other = isTile ? get(op.getOther()) : splat(get(op.getOther()), 1);
  }
  auto load = b_.create<simt::LoadOp>(location_, vectorOf(count, element), from, at, mask, other, op.getCache(),
                                      op.getEviction(), op.getIsVolatile());
  // What nobody else reads may be overwritten by its one holder without waiting for others.
  if (isTile && copyBits(layoutOf(op.getPtr()), shapeOf(op.getPtr())) == std::pair<int64_t, int64_t>())
    load->setAttr(simt::kSoleAttr, b_.getUnitAttr());
  Value loaded = load;
  if (!isTile) {
    // All threads must go on with one number, also where somebody writes there meanwhile.
    bool mayChange = op.getIsVolatile() || op.getCache() == tile::CacheModifier::Volatile;
    Value scalar = pickOne(mayChange ? fromThread(loaded, constant(0)) : loaded, 0);
    if (tile::isPtrScalar(pointee))
      scalar = b_.create<tile::IntToPtrOp>(location_, pointee, scalar);
    set(op, scalar);
  } else if (tile::isPtrScalar(pointee)) {
    Values made = absolutePointers(loaded, pointee);
    setPointers(op, made[0], made[1]);
  } else {
    set(op, loaded);
  }
  return success();
}

LogicalResult Lowering::lowerStore(tile::StoreOp op) {
  bool isTile = isTensor(op.getPtr());
  Type pointee = getElementTypeOrSelf(op.getValue().getType()), element = storedElement(pointee, b_);
  int64_t width = isTile ? accessWidth(op.getPtr(), op.getMask()) : 1;
  auto [from, at] = accessOf(op.getPtr(), width, element);
  Value value, mask;
  if (!tile::isPtrScalar(pointee))
    value = isTile ? get(op.getValue()) : splat(get(op.getValue()), 1);
  else if (isTile)
    value = addresses(op.getValue());
  else
    value = splat(b_.create<tile::PtrToIntOp>(location_, b_.getI64Type(), get(op.getValue())), 1);
  if (op.getMask())
    mask = isTile ? everyNth(get(op.getMask()), width) : splat(get(op.getMask()), 1);
  // One holder of each element writes it.
  Value isFirst = isTile ? isFirstHolder(layoutOf(op.getPtr()), shapeOf(op.getPtr()))
                         : Value(b_.create<arith::CmpIOp>(location_, arith::CmpIPredicate::eq, thread_, constant(0)));
  if (isFirst) {
    isFirst = splat(isFirst, countOf(at));
    mask = mask ? Value(b_.create<arith::AndIOp>(location_, mask, isFirst)) : isFirst;
  }
  b_.create<simt::StoreOp>(location_, from, at, value, mask, op.getCache(), op.getEviction());
  return success();
}

LogicalResult Lowering::lowerAtomic(Operation *op) {
  auto rmw = dyn_cast<tile::AtomicRmwOp>(op);
  auto cas = dyn_cast<tile::AtomicCasOp>(op);
  Value pointers = op->getOperand(0);
  bool isTile = isTensor(pointers);
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (tile::isPtrScalar(element))
    return op->emitOpError("of pointers is not supported; use their addresses as i64");
  tile::MemoryOrder order = rmw ? rmw.getOrder() : cas.getOrder();
  // A scalar atomic is the program's: what its threads wrote before comes before it, what they do after comes after.
  bool releases = order == tile::MemoryOrder::Release || order == tile::MemoryOrder::AcquireRelease;
  bool acquires = order == tile::MemoryOrder::Acquire || order == tile::MemoryOrder::AcquireRelease;
  if (!isTile && releases)
    b_.create<simt::BarrierOp>(location_, IntegerAttr());
  auto [from, at] = accessOf(pointers, 1, element);
  auto operand = [&](Value value) { return isTile ? get(value) : splat(get(value), 1); };
  Value isFirst = isTile ? isFirstHolder(layoutOf(pointers), shapeOf(pointers))
                         : Value(b_.create<arith::CmpIOp>(location_, arith::CmpIPredicate::eq, thread_, constant(0)));
  if (isFirst)
    isFirst = splat(isFirst, countOf(at));
  Value result;
  if (rmw) {
    Value mask = rmw.getMask() ? operand(rmw.getMask()) : Value();
    if (isFirst)
      mask = mask ? Value(b_.create<arith::AndIOp>(location_, mask, isFirst)) : isFirst;
    result = b_.create<simt::AtomicRmwOp>(location_, rmw.getKind(), rmw.getOrder(), rmw.getScope(), from, at,
                                          operand(rmw.getValue()), mask);
  } else {
    auto swap = [&] {
      return b_.create<simt::AtomicCasOp>(location_, cas.getOrder(), cas.getScope(), from, at,
                                          operand(cas.getCompare()), operand(cas.getValue()));
    };
    if (!isFirst) {
      result = swap();
    } else {
      // There is no mask: threads that hold copies go round it.
      VectorType type = vectorOf(countOf(at), element);
      Value nothing = b_.create<arith::ConstantOp>(location_, type, b_.getZeroAttr(type));
      auto branch = b_.create<scf::IfOp>(location_, type, pickOne(isFirst, 0), /*withElse=*/true);
      branch->setAttr(simt::kDivergentAttr, b_.getUnitAttr());
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(branch.thenBlock());
      Value swapped = swap();
      b_.create<scf::YieldOp>(location_, swapped);
      b_.setInsertionPointToStart(branch.elseBlock());
      b_.create<scf::YieldOp>(location_, nothing);
      result = branch.getResult(0);
    }
  }
  if (!op->getResult(0).use_empty())
    result = isTile ? fromFirstHolder(result, layoutOf(pointers), shapeOf(pointers)) : fromThread(result, constant(0));
  if (!isTile && acquires)
    b_.create<simt::BarrierOp>(location_, IntegerAttr());
  set(op->getResult(0), isTile ? result : pickOne(result, 0));
  return success();
}

} // namespace tegula::tosimt
