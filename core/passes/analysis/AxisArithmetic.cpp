// Transfer functions of integer and pointer arithmetic.
#include "core/passes/analysis/AxisTransfer.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace tegula::tile {
namespace {

using Wide = __int128;

int64_t product(int64_t a, int64_t b) { return a >= AxisInfo::kMostDivisible / b ? AxisInfo::kMostDivisible : a * b; }

/// Sets the range to exact bounds, or to the type's whole range if the result may have wrapped.
void setRange(AxisInfo &info, Wide low, Wide high, Type type) {
  auto [least, greatest] = limitsOf(type);
  bool fits = low >= least && high <= greatest;
  info.low = fits ? int64_t(low) : least;
  info.high = fits ? int64_t(high) : greatest;
}

AxisInfo constantInfo(int64_t value, Type type) {
  AxisInfo info = AxisInfo::unknown(type);
  if (getElementTypeOrSelf(type).isInteger(1))
    value &= 1;
  info.low = info.high = value;
  return finish(info, type);
}

/// The facts of a result about which only one thing is known: equal operands give equal results.
AxisInfo elementwise(AxisInfos operands, Type type) {
  AxisInfo info = AxisInfo::unknown(type);
  for (size_t axis = 0; !operands.empty() && axis < info.rank(); ++axis) {
    int64_t equal = 0;
    for (const AxisInfo &operand : operands)
      equal = std::gcd(equal, operand.rank() == info.rank() ? operand.constancy[axis] : 1);
    info.constancy[axis] = equal;
  }
  return info;
}

/// The length of the groups that surely count up along the axis: the contiguity, or, if arithmetic may have wrapped
/// inside a group (`info.breaks`), the part of it that the divisibility covers.
int64_t sureContiguity(const AxisInfo &info, size_t axis, int64_t step) {
  int64_t contiguity = info.contiguity[axis];
  return info.breaks ? std::min(contiguity, std::max<int64_t>(info.divisibility[axis] / step, 1)) : contiguity;
}

/// The facts of `a + b * step`, or of `a - b` if `subtracts`. `step` is the difference of neighbours in a contiguous
/// run of `a`.
AxisInfo sum(const AxisInfo &a, const AxisInfo &b, bool subtracts, Type type) {
  int64_t step = stepOf(type);
  AxisInfo info = AxisInfo::unknown(type);
  for (size_t axis = 0; axis < a.rank(); ++axis) {
    int64_t contiguity = std::gcd(a.contiguity[axis], b.constancy[axis]);
    int64_t equal = std::gcd(a.constancy[axis], b.constancy[axis]);
    if (subtracts)
      equal = std::max(equal, std::gcd(sureContiguity(a, axis, step), sureContiguity(b, axis, step)));
    else
      contiguity = std::max(contiguity, std::gcd(a.constancy[axis], b.contiguity[axis]));
    info.contiguity[axis] = contiguity;
    info.divisibility[axis] =
        std::gcd(a.divisibilityAt(axis, contiguity, step), product(b.divisibilityAt(axis, contiguity), step));
    info.constancy[axis] = equal;
  }
  Wide low = subtracts ? Wide(a.low) - b.high : Wide(a.low) + b.low;
  Wide high = subtracts ? Wide(a.high) - b.low : Wide(a.high) + b.high;
  setRange(info, low, high, type);
  info.nonNegative = !subtracts && a.nonNegative && b.nonNegative;
  info.breaks = a.breaks || b.breaks;
  return info;
}

AxisInfo times(const AxisInfo &a, const AxisInfo &b, Type type) {
  if (b.constant() == 1)
    return a;
  if (a.constant() == 1)
    return b;
  AxisInfo info = elementwise({a, b}, type);
  info.divisibility.assign(info.rank(), product(a.divisor(), b.divisor()));
  Wide corners[] = {Wide(a.low) * b.low, Wide(a.low) * b.high, Wide(a.high) * b.low, Wide(a.high) * b.high};
  setRange(info, *std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4), type);
  info.nonNegative = a.nonNegative && b.nonNegative;
  return info;
}

/// The length of the longest aligned groups in which `a` counts up and only the first element may be a multiple of `b`.
/// `a` does not wrap in such a group, because the group's length divides the size of the type's range.
int64_t uncut(const AxisInfo &a, const AxisInfo &b, size_t axis) {
  return std::gcd(std::gcd(a.contiguity[axis], a.divisibility[axis]), b.divisor());
}

/// The facts of `a / b`. `rounds`: while elements of `a` count up, the quotient changes only where `a` reaches a
/// multiple of `b`. That holds if the division is unsigned or `a` is not negative, but not for negative dividends,
/// because their quotients are rounded towards zero.
AxisInfo quotient(const AxisInfo &a, const AxisInfo &b, bool rounds, Type type) {
  AxisInfo info = elementwise({a, b}, type);
  for (size_t axis = 0; rounds && axis < info.rank(); ++axis)
    info.constancy[axis] = std::max(info.constancy[axis], std::gcd(uncut(a, b, axis), b.constancy[axis]));
  if (b.constant() && *b.constant() > 0 && llvm::isPowerOf2_64(*b.constant()))
    info.divisibility.assign(info.rank(), std::max<int64_t>(a.divisor() / *b.constant(), 1));
  return info;
}

AxisInfo signedQuotient(const AxisInfo &a, const AxisInfo &b, Type type) {
  if (b.constant() == 1)
    return a;
  AxisInfo info = quotient(a, b, a.nonNegative, type);
  Wide low = a.low, high = a.high;
  if (b.low > 0) {
    info.low = int64_t(std::min(low / b.low, low / b.high));
    info.high = int64_t(std::max(high / b.low, high / b.high));
  } else {
    Wide most = std::max(low < 0 ? -low : low, high < 0 ? -high : high);
    setRange(info, -most, most, type);
  }
  info.nonNegative = a.nonNegative && b.nonNegative;
  return info;
}

AxisInfo unsignedQuotient(const AxisInfo &a, const AxisInfo &b, Type type) {
  if (b.constant() == 1)
    return a;
  AxisInfo info = quotient(a, b, true, type);
  auto [least, greatest] = limitsOf(type);
  if (a.low >= 0) {
    info.low = 0, info.high = b.low > 0 ? a.high / b.low : a.high;
  } else if (b.low >= 2) {
    Wide most = Wide(greatest) - Wide(least);
    setRange(info, 0, most / b.low, type);
  }
  return info;
}

AxisInfo remainder(const AxisInfo &a, const AxisInfo &b, bool isSigned, Type type) {
  if (a.low >= 0 && a.high < b.low)
    return a;
  AxisInfo info = elementwise({a, b}, type);
  bool follows = !isSigned || a.nonNegative;
  for (size_t axis = 0; axis < info.rank(); ++axis) {
    int64_t contiguity = follows ? std::gcd(uncut(a, b, axis), b.constancy[axis]) : 1;
    info.contiguity[axis] = contiguity;
    info.divisibility[axis] = std::gcd(a.divisibilityAt(axis, contiguity), b.divisor());
  }
  if (isSigned) {
    Wide most = std::max(b.low < 0 ? -Wide(b.low) : Wide(b.low), b.high < 0 ? -Wide(b.high) : Wide(b.high)) - 1;
    if (b.low <= 0 && b.high >= 0) // x % 0 is x
      most = std::max({most, -Wide(a.low), Wide(a.high)});
    setRange(info, a.low < 0 ? std::max(Wide(a.low), -most) : 0, a.high > 0 ? std::min(Wide(a.high), most) : 0, type);
    info.nonNegative = a.nonNegative;
  } else if (a.low >= 0 || b.low > 0) {
    int64_t most = b.low > 0 ? b.high - 1 : a.high;
    info.low = 0, info.high = a.low >= 0 ? std::min(a.high, most) : most;
  }
  return info;
}

/// The facts of `a` shifted to the right: of a division by 2^amount, rounded down.
AxisInfo shiftedRight(const AxisInfo &a, const AxisInfo &amount, bool isSigned, Type type) {
  auto by = amount.constant();
  if (!by || *by < 0 || *by >= getElementTypeOrSelf(type).getIntOrFloatBitWidth())
    return elementwise({a, amount}, type);
  if (*by == 0)
    return a;
  AxisInfo divisor = amount;
  divisor.low = divisor.high = int64_t(1) << std::min<int64_t>(*by, 62);
  divisor.divisibility.assign(divisor.rank(), divisor.low);
  AxisInfo info = quotient(a, divisor, true, type);
  if (isSigned || a.low >= 0)
    info.low = a.low >> *by, info.high = a.high >> *by;
  else
    info.low = 0, info.high = int64_t((Wide(limitsOf(type).second) - limitsOf(type).first) >> *by);
  info.nonNegative = info.low >= 0 || (isSigned && a.nonNegative);
  return info;
}

AxisInfo shiftedLeft(const AxisInfo &a, const AxisInfo &amount, Type type) {
  auto by = amount.constant();
  if (by && *by >= 0 && *by < std::min<int64_t>(getElementTypeOrSelf(type).getIntOrFloatBitWidth(), 62)) {
    AxisInfo power = amount;
    power.low = power.high = int64_t(1) << *by;
    power.divisibility.assign(power.rank(), power.low);
    return times(a, power, type);
  }
  AxisInfo info = elementwise({a, amount}, type);
  info.divisibility.assign(info.rank(), a.divisor());
  return info;
}

/// The least number of the form 2^n - 1 that is greater than or equal to `value`.
int64_t filled(int64_t value) { return int64_t(llvm::bit_ceil(uint64_t(value) + 1) - 1); }

AxisInfo bitAnd(const AxisInfo &a, const AxisInfo &b, Type type) {
  for (const auto &[value, mask] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (auto bits = mask->constant(); bits && *bits > 0 && *bits < AxisInfo::kMostDivisible && llvm::isMask_64(*bits)) {
      AxisInfo power = *mask;
      power.low = power.high = *bits + 1;
      power.divisibility.assign(power.rank(), power.low);
      return remainder(*value, power, false, type);
    }
  AxisInfo info = elementwise({a, b}, type);
  info.divisibility.assign(info.rank(), std::max(a.divisor(), b.divisor()));
  if (a.low >= 0 || b.low >= 0)
    info.low = 0, info.high = a.low < 0 ? b.high : b.low < 0 ? a.high : std::min(a.high, b.high);
  info.nonNegative = a.nonNegative || b.nonNegative;
  return info;
}

AxisInfo bitOr(const AxisInfo &a, const AxisInfo &b, bool isExclusive, Type type) {
  for (const auto &[high, low] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (low->low >= 0 && low->high < high->divisor())
      return sum(a, b, false, type); // the operands have no common bit: or, xor and sum are equal
  AxisInfo info = elementwise({a, b}, type);
  info.divisibility.assign(info.rank(), std::min(a.divisor(), b.divisor()));
  if (a.low >= 0 && b.low >= 0)
    info.low = isExclusive ? 0 : std::max(a.low, b.low), info.high = filled(std::max(a.high, b.high));
  info.nonNegative = a.nonNegative && b.nonNegative;
  return info;
}

AxisInfo lesser(const AxisInfo &a, const AxisInfo &b, bool isSigned, bool takesLess, Type type) {
  AxisInfo info = elementwise({a, b}, type);
  info.divisibility.assign(info.rank(), std::min(a.divisor(), b.divisor()));
  if (!isSigned && (a.low < 0 || b.low < 0))
    return info;
  if (takesLess ? a.high <= b.low : a.low >= b.high)
    return a;
  if (takesLess ? b.high <= a.low : b.low >= a.high)
    return b;
  info.low = takesLess ? std::min(a.low, b.low) : std::max(a.low, b.low);
  info.high = takesLess ? std::min(a.high, b.high) : std::max(a.high, b.high);
  info.nonNegative = takesLess ? a.nonNegative && b.nonNegative : a.nonNegative || b.nonNegative;
  return info;
}

/// The result of a comparison, if the ranges of its operands decide it for all elements.
std::optional<bool> decided(arith::CmpIPredicate predicate, const AxisInfo &a, const AxisInfo &b) {
  using P = arith::CmpIPredicate;
  if (llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, predicate) && (a.low < 0 || b.low < 0))
    return std::nullopt;
  auto less = [](const AxisInfo &x, const AxisInfo &y) -> std::optional<bool> {
    return x.high < y.low ? std::optional(true) : x.low >= y.high ? std::optional(false) : std::nullopt;
  };
  auto inverse = [](std::optional<bool> value) { return value ? std::optional(!*value) : value; };
  switch (predicate) {
  case P::slt:
  case P::ult: return less(a, b);
  case P::sge:
  case P::uge: return inverse(less(a, b));
  case P::sgt:
  case P::ugt: return less(b, a);
  case P::sle:
  case P::ule: return inverse(less(b, a));
  case P::eq:
  case P::ne:
    if (a.high < b.low || b.high < a.low)
      return predicate == P::ne;
    if (a.constant() && a.constant() == b.constant())
      return predicate == P::eq;
    return std::nullopt;
  }
  return std::nullopt;
}

/// The facts of a comparison of `a` and `b`. It is constant along groups in which both sides are constant. It is also
/// constant along groups in which one side counts up and the other side, which is constant in them, can equal the first
/// element only (`uncut`).
AxisInfo comparison(arith::CmpIPredicate predicate, const AxisInfo &a, const AxisInfo &b, Type type) {
  using P = arith::CmpIPredicate;
  if (auto value = decided(predicate, a, b))
    return constantInfo(*value, type);
  // If `a` counts up, `a < b` and `a >= b` change where a reaches b, a multiple of b's divisor. `a <= b` and `a > b`
  // change one element later, inside a group. If `b` counts up, the two cases are exchanged.
  bool leftCounts = llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, predicate);
  bool rightCounts = llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, predicate);
  AxisInfo info = elementwise({a, b}, type);
  for (size_t axis = 0; axis < info.rank(); ++axis) {
    if (leftCounts)
      info.constancy[axis] = std::max(info.constancy[axis], std::gcd(uncut(a, b, axis), b.constancy[axis]));
    if (rightCounts)
      info.constancy[axis] = std::max(info.constancy[axis], std::gcd(uncut(b, a, axis), a.constancy[axis]));
  }
  return info;
}

AxisInfo selection(AxisInfos in, arith::SelectOp select, Type type) {
  if (auto condition = in[0].constant())
    return *condition ? in[1] : in[2];
  AxisInfo info = common(in[1], in[2], type);
  if (!isa<RankedTensorType>(select.getCondition().getType()))
    return info;
  int64_t step = stepOf(type);
  for (size_t axis = 0; axis < info.rank(); ++axis) {
    int64_t group = in[0].constancy[axis], contiguity = std::gcd(info.contiguity[axis], group);
    info.divisibility[axis] =
        std::gcd(in[1].divisibilityAt(axis, contiguity, step), in[2].divisibilityAt(axis, contiguity, step));
    info.contiguity[axis] = contiguity;
    info.constancy[axis] = std::gcd(info.constancy[axis], group);
  }
  return info;
}

/// Whether values may wrap inside a contiguous group. A wrap steps from one end of the type's range to the other, so it
/// is impossible if the value's range excludes one end. It is also impossible inside the part of a group that the
/// alignment of the group's first element covers.
bool mayBreak(const AxisInfo &info, Type type) {
  auto [least, greatest] = limitsOf(type);
  if (info.breaks || (info.low > least || info.high < greatest))
    return info.breaks;
  for (size_t axis = 0; axis < info.rank(); ++axis)
    if (info.contiguity[axis] > info.divisibility[axis])
      return true;
  return false;
}

/// The facts of a sign or zero extension. A group that is contiguous modulo the narrow width may not be contiguous in
/// the wide type.
AxisInfo extended(const AxisInfo &source, Type from, Type to, bool isSigned) {
  if (getElementTypeOrSelf(from).isInteger(1)) {
    AxisInfo info = elementwise(source, to);
    info.low = isSigned ? -source.high : source.low, info.high = isSigned ? -source.low : source.high;
    return info;
  }
  AxisInfo info = source;
  if (isSigned || source.low >= 0) {
    info.breaks = mayBreak(source, from);
    return info;
  }
  info.breaks = true; // true if the group passes zero
  info.nonNegative = true;
  info.low = 0;
  auto [least, greatest] = limitsOf(from);
  setRange(info, 0, Wide(greatest) - least, to);
  return info;
}

AxisInfo truncated(const AxisInfo &source, Type from, Type to) {
  AxisInfo info = source;
  auto [least, greatest] = limitsOf(to);
  if (source.low < least || source.high > greatest) {
    if (getElementTypeOrSelf(to).isInteger(1))
      return elementwise(source, to);
    info.low = least, info.high = greatest;
    info.nonNegative = false;
  }
  return info;
}

/// The facts of pointers after a cast to another pointee. If its size differs, neighbours that were one old pointee
/// apart are not one new pointee apart, so contiguity is lost.
AxisInfo restepped(const AxisInfo &source, Type from, Type to) {
  if (stepOf(from) == stepOf(to))
    return source;
  AxisInfo info = elementwise(source, to);
  info.divisibility.assign(info.rank(), source.divisor(stepOf(from)));
  return info;
}

AxisInfo hinted(AxisInfo info, HintOp hint) {
  auto raise = [](SmallVector<int64_t, 2> &facts, std::optional<ArrayRef<int64_t>> values) {
    for (size_t axis = 0; values && axis < facts.size(); ++axis)
      facts[axis] = std::max(facts[axis], (*values)[axis]);
  };
  SmallVector<int64_t, 2> aligned = info.divisibility, extents = extentsOf(hint.getType());
  int64_t step = stepOf(hint.getType());
  raise(info.contiguity, hint.getContiguity());
  raise(info.divisibility, hint.getDivisibility());
  raise(info.constancy, hint.getConstancy());
  for (size_t axis = 0; axis < info.rank(); ++axis) {
    // `breaks`: the value comes from narrower arithmetic, which may have wrapped. The alignment that was known before
    // the hint limits how long its contiguous groups surely are. A hint that promises more alignment does not exclude
    // the wrap, so the groups are not allowed to become longer.
    if (info.breaks && !hint.getContiguity() && info.divisibility[axis] > aligned[axis])
      info.contiguity[axis] = std::min(info.contiguity[axis], std::max<int64_t>(aligned[axis] / step, 1));
    info.contiguity[axis] = std::min(info.contiguity[axis], extents[axis]);
    info.constancy[axis] = std::min(info.constancy[axis], extents[axis]);
  }
  return info;
}

} // namespace

std::optional<AxisInfo> transferArithmetic(Operation *op, AxisInfos in, OpResult result) {
  Type type = result.getType();
  using Info = std::optional<AxisInfo>;
  bool isMask = getElementTypeOrSelf(type).isInteger(1);
  if (isMask && isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                    arith::RemUIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::OrIOp, arith::XOrIOp,
                    arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::AndIOp>(op)) {
    if (isa<arith::AndIOp>(op) && (in[0].constant() || in[1].constant()))
      return in[0].constant() ? (*in[0].constant() ? in[1] : in[0]) : (*in[1].constant() ? in[0] : in[1]);
    return elementwise(in, type);
  }
  return llvm::TypeSwitch<Operation *, Info>(op)
      .Case([&](arith::ConstantOp constant) -> Info {
        if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
          return constantInfo(integer.getValue().getSExtValue(), type);
        auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue());
        if (dense && dense.isSplat())
          return constantInfo(dense.getSplatValue<APInt>().getSExtValue(), type);
        return AxisInfo::unknown(type);
      })
      .Case<arith::AddIOp>([&](auto) -> Info { return sum(in[0], in[1], false, type); })
      .Case<arith::SubIOp>([&](auto) -> Info { return sum(in[0], in[1], true, type); })
      .Case<arith::MulIOp>([&](auto) -> Info { return times(in[0], in[1], type); })
      .Case<arith::ShLIOp>([&](auto) -> Info { return shiftedLeft(in[0], in[1], type); })
      .Case<arith::ShRSIOp>([&](auto) -> Info { return shiftedRight(in[0], in[1], true, type); })
      .Case<arith::ShRUIOp>([&](auto) -> Info { return shiftedRight(in[0], in[1], false, type); })
      .Case<arith::DivSIOp>([&](auto) -> Info { return signedQuotient(in[0], in[1], type); })
      .Case<arith::DivUIOp>([&](auto) -> Info { return unsignedQuotient(in[0], in[1], type); })
      .Case<arith::RemSIOp>([&](auto) -> Info { return remainder(in[0], in[1], true, type); })
      .Case<arith::RemUIOp>([&](auto) -> Info { return remainder(in[0], in[1], false, type); })
      .Case<arith::AndIOp>([&](auto) -> Info { return bitAnd(in[0], in[1], type); })
      .Case<arith::OrIOp>([&](auto) -> Info { return bitOr(in[0], in[1], false, type); })
      .Case<arith::XOrIOp>([&](auto) -> Info { return bitOr(in[0], in[1], true, type); })
      .Case<arith::MinSIOp>([&](auto) -> Info { return lesser(in[0], in[1], true, true, type); })
      .Case<arith::MaxSIOp>([&](auto) -> Info { return lesser(in[0], in[1], true, false, type); })
      .Case<arith::MinUIOp>([&](auto) -> Info { return lesser(in[0], in[1], false, true, type); })
      .Case<arith::MaxUIOp>([&](auto) -> Info { return lesser(in[0], in[1], false, false, type); })
      .Case([&](arith::CmpIOp compare) -> Info {
        if (getElementTypeOrSelf(compare.getLhs().getType()).isInteger(1))
          return elementwise(in, type);
        return comparison(compare.getPredicate(), in[0], in[1], type);
      })
      .Case([&](arith::SelectOp select) -> Info { return selection(in, select, type); })
      .Case<arith::ExtSIOp>([&](auto) -> Info { return extended(in[0], op->getOperand(0).getType(), type, true); })
      .Case<arith::ExtUIOp>([&](auto) -> Info { return extended(in[0], op->getOperand(0).getType(), type, false); })
      .Case<arith::TruncIOp>([&](auto) -> Info { return truncated(in[0], op->getOperand(0).getType(), type); })
      .Case<arith::IndexCastOp>([&](auto) -> Info {
        Type from = op->getOperand(0).getType();
        return isa<IndexType>(getElementTypeOrSelf(from)) ? truncated(in[0], from, type)
                                                          : extended(in[0], from, type, true);
      })
      .Case([&](AddPtrOp add) -> Info {
        Type offsets = add.getOffset().getType();
        if (getElementTypeOrSelf(offsets).isInteger(1))
          return elementwise(in, type);
        AxisInfo offset = in[1];
        offset.breaks = getElementTypeOrSelf(offsets).isInteger(64) ? offset.breaks : mayBreak(offset, offsets);
        return sum(in[0], offset, false, type);
      })
      .Case<PtrCastOp, PtrToIntOp, IntToPtrOp>(
          [&](auto cast) -> Info { return restepped(in[0], cast.getSrc().getType(), type); })
      .Case([&](HintOp hint) -> Info { return hinted(in[0], hint); })
      .Case<ProgramIdOp, NumProgramsOp>([&](auto) -> Info {
        AxisInfo info = AxisInfo::unknown(type);
        bool isCount = isa<NumProgramsOp>(op);
        info.low = isCount, info.high -= !isCount;
        return info;
      })
      .Default(Info());
}

} // namespace tegula::tile
