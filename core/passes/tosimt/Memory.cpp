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

int64_t Lowering::runAlong(Layout layout, unsigned axis) {
  unsigned rank = layout.getRank();
  ArrayRef<int64_t> bases = layout.getRegisters();
  int64_t run = 1;
  for (size_t at = 0; at < bases.size(); at += rank, run *= 2)
    for (unsigned other = 0; other < rank; ++other)
      if (bases[at + other] != (other == axis ? run : 0))
        return run;
  return run;
}

int64_t Lowering::accessWidth(Value pointers, Value mask, int64_t mostBytes) {
  if (forms_.isZero(pointers))
    return 1;
  int64_t best = 1;
  for (unsigned axis = 0, rank = layoutOf(pointers).getRank(); axis < rank; ++axis)
    if (int64_t run = runAlong(layoutOf(pointers), axis); run > 1)
      best = std::max(best, std::min(run, axes_.useAccessWidth(pointers, mask, axis, mostBytes)));
  return best;
}

int64_t Lowering::equalRegisters(tile::LoadOp op, int64_t width) {
  if (!isTensor(op.getPtr()) || op.getIsVolatile() || op.getCache() == tile::CacheModifier::Volatile)
    return 0;
  Layout layout = layoutOf(op.getPtr());
  SmallVector<int64_t> constancy;
  for (unsigned axis = 0; axis < layout.getRank(); ++axis)
    constancy.push_back(axes_.loadConstancy(op, axis));
  int64_t equal = layout_ir::registersInGroups(layout, constancy) & ~(width - 1);
  for (unsigned axis = 0; axis < layout.getRank(); ++axis) {
    int64_t needed = 1; // the elements that these registers span along the axis
    for (size_t at = axis, bit = 0; at < layout.getRegisters().size(); at += layout.getRank(), ++bit)
      if (equal >> bit & 1)
        needed = std::max(needed, layout.getRegisters()[at] * 2);
    if (needed > 1)
      axes_.use([&](const tile::AxisView &view) { return std::min(view.loadConstancy(op, axis), needed); });
  }
  return equal;
}

std::pair<Value, Value> Lowering::accessOf(Value pointers, int64_t width, Type element) {
  Value from = base(pointers);
  Type wanted = tile::PtrType::get(element);
  if (from.getType() != wanted)
    from = tile::PtrCastOp::create(b_, location_, wanted, from);
  if (!isTensor(pointers))
    return {from, splat(constant(0), 1)};
  return {from, accessOffsets(pointers, width)};
}

Type Lowering::storedElement(Type element, OpBuilder &builder) {
  return tile::isPtrScalar(element) ? builder.getI64Type() : element;
}

Value Lowering::firstHolders(Value pointers, int64_t count) {
  Value isFirst = isTensor(pointers)
                      ? isFirstHolder(layoutOf(pointers), shapeOf(pointers))
                      : Value(arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, thread_, constant(0)));
  return isFirst ? splat(isFirst, count) : isFirst;
}

bool Lowering::hasNoCopies(Value tensor) const {
  return copyBits(layoutOf(tensor), shapeOf(tensor)) == std::pair<int64_t, int64_t>();
}

Value Lowering::both(Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(b_, location_, left, right);
}

LogicalResult Lowering::lowerMemory(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return lowerLoad(load);
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return lowerStore(store);
  return lowerAtomic(op);
}

LogicalResult Lowering::lowerLoad(tile::LoadOp op) {
  if (std::optional<Edges> edges = edgesOf(op.getPtr(), op.getMask()); edges && !op.getIsVolatile()) {
    setData(op, loadAtEdges(op, *edges));
    return success();
  }
  bool isTile = isTensor(op.getPtr());
  Type element = storedElement(getElementTypeOrSelf(op.getType()), b_);
  int64_t width = isTile ? accessWidth(op.getPtr(), op.getMask()) : 1;
  auto [from, at] = accessOf(op.getPtr(), width, element);
  int64_t count = isTile ? registers(op.getPtr()) : 1;
  Value mask = op.getMask() ? everyNth(dataOf(op.getMask()), width) : Value();
  Value other = op.getOther() ? dataOf(op.getOther()) : Value();
  SmallVector<int32_t> accesses, loadedRegisters, sources; // of the elements that differ; where each register's is
  int64_t equal = equalRegisters(op, width);
  for (int32_t number : llvm::seq<int32_t>(count)) {
    if (number & equal) {
      sources.push_back(sources[number & ~equal]);
      continue;
    }
    if (number % width == 0)
      accesses.push_back(number / width);
    sources.push_back(loadedRegisters.size());
    loadedRegisters.push_back(number);
  }
  if (equal) {
    at = pick(at, accesses);
    mask = mask ? pick(mask, accesses) : mask;
    other = other ? pick(other, loadedRegisters) : other;
  }
  auto load = simt::LoadOp::create(b_, location_, vectorOf(loadedRegisters.size(), element), from, at, mask, other,
                                   op.getCache(), op.getEviction(), op.getIsVolatile());
  if (isTile && hasNoCopies(op.getPtr()))
    load->setAttr(simt::kSoleAttr, b_.getUnitAttr());
  Value loaded = equal ? pick(load, sources) : load;
  // All threads get the scalar that thread 0 loads: another program may write the address between the loads of two
  // threads, but a program has one value of a scalar.
  if (!isTile && (op.getIsVolatile() || op.getCache() == tile::CacheModifier::Volatile))
    loaded = fromThread(loaded, constant(0));
  setData(op, loaded);
  return success();
}

LogicalResult Lowering::lowerStore(tile::StoreOp op) {
  if (std::optional<Edges> edges = edgesOf(op.getPtr(), op.getMask())) {
    storeAtEdges(op, *edges);
    return success();
  }
  bool isTile = isTensor(op.getPtr());
  Type element = storedElement(getElementTypeOrSelf(op.getValue().getType()), b_);
  int64_t width = isTile ? accessWidth(op.getPtr(), op.getMask()) : 1;
  auto [from, at] = accessOf(op.getPtr(), width, element);
  Value mask = op.getMask() ? everyNth(dataOf(op.getMask()), width) : Value();
  mask = both(mask, firstHolders(op.getPtr(), countOf(at)));
  simt::StoreOp::create(b_, location_, from, at, dataOf(op.getValue()), mask, op.getCache(), op.getEviction());
  return success();
}

int64_t Lowering::atomicWidth(tile::AtomicRmwOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  int64_t most = simt::atomicWidth(target_.features, op.getKind(), element);
  return most == 1 ? 1 : accessWidth(op.getPtr(), op.getMask(), most * simt::elementBytes(element));
}

LogicalResult Lowering::lowerAtomic(Operation *op) {
  auto rmw = dyn_cast<tile::AtomicRmwOp>(op);
  auto cas = dyn_cast<tile::AtomicCasOp>(op);
  Value pointers = op->getOperand(0);
  bool isTile = isTensor(pointers);
  Type element = storedElement(getElementTypeOrSelf(op->getResult(0).getType()), b_);
  tile::MemoryOrder order = rmw ? rmw.getOrder() : cas.getOrder();
  // One thread executes a scalar atomic for the whole program. With release order, the writes of all threads must come
  // before it; with acquire order, the accesses of all threads must come after it.
  bool releases = order == tile::MemoryOrder::Release || order == tile::MemoryOrder::AcquireRelease;
  bool acquires = order == tile::MemoryOrder::Acquire || order == tile::MemoryOrder::AcquireRelease;
  if (!isTile && releases) {
    auto barrier = simt::BarrierOp::create(b_, location_, IntegerAttr());
    barrier->setAttr(simt::kReleasesAttr, rmw ? rmw.getScopeAttr() : cas.getScopeAttr());
  }
  int64_t width = isTile && rmw ? atomicWidth(rmw) : 1;
  auto [from, at] = accessOf(pointers, width, element);
  Value isFirst = firstHolders(pointers, countOf(at)), result;
  if (rmw) {
    Value mask = both(rmw.getMask() ? everyNth(dataOf(rmw.getMask()), width) : Value(), isFirst);
    result = simt::AtomicRmwOp::create(b_, location_, rmw.getKind(), rmw.getOrder(), rmw.getScope(), from, at,
                                       dataOf(rmw.getValue()), mask);
  } else {
    auto swap = [&] {
      return simt::AtomicCasOp::create(b_, location_, cas.getOrder(), cas.getScope(), from, at,
                                       dataOf(cas.getCompare()), dataOf(cas.getValue()));
    };
    if (!isFirst) {
      result = swap();
    } else {
      // `simt.atomic_cas` takes no mask: of the threads that hold copies of an element, all but the first holder skip
      // it by a branch.
      VectorType type = vectorOf(countOf(at), element);
      Value nothing = arith::ConstantOp::create(b_, location_, type, b_.getZeroAttr(type));
      auto branch = scf::IfOp::create(b_, location_, type, pickOne(isFirst, 0), /*withElse=*/true);
      branch->setAttr(simt::kDivergentAttr, b_.getUnitAttr());
      OpBuilder::InsertionGuard guard(b_);
      b_.setInsertionPointToStart(branch.thenBlock());
      Value swapped = swap();
      scf::YieldOp::create(b_, location_, swapped);
      b_.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b_, location_, nothing);
      result = branch.getResult(0);
    }
  }
  if (!op->getResult(0).use_empty())
    result = isTile ? fromFirstHolder(result, layoutOf(pointers), shapeOf(pointers)) : fromThread(result, constant(0));
  if (!isTile && acquires)
    simt::BarrierOp::create(b_, location_, IntegerAttr());
  setData(op->getResult(0), result);
  return success();
}

} // namespace tegula::tosimt
