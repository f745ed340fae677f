#include "core/passes/AxisTransfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace tegula::tile {
namespace {

using Infos = ArrayRef<AxisInfo>;

/// The greatest power of two that divides `value`.
int64_t powerIn(int64_t value) {
  uint64_t power = uint64_t(value) & -uint64_t(value);
  return value == 0 ? AxisInfo::kMostDivisible : int64_t(std::min<uint64_t>(power, AxisInfo::kMostDivisible));
}

int64_t product(int64_t a, int64_t b) {
  return a >= AxisInfo::kMostDivisible / b ? AxisInfo::kMostDivisible : a * b;
}

AxisInfo constantInfo(int64_t value, ArrayRef<int64_t> shape) {
  AxisInfo info = AxisInfo::unknown(std::max<size_t>(shape.size(), 1));
  info.divisibility.assign(info.rank(), powerIn(value));
  if (!shape.empty())
    info.constancy.assign(shape.begin(), shape.end());
  info.nonNegative = value >= 0;
  info.constant = value;
  return info;
}

/// Facts of dense constants, by looking at them along each axis.
AxisInfo denseInfo(DenseIntElementsAttr values) {
  if (values.isSplat())
    return constantInfo(values.getSplatValue<APInt>().getSExtValue(), values.getType().getShape());
  return AxisInfo::unknown(values.getType().getRank());
}

/// `a + sign * b` with elements of `step` for a contiguous run of the result.
AxisInfo sum(const AxisInfo &a, const AxisInfo &b, bool subtracts, int64_t step = 1) {
  AxisInfo info = AxisInfo::unknown(a.rank());
  for (size_t axis = 0; axis < a.rank(); ++axis) {
    int64_t contiguity = std::gcd(a.contiguity[axis], b.constancy[axis]);
    if (!subtracts)
      contiguity = std::max(contiguity, std::gcd(a.constancy[axis], b.contiguity[axis]));
    info.contiguity[axis] = contiguity;
    info.divisibility[axis] = std::gcd(a.divisibilityAt(axis, contiguity, step),
                                       product(b.divisibilityAt(axis, contiguity), step));
    info.constancy[axis] = std::gcd(a.constancy[axis], b.constancy[axis]);
  }
  info.nonNegative = !subtracts && a.nonNegative && b.nonNegative;
  if (a.constant && b.constant)
    info.constant = subtracts ? *a.constant - *b.constant : *a.constant + *b.constant;
  return info;
}

AxisInfo times(const AxisInfo &a, const AxisInfo &b) {
  if (b.constant == 1)
    return a;
  if (a.constant == 1)
    return b;
  AxisInfo info = AxisInfo::unknown(a.rank());
  for (size_t axis = 0; axis < a.rank(); ++axis) {
    info.divisibility[axis] = product(a.divisibilityAt(axis, 1), b.divisibilityAt(axis, 1));
    info.constancy[axis] = std::gcd(a.constancy[axis], b.constancy[axis]);
  }
  info.nonNegative = a.nonNegative && b.nonNegative;
  if (a.constant && b.constant)
    info.constant = *a.constant * *b.constant;
  return info;
}

/// Groups of `a` that no multiple of `b` cuts.
int64_t uncut(const AxisInfo &a, const AxisInfo &b, size_t axis) {
  return std::gcd(std::gcd(a.contiguity[axis], a.divisibility[axis]), b.divisibilityAt(axis, 1));
}

/// Division that rounds towards zero: around zero and below it, quotients and remainders do not follow groups.
AxisInfo quotient(const AxisInfo &a, const AxisInfo &b, bool isSigned) {
  bool follows = !isSigned || (a.nonNegative && b.nonNegative);
  if (b.constant == 1)
    return a;
  AxisInfo info = AxisInfo::unknown(a.rank());
  for (size_t axis = 0; axis < a.rank(); ++axis) {
    int64_t equal = std::gcd(a.constancy[axis], b.constancy[axis]);
    // Divisors that are the same along a group leave it equal.
    int64_t group = std::gcd(uncut(a, b, axis), b.constancy[axis]);
    info.constancy[axis] = follows ? std::max(equal, group) : equal;
    if (b.constant && llvm::isPowerOf2_64(*b.constant))
      info.divisibility[axis] = std::max<int64_t>(a.divisibilityAt(axis, 1) / *b.constant, 1);
  }
  info.nonNegative = isSigned && a.nonNegative && b.nonNegative;
  if (isSigned && a.constant && b.constant && *b.constant != 0)
    info.constant = *a.constant / *b.constant;
  return info;
}

AxisInfo remainder(const AxisInfo &a, const AxisInfo &b, bool isSigned) {
  bool follows = !isSigned || (a.nonNegative && b.nonNegative);
  AxisInfo info = AxisInfo::unknown(a.rank());
  for (size_t axis = 0; axis < a.rank(); ++axis) {
    int64_t contiguity = follows ? std::gcd(uncut(a, b, axis), b.constancy[axis]) : 1;
    info.contiguity[axis] = contiguity;
    info.divisibility[axis] = std::gcd(a.divisibilityAt(axis, contiguity), b.divisibilityAt(axis, 1));
    info.constancy[axis] = std::gcd(a.constancy[axis], b.constancy[axis]);
  }
  info.nonNegative = isSigned && a.nonNegative;
  if (isSigned && a.constant && b.constant && *b.constant != 0)
    info.constant = *a.constant % *b.constant;
  return info;
}

/// Comparisons: equal where both sides are, and along contiguous groups that the other side's multiples do not cut.
AxisInfo comparison(arith::CmpIPredicate predicate, const AxisInfo &a, const AxisInfo &b) {
  using P = arith::CmpIPredicate;
  // a < b and a >= b change at multiples of b's divisor when a counts up; a <= b and a > b one element later, and the
  // other way round when b counts up.
  bool leftCounts = llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, predicate);
  bool rightCounts = llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, predicate);
  AxisInfo info = AxisInfo::unknown(a.rank());
  for (size_t axis = 0; axis < a.rank(); ++axis) {
    int64_t equal = std::gcd(a.constancy[axis], b.constancy[axis]);
    if (leftCounts)
      equal = std::max(equal, std::gcd(uncut(a, b, axis), b.constancy[axis]));
    if (rightCounts)
      equal = std::max(equal, std::gcd(uncut(b, a, axis), a.constancy[axis]));
    info.constancy[axis] = equal;
  }
  return info;
}

/// Elementwise ops of which only equality of operands matters.
AxisInfo elementwise(Infos operands, size_t rank) {
  AxisInfo info = AxisInfo::unknown(rank);
  if (operands.empty())
    return info;
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t equal = 0;
    for (const AxisInfo &operand : operands)
      equal = std::gcd(equal, operand.rank() == rank ? operand.constancy[axis] : 1);
    info.constancy[axis] = equal;
  }
  return info;
}

AxisInfo selection(Infos operands, size_t rank, bool oneCondition) {
  AxisInfo info = common(operands[1], operands[2]);
  if (oneCondition)
    return info;
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t group = operands[0].constancy[axis];
    int64_t contiguity = std::gcd(info.contiguity[axis], group);
    info.divisibility[axis] = std::gcd(operands[1].divisibilityAt(axis, contiguity), operands[2].divisibilityAt(axis, contiguity));
    info.contiguity[axis] = contiguity;
    info.constancy[axis] = std::gcd(info.constancy[axis], group);
  }
  return info;
}

AxisInfo expanded(const AxisInfo &source, size_t at) {
  AxisInfo info = source;
  int64_t divisor = source.divisibilityAt(0, 1);
  for (size_t axis = 1; axis < source.rank(); ++axis)
    divisor = std::gcd(divisor, source.divisibilityAt(axis, 1));
  info.contiguity.insert(info.contiguity.begin() + at, 1);
  info.divisibility.insert(info.divisibility.begin() + at, divisor);
  info.constancy.insert(info.constancy.begin() + at, 1);
  return info;
}

AxisInfo broadcasted(const AxisInfo &source, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  AxisInfo info = source;
  for (size_t axis = 0; axis < from.size(); ++axis)
    if (from[axis] == 1 && to[axis] != 1)
      info.constancy[axis] = to[axis];
  return info;
}

AxisInfo permuted(const AxisInfo &source, ArrayRef<int32_t> order) {
  AxisInfo info = source;
  for (auto [axis, from] : llvm::enumerate(order)) {
    info.contiguity[axis] = source.contiguity[from];
    info.divisibility[axis] = source.divisibility[from];
    info.constancy[axis] = source.constancy[from];
  }
  return info;
}

AxisInfo hinted(AxisInfo info, HintOp hint) {
  auto raise = [](SmallVector<int64_t, 2> &facts, std::optional<ArrayRef<int64_t>> values) {
    if (values && values->size() == facts.size())
      for (auto [fact, value] : llvm::zip(facts, *values))
        if (llvm::isPowerOf2_64(value))
          fact = std::max(fact, value);
  };
  raise(info.contiguity, hint.getContiguity());
  raise(info.divisibility, hint.getDivisibility());
  raise(info.constancy, hint.getConstancy());
  return info;
}

} // namespace

int64_t pointeeBytes(Type pointers) {
  Type pointee = cast<PtrType>(getElementTypeOrSelf(pointers)).getPointee();
  return isa<PtrType>(pointee) ? 8 : std::max<int64_t>(pointee.getIntOrFloatBitWidth() / 8, 1);
}

AxisInfo common(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info = AxisInfo::unknown(a.rank());
  for (size_t axis = 0; axis < a.rank(); ++axis) {
    info.contiguity[axis] = std::gcd(a.contiguity[axis], b.contiguity[axis]);
    info.divisibility[axis] = std::gcd(a.divisibilityAt(axis, info.contiguity[axis]),
                                       b.divisibilityAt(axis, info.contiguity[axis]));
    info.constancy[axis] = std::gcd(a.constancy[axis], b.constancy[axis]);
  }
  info.nonNegative = a.nonNegative && b.nonNegative;
  if (a.constant == b.constant)
    info.constant = a.constant;
  return info;
}

AxisInfo transfer(Operation *op, Infos in, Value result) {
  ArrayRef<int64_t> shape = shapeOf(result.getType());
  size_t rank = std::max<size_t>(shape.size(), 1);
  return llvm::TypeSwitch<Operation *, AxisInfo>(op)
      .Case<arith::ConstantOp>([&](arith::ConstantOp constant) {
        if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
          return constantInfo(integer.getInt(), {});
        if (auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue()))
          return denseInfo(dense);
        return AxisInfo::unknown(rank);
      })
      .Case<MakeRangeOp>([&](MakeRangeOp range) {
        AxisInfo info = AxisInfo::unknown(1);
        info.contiguity[0] = shape[0];
        info.divisibility[0] = powerIn(int32_t(range.getStart()));
        info.nonNegative = int32_t(range.getStart()) >= 0;
        return info;
      })
      .Case<SplatOp>([&](SplatOp) {
        AxisInfo info = AxisInfo::unknown(rank);
        info.divisibility.assign(rank, in[0].divisibility[0]);
        info.constancy.assign(shape.begin(), shape.end());
        info.nonNegative = in[0].nonNegative;
        info.constant = in[0].constant;
        return info;
      })
      .Case<ExpandDimsOp>([&](ExpandDimsOp expand) { return expanded(in[0], expand.getAxis()); })
      .Case<BroadcastOp>([&](BroadcastOp cast) { return broadcasted(in[0], shapeOf(cast.getSrc().getType()), shape); })
      .Case<TransOp>([&](TransOp trans) { return permuted(in[0], trans.getOrder()); })
      .Case<HintOp>([&](HintOp hint) { return hinted(in[0], hint); })
      .Case<AddPtrOp>([&](AddPtrOp add) { return sum(in[0], in[1], false, pointeeBytes(add.getType())); })
      .Case<arith::AddIOp>([&](auto) { return sum(in[0], in[1], false); })
      .Case<arith::SubIOp>([&](auto) { return sum(in[0], in[1], true); })
      .Case<arith::MulIOp>([&](auto) { return times(in[0], in[1]); })
      .Case<arith::ShLIOp>([&](auto) {
        if (in[1].constant && *in[1].constant >= 0 && *in[1].constant < 62)
          return times(in[0], constantInfo(int64_t(1) << *in[1].constant, shape));
        return elementwise(in, rank);
      })
      .Case<arith::DivSIOp>([&](auto) { return quotient(in[0], in[1], true); })
      .Case<arith::DivUIOp>([&](auto) { return quotient(in[0], in[1], false); })
      .Case<arith::RemSIOp>([&](auto) { return remainder(in[0], in[1], true); })
      .Case<arith::RemUIOp>([&](auto) { return remainder(in[0], in[1], false); })
      .Case<arith::MinSIOp, arith::MaxSIOp>([&](Operation *both) {
        AxisInfo info = elementwise(in, rank);
        info.nonNegative = isa<arith::MaxSIOp>(both) ? in[0].nonNegative || in[1].nonNegative
                                                     : in[0].nonNegative && in[1].nonNegative;
        return info;
      })
      .Case<ProgramIdOp, NumProgramsOp>([&](auto) {
        AxisInfo info = AxisInfo::unknown(rank);
        info.nonNegative = true;
        return info;
      })
      .Case<arith::ExtSIOp>([&](auto) { return in[0]; })
      .Case<arith::ExtUIOp>([&](auto) { return in[0].nonNegative ? in[0] : elementwise(in, rank); })
      .Case<arith::TruncIOp>([&](auto) {
        AxisInfo info = in[0];
        info.nonNegative = false;
        info.constant.reset();
        return info;
      })
      .Case<arith::CmpIOp>([&](arith::CmpIOp compare) { return comparison(compare.getPredicate(), in[0], in[1]); })
      .Case<arith::SelectOp>([&](arith::SelectOp select) {
        return selection(in, rank, !isa<RankedTensorType>(select.getCondition().getType()));
      })
      .Default([&](Operation *other) {
        bool sameShape = llvm::all_of(other->getOperandTypes(), [&](Type type) { return shapeOf(type) == shape; });
        return sameShape && isPure(other) && other->getNumRegions() == 0 && OpTrait::hasElementwiseMappableTraits(other)
                   ? elementwise(in, rank)
                   : AxisInfo::unknown(rank);
      });
}

} // namespace tegula::tile
