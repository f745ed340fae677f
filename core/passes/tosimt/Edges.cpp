// Loads and stores of rows in which some groups of elements are cut by a mask or by the wrap of a rotated range: one
// wide access for each whole group, and a branch to narrow accesses for each other group.
#include "core/passes/tosimt/Lowering.h"

#include "core/passes/analysis/Uniform.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {

std::optional<Lowering::Edges> Lowering::edgesOf(Value pointers, Value mask) {
  if (!narrowsEdges_ || !isTensor(pointers) || forms_.isZero(pointers))
    return std::nullopt;
  Layout layout = layoutOf(pointers);
  int64_t best = 1, known = 1;
  unsigned along = 0;
  for (unsigned axis = 0; axis < layout.getRank(); ++axis) {
    int64_t run = runAlong(layout, axis);
    known = std::max(known, std::min(run, axes_.accessWidth(pointers, mask, axis)));
    int64_t width = std::min(run, tile::edgeAccess(axes_, pointers, mask, axis).width);
    if (width > best)
      best = width, along = axis;
  }
  if (best <= known)
    return std::nullopt;
  axes_.use([&](const tile::AxisView &view) {
    return std::min(runAlong(layout, along), tile::edgeAccess(view, pointers, mask, along).width);
  });
  tile::EdgeAccess access = tile::edgeAccess(axes_, pointers, mask, along);
  Edges edges{best, access.rotated, access.endsOnce, {}};
  if (!access.isAligned()) {
    int64_t bytes = simt::elementBytes(cast<tile::PtrType>(getElementTypeOrSelf(pointers.getType())).getPointee());
    Value address = toWidth(tile::PtrToIntOp::create(b_, location_, b_.getI64Type(), base(pointers)), 32);
    Value shift = arith::MulIOp::create(b_, location_, get(access.rotated->shift), constant(bytes));
    // the address of the element with which the range begins
    Value first = arith::SubIOp::create(b_, location_, address, shift);
    Value behind = arith::AndIOp::create(b_, location_, first, constant(best * bytes - 1));
    edges.aligned = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, behind, constant(0));
  }
  return edges;
}

/// The numbers from `begin` up to, not including, `end` in steps of `step`.
static SmallVector<int32_t> numbersOf(int64_t begin, int64_t end, int64_t step = 1) {
  SmallVector<int32_t> numbers;
  for (; begin < end; begin += step)
    numbers.push_back(int32_t(begin));
  return numbers;
}

Lowering::Groups Lowering::groupsOf(const Edges &edges, Value offsets, Value mask, Value isMine) {
  int64_t count = countOf(offsets) / edges.width;
  auto firsts = [&](Value vector) { return remade(vector, numbersOf(0, countOf(vector), edges.width)); };
  auto lasts = [&](Value vector) { return remade(vector, numbersOf(edges.width - 1, countOf(vector), edges.width)); };
  auto either = [&](Value left, Value right) -> Value {
    return left && right ? arith::OrIOp::create(b_, location_, left, right) : Value();
  };
  Value isRun, wraps;
  if (edges.rotated) {
    Value steps = arith::SubIOp::create(b_, location_, lasts(offsets), firsts(offsets));
    Value run = splat(constant(edges.width - 1, elementOf(offsets).getIntOrFloatBitWidth()), count);
    isRun = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, steps, run);
    wraps = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ne, steps, run);
  }
  Groups groups;
  Value any = isMine;
  groups.whole = both(isRun, isMine);
  if (mask) {
    Value first = firsts(mask), last = lasts(mask);
    groups.whole = both(groups.whole, both(first, last));
    Value some = either(first, last);
    if (edges.endsOnce)
      any = both(any, wraps ? either(some, wraps) : some);
  }
  Value yes = arith::ConstantOp::create(b_, location_, DenseElementsAttr::get(vectorOf(count, b_.getI1Type()), true));
  groups.isEdge = both(any, arith::XOrIOp::create(b_, location_, groups.whole, yes));
  return groups;
}

Value Lowering::branch(Value condition, StringRef mark, llvm::function_ref<Value()> then,
                       llvm::function_ref<Value()> otherwise) {
  auto made = [&](llvm::function_ref<Value()> make, Block *block) {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToEnd(block);
    Value value = make();
    scf::YieldOp::create(b_, location_, value ? ValueRange(value) : ValueRange());
    return value;
  };
  // The block is filled before the branch is made, because the type of the branch's result is known only then.
  auto thenBlock = std::make_unique<Block>();
  Value value = made(then, thenBlock.get());
  auto op = scf::IfOp::create(b_, location_, value ? TypeRange(value.getType()) : TypeRange(), condition,
                              /*addThenBlock=*/false, /*addElseBlock=*/false);
  op->setAttr(mark, b_.getUnitAttr());
  op.getThenRegion().push_back(thenBlock.release());
  if (otherwise) {
    op.getElseRegion().emplaceBlock();
    made(otherwise, &op.getElseRegion().front());
  }
  return value ? op.getResult(0) : Value();
}

IntegerAttr Lowering::partOf(Value offsets) {
  return b_.getI32IntegerAttr(parts_.insert({offsets, int32_t(parts_.size())}).first->second);
}

/// Whether the op is pure and computes a vector from vectors, element by element.
static bool isOnElements(Operation *op) {
  return op && tile::isElementwise(op) && op->getNumResults() == 1 && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperandTypes(), [](Type operand) { return isa<VectorType>(operand); });
}

/// The number of ops for which isOnElements is true, at most `most`, from which a value is computed without any other
/// op in between. `seen` collects them.
static unsigned opsBehind(Value value, unsigned most, llvm::DenseSet<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!isOnElements(op) || seen.size() >= most || !seen.insert(op).second)
    return unsigned(seen.size());
  for (Value operand : op->getOperands())
    opsBehind(operand, most, seen);
  return unsigned(seen.size());
}

Value Lowering::remade(Value vector, ArrayRef<int32_t> registers) {
  constexpr unsigned kMostOps = 32; // for an offset or a mask; a larger number of ops computes data, as in a sort
  llvm::DenseSet<Operation *> seen;
  if (opsBehind(vector, kMostOps, seen) == kMostOps)
    return pick(vector, registers);
  llvm::DenseMap<Value, Value> made;
  return remade(vector, registers, made);
}

Value Lowering::remade(Value vector, ArrayRef<int32_t> registers, llvm::DenseMap<Value, Value> &made) {
  if (Value known = made.lookup(vector))
    return known;
  Operation *op = vector.getDefiningOp();
  VectorType type = vectorOf(int64_t(registers.size()), elementOf(vector));
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op)) {
    auto all = cast<DenseElementsAttr>(constant.getValue()).getValues<Attribute>();
    SmallVector<Attribute> some;
    for (int32_t number : registers)
      some.push_back(all[uint64_t(number)]);
    return made[vector] = arith::ConstantOp::create(b_, location_, type, DenseElementsAttr::get(type, some));
  }
  if (auto same = dyn_cast_or_null<simt::SplatOp>(op))
    return made[vector] = splat(same.getSrc(), int64_t(registers.size()));
  if (!isOnElements(op))
    return made[vector] = pick(vector, registers);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(remade(operand, registers, made));
  return made[vector] = tile::cloneWith(b_, op, operands, type);
}

Value Lowering::loadAtEdges(tile::LoadOp op, const Edges &edges) {
  Value pointers = op.getPtr();
  Type element = storedElement(getElementTypeOrSelf(op.getType()), b_);
  auto [from, at] = accessOf(pointers, 1, element);
  Value offsets = at, mask = op.getMask() ? dataOf(op.getMask()) : Value();
  Value other = op.getOther() ? dataOf(op.getOther()) : Value();
  int64_t count = countOf(offsets), width = edges.width;
  auto load = [&, from = from](Value places, Value under, Value others, int64_t elements) -> Value {
    auto made = simt::LoadOp::create(b_, location_, vectorOf(elements, element), from, places, under, others,
                                     op.getCache(), op.getEviction(), /*is_volatile=*/false);
    made->setAttr(simt::kPartAttr, partOf(offsets));
    if (hasNoCopies(pointers))
      made->setAttr(simt::kSoleAttr, b_.getUnitAttr());
    return made;
  };
  auto wide = [&]() -> Value {
    Groups groups = groupsOf(edges, offsets, mask, {});
    Value loaded = load(remade(offsets, numbersOf(0, count, width)), groups.whole, other, count);
    SmallVector<Value> parts;
    for (int64_t i = 0; i < count; i += width) {
      auto part = [&](Value vector) { return vector ? remade(vector, numbersOf(i, i + width)) : Value(); };
      parts.push_back(branch(
          pickOne(groups.isEdge, int32_t(i / width)), simt::kDivergentAttr,
          [&] { return load(part(offsets), part(mask), part(other), width); },
          [&] { return slice(loaded, i, width); }));
    }
    return concat(parts, count, element);
  };
  if (!edges.aligned)
    return wide();
  return branch(edges.aligned, simt::kUniformAttr, wide, [&] {
    SmallVector<int32_t> all = numbersOf(0, count);
    return load(remade(offsets, all), mask ? remade(mask, all) : Value(), other, count);
  });
}

void Lowering::storeAtEdges(tile::StoreOp op, const Edges &edges) {
  Value pointers = op.getPtr(), values = dataOf(op.getValue());
  auto [from, at] = accessOf(pointers, 1, storedElement(getElementTypeOrSelf(op.getValue().getType()), b_));
  Value offsets = at, mask = op.getMask() ? dataOf(op.getMask()) : Value();
  int64_t count = countOf(offsets), width = edges.width;
  auto store = [&, from = from](Value places, Value stored, Value under) {
    auto made = simt::StoreOp::create(b_, location_, from, places, stored, under, op.getCache(), op.getEviction());
    made->setAttr(simt::kPartAttr, partOf(offsets));
    return Value();
  };
  auto narrow = [&](int64_t begin, int64_t elements) {
    auto part = [&](Value vector) { return vector ? remade(vector, numbersOf(begin, begin + elements)) : Value(); };
    return store(part(offsets), slice(values, begin, elements), both(part(mask), firstHolders(pointers, elements)));
  };
  auto wide = [&]() -> Value {
    Groups groups = groupsOf(edges, offsets, mask, firstHolders(pointers, count / width));
    store(remade(offsets, numbersOf(0, count, width)), values, groups.whole);
    for (int64_t i = 0; i < count; i += width)
      branch(pickOne(groups.isEdge, int32_t(i / width)), simt::kDivergentAttr, [&] { return narrow(i, width); }, {});
    return {};
  };
  if (!edges.aligned)
    wide();
  else
    branch(edges.aligned, simt::kUniformAttr, wide, [&] { return narrow(0, count); });
}

} // namespace tegula::tosimt
