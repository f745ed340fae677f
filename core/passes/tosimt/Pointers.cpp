// Tensors of pointers: one base address and offsets from it. An offset that is the same for all elements is added to
// the base. Offsets of pointers derived from one base count elements. Pointers made from integers, loaded from memory
// or selected may hold any 64 bits, so their offsets count bytes.
#include "core/passes/tosimt/Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tosimt {
namespace {

bool isPointerTensor(Value value) {
  return isa<RankedTensorType>(value.getType()) && tile::isPtrScalar(getElementTypeOrSelf(value.getType()));
}

int64_t pointeeBytes(Type pointer) { return simt::elementBytes(cast<tile::PtrType>(pointer).getPointee()); }

} // namespace

// --- widths of offsets ---

OffsetForms::OffsetForms(func::FuncOp function) {
  // A fixed point: values that were not visited yet have the lowest rank, Zero; ranks only grow.
  bool changed = true;
  while (changed) {
    changed = false;
    function.walk([&](Operation *op) {
      auto raiseAll = [&](ValueRange targets, ValueRange sources) {
        for (auto [target, source] : llvm::zip_equal(targets, sources))
          if (isPointerTensor(target))
            changed |= raise(target, ranks_.lookup(source));
      };
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        raiseAll(loop.getRegionIterArgs(), loop.getInitArgs());
        raiseAll(loop.getRegionIterArgs(), loop.getYieldedValues());
        raiseAll(loop.getResults(), loop.getRegionIterArgs());
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        raiseAll(loop.getBeforeArguments(), loop.getInits());
        raiseAll(loop.getBeforeArguments(), loop.getYieldedValues());
        raiseAll(loop.getAfterArguments(), loop.getConditionOp().getArgs());
        raiseAll(loop.getResults(), loop.getAfterArguments());
      } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults()) {
        raiseAll(branch.getResults(), branch.thenYield().getOperands());
        raiseAll(branch.getResults(), branch.elseYield().getOperands());
      } else {
        for (Value result : op->getResults())
          if (isPointerTensor(result))
            changed |= raise(result, rankOf(op));
      }
    });
  }
}

OffsetForms::Rank OffsetForms::rankOf(Operation *op) const {
  if (isa<tile::SplatOp>(op))
    return Zero;
  if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
    Rank rank = ranks_.lookup(add.getPtr());
    if (add.getOffset().getDefiningOp<tile::SplatOp>())
      return rank;
    bool isLong = getElementTypeOrSelf(add.getOffset().getType()).getIntOrFloatBitWidth() > 32;
    return rank == Bytes ? Bytes : rank != Zero || isLong ? Wide : Narrow;
  }
  if (auto cast = dyn_cast<tile::PtrCastOp>(op)) {
    Rank rank = ranks_.lookup(cast.getSrc());
    bool isSameStep = pointeeBytes(getElementTypeOrSelf(cast.getSrc().getType())) ==
                      pointeeBytes(getElementTypeOrSelf(cast.getType()));
    return isSameStep || rank == Zero ? rank : Bytes;
  }
  // The results of shape changes and layout conversions have the operand's form of offsets. All other ops on pointers
  // have results in the form of 64-bit addresses.
  bool isMove = isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::ReshapeOp, tile::TransOp, tile::SplitOp, tile::HintOp,
                    simt::ConvertLayoutOp>(op);
  return isMove ? ranks_.lookup(op->getOperand(0)) : Bytes;
}

bool OffsetForms::raise(Value value, Rank rank) {
  Rank &known = ranks_[value];
  if (rank <= known)
    return false;
  known = rank;
  return true;
}

// --- addresses ---

Value Lowering::times(Value integers, int64_t factor) {
  if (factor == 1)
    return integers;
  return arith::MulIOp::create(b_, location_, integers, splat(constant(factor, 64), countOf(integers)));
}

Value Lowering::addresses(Value pointers) {
  Type pointer = base(pointers).getType();
  Value from = tile::PtrToIntOp::create(b_, location_, b_.getI64Type(), base(pointers));
  Value steps = toWidth(offsets(pointers), 64);
  Value bytes = forms_.isInBytes(pointers) ? steps : times(steps, pointeeBytes(pointer));
  return arith::AddIOp::create(b_, location_, splat(from, countOf(bytes)), bytes);
}

Values Lowering::absolutePointers(Value addresses, Type pointer) {
  return {tile::IntToPtrOp::create(b_, location_, pointer, constant(0, 64)), addresses};
}

Value Lowering::accessOffsets(Value pointers, int64_t width) {
  Value at = everyNth(offsets(pointers), width);
  unsigned shift = llvm::Log2_64(pointeeBytes(base(pointers).getType()));
  if (!forms_.isInBytes(pointers) || !shift)
    return at;
  return arith::ShRUIOp::create(b_, location_, at, splat(constant(shift, 64), countOf(at)));
}

Value Lowering::dataOf(Value planned) {
  bool isPointer = tile::isPtrScalar(getElementTypeOrSelf(planned.getType()));
  if (isTensor(planned))
    return isPointer ? addresses(planned) : get(planned);
  Value scalar = get(planned);
  return splat(isPointer ? tile::PtrToIntOp::create(b_, location_, b_.getI64Type(), scalar) : scalar, 1);
}

void Lowering::setData(Value planned, Value data) {
  Type element = getElementTypeOrSelf(planned.getType());
  bool isPointer = tile::isPtrScalar(element);
  if (!isTensor(planned)) {
    Value scalar = pickOne(data, 0);
    set(planned, isPointer ? tile::IntToPtrOp::create(b_, location_, element, scalar) : scalar);
  } else if (isPointer) {
    Values made = absolutePointers(data, element);
    setPointers(planned, made[0], made[1]);
  } else {
    set(planned, data);
  }
}

void Lowering::lowerPointerOp(Operation *op) {
  Value result = op->getResult(0);
  if (auto add = dyn_cast<tile::AddPtrOp>(op)) {
    Value from = base(add.getPtr()), at = offsets(add.getPtr());
    if (auto splat = add.getOffset().getDefiningOp<tile::SplatOp>()) {
      setPointers(result, tile::AddPtrOp::create(b_, location_, from, get(splat.getSrc())), at);
      return;
    }
    Value moved = toWidth(get(add.getOffset()), forms_.isWide(result) ? 64 : 32);
    if (forms_.isInBytes(result))
      moved = times(moved, pointeeBytes(from.getType()));
    if (!forms_.isZero(add.getPtr()))
      moved = arith::AddIOp::create(b_, location_, toWidth(at, 64), moved);
    setPointers(result, from, moved);
    return;
  }
  if (isa<tile::HintOp>(op)) {
    setPointers(result, base(op->getOperand(0)), offsets(op->getOperand(0)));
    return;
  }
  if (isa<tile::PtrToIntOp>(op)) {
    set(result, addresses(op->getOperand(0)));
    return;
  }
  Type pointer = getElementTypeOrSelf(result.getType());
  if (isa<tile::IntToPtrOp>(op)) {
    Values made = absolutePointers(get(op->getOperand(0)), pointer);
    setPointers(result, made[0], made[1]);
    return;
  }
  if (auto cast = dyn_cast<tile::PtrCastOp>(op)) {
    Type from = base(cast.getSrc()).getType();
    if (pointeeBytes(from) == pointeeBytes(pointer) || forms_.isZero(cast.getSrc())) {
      setPointers(result, tile::PtrCastOp::create(b_, location_, pointer, base(cast.getSrc())), offsets(cast.getSrc()));
      return;
    }
    Values made = absolutePointers(addresses(cast.getSrc()), pointer);
    setPointers(result, made[0], made[1]);
    return;
  }
  auto choice = llvm::cast<arith::SelectOp>(op);
  int64_t count = registers(result);
  Value condition = get(choice.getCondition());
  if (!isa<VectorType>(condition.getType()))
    condition = splat(condition, count);
  Values made =
      absolutePointers(select(condition, addresses(choice.getTrueValue()), addresses(choice.getFalseValue())), pointer);
  setPointers(result, made[0], made[1]);
}

} // namespace tegula::tosimt
