// Operations on axis facts that are independent of ops.
#include "core/passes/analysis/AxisInfo.h"

#include "core/ir/simt/Simt.h"
#include "core/passes/analysis/AxisTransfer.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tegula::tile {

bool isTracked(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isIntScalar(element) || isPtrScalar(element) || isa<IndexType>(element);
}

int64_t stepOf(Type type) {
  auto pointer = dyn_cast<PtrType>(getElementTypeOrSelf(type));
  return pointer ? simt::elementBytes(pointer.getPointee()) : 1;
}

int64_t powerIn(int64_t value) {
  uint64_t power = uint64_t(value) & -uint64_t(value);
  return value == 0 ? AxisInfo::kMostDivisible : int64_t(std::min<uint64_t>(power, AxisInfo::kMostDivisible));
}

SmallVector<int64_t, 2> extentsOf(Type type) {
  ArrayRef<int64_t> shape = shapeOf(type);
  return shape.empty() ? SmallVector<int64_t, 2>{1} : SmallVector<int64_t, 2>(shape);
}

std::pair<int64_t, int64_t> limitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isInteger(1))
    return {0, 1};
  unsigned width = isa<IntegerType>(element) ? element.getIntOrFloatBitWidth() : 64;
  return {std::numeric_limits<int64_t>::min() >> (64 - width), std::numeric_limits<int64_t>::max() >> (64 - width)};
}

AxisInfo AxisInfo::unknown(Type type) {
  SmallVector<int64_t, 2> ones(extentsOf(type).size(), 1);
  AxisInfo info{ones, ones, ones};
  std::tie(info.low, info.high) = limitsOf(type);
  info.nonNegative = info.low >= 0;
  return info;
}

int64_t AxisInfo::divisibilityAt(size_t axis, int64_t group, int64_t step) const {
  return contiguity[axis] > group ? std::gcd(divisibility[axis], group * step) : divisibility[axis];
}

int64_t AxisInfo::divisor(int64_t step) const {
  int64_t most = 1;
  for (size_t axis = 0; axis < rank(); ++axis)
    most = std::max(most, divisibilityAt(axis, 1, step)); // along any axis every element is seen
  return most;
}

AxisInfo finish(AxisInfo info, Type type) {
  auto [least, greatest] = limitsOf(type);
  Type element = getElementTypeOrSelf(type);
  if (isPtrScalar(element)) {
    info.low = least, info.high = greatest, info.nonNegative = false;
    return info;
  }
  if (info.low < least || info.high > greatest || info.low > info.high)
    info.low = least, info.high = greatest;
  if (!element.isInteger(1)) {
    __int128 divisor = info.divisor();
    auto down = [&](__int128 value) { return value / divisor * divisor - (value % divisor < 0 ? divisor : 0); };
    __int128 low = -down(-__int128(info.low)), high = down(info.high);
    if (low <= high)
      info.low = int64_t(low), info.high = int64_t(high);
  }
  if (info.low == info.high) {
    info.contiguity.assign(info.rank(), 1);
    info.divisibility.assign(info.rank(), powerIn(info.low));
    info.constancy = extentsOf(type);
  }
  info.nonNegative |= info.low >= 0;
  return info;
}

AxisInfo common(const AxisInfo &a, const AxisInfo &b, Type type) {
  AxisInfo info = a;
  int64_t step = stepOf(type);
  for (size_t axis = 0; axis < a.rank(); ++axis) {
    int64_t contiguity = std::gcd(a.contiguity[axis], b.contiguity[axis]);
    info.contiguity[axis] = contiguity;
    info.divisibility[axis] =
        std::gcd(a.divisibilityAt(axis, contiguity, step), b.divisibilityAt(axis, contiguity, step));
    info.constancy[axis] = std::gcd(a.constancy[axis], b.constancy[axis]);
  }
  info.low = std::min(a.low, b.low);
  info.high = std::max(a.high, b.high);
  info.nonNegative = a.nonNegative && b.nonNegative;
  info.breaks = a.breaks || b.breaks;
  return finish(info, type);
}

int64_t AxisView::accessWidth(Value pointers, Value mask, size_t axis, int64_t mostBytes) const {
  AxisInfo address = of(pointers);
  int64_t bytes = stepOf(pointers.getType());
  int64_t width = std::min({address.contiguity[axis], std::max<int64_t>(address.divisibility[axis] / bytes, 1),
                            std::max<int64_t>(mostBytes / bytes, 1)});
  return mask ? std::min(width, of(mask).constancy[axis]) : width;
}

bool isSplat(Value value) {
  DenseElementsAttr constant;
  return value.getDefiningOp<SplatOp>() || (matchPattern(value, m_Constant(&constant)) && constant.isSplat());
}

int64_t AxisView::loadConstancy(LoadOp load, size_t axis) const {
  int64_t constancy = of(load.getPtr()).constancy[axis];
  if (Value mask = load.getMask())
    constancy = std::min(constancy, of(mask).constancy[axis]);
  Value other = load.getOther();
  return other && !isSplat(other) ? std::min(constancy, of(other).constancy[axis]) : constancy;
}

bool AxisView::sumFits(Value a, Value b, unsigned bits) const {
  AxisInfo x = of(a), y = of(b);
  __int128 least = -(__int128(1) << (bits - 1)), greatest = (__int128(1) << (bits - 1)) - 1;
  return __int128(x.low) + y.low >= least && __int128(x.high) + y.high <= greatest;
}

} // namespace tegula::tile
