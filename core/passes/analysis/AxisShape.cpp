// Transfer functions of shape changes.
#include "core/ir/simt/Simt.h"
#include "core/passes/analysis/AxisTransfer.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tegula::tile {
namespace {

/// The facts that hold for every single element and therefore survive any shape change: divisor and bounds. The facts
/// along axes are lost, unless all elements are equal.
AxisInfo elements(const AxisInfo &source, Type from, Type to) {
  AxisInfo info = AxisInfo::unknown(to);
  info.divisibility.assign(info.rank(), source.divisor(stepOf(from)));
  info.low = source.low, info.high = source.high;
  info.nonNegative = source.nonNegative;
  info.breaks = source.breaks;
  if (source.constancy == extentsOf(from))
    info.constancy = extentsOf(to);
  return info;
}

void copyAxis(AxisInfo &info, size_t to, const AxisInfo &source, size_t from) {
  info.contiguity[to] = source.contiguity[from];
  info.divisibility[to] = source.divisibility[from];
  info.constancy[to] = source.constancy[from];
}

AxisInfo expanded(const AxisInfo &source, size_t at, Type from, Type to) {
  AxisInfo info = elements(source, from, to);
  for (size_t axis = 0; axis < source.rank(); ++axis)
    copyAxis(info, axis + (axis >= at), source, axis);
  return info;
}

AxisInfo broadcasted(AxisInfo info, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  for (size_t axis = 0; axis < from.size(); ++axis)
    if (from[axis] == 1 && to[axis] != 1)
      info.constancy[axis] = to[axis];
  return info;
}

/// The axes whose extent is not 1.
SmallVector<size_t> realAxes(ArrayRef<int64_t> shape) {
  SmallVector<size_t> axes;
  for (auto [axis, extent] : llvm::enumerate(shape))
    if (extent != 1)
      axes.push_back(axis);
  return axes;
}

/// The facts of a reshape. It keeps the row-major order, so groups along the last axis remain groups along the last
/// axis, of at most the new axis' length. If only axes of extent 1 are added or removed, all other axes keep their
/// facts.
AxisInfo reshaped(const AxisInfo &source, ReshapeOp op) {
  Type from = op.getSrc().getType(), to = op.getType();
  AxisInfo info = elements(source, from, to);
  if (op.getAllowReorder())
    return info;
  SmallVector<int64_t, 2> fromShape = extentsOf(from), toShape = extentsOf(to);
  SmallVector<size_t> fromAxes = realAxes(fromShape), toAxes = realAxes(toShape);
  if (fromAxes.empty() || toAxes.empty())
    return info;
  bool isSame = fromAxes.size() == toAxes.size() && llvm::all_of(llvm::zip(fromAxes, toAxes), [&](auto pair) {
                  return fromShape[std::get<0>(pair)] == toShape[std::get<1>(pair)];
                });
  if (isSame) {
    for (auto [f, t] : llvm::zip(fromAxes, toAxes))
      copyAxis(info, t, source, f);
    return info;
  }
  size_t f = fromAxes.back(), t = toAxes.back();
  info.contiguity[t] = std::min(source.contiguity[f], toShape[t]);
  info.divisibility[t] = source.divisibilityAt(f, info.contiguity[t], stepOf(from));
  info.constancy[t] = std::max(info.constancy[t], std::min(source.constancy[f], toShape[t]));
  return info;
}

AxisInfo permuted(const AxisInfo &source, ArrayRef<int32_t> order) {
  AxisInfo info = source;
  for (auto [axis, from] : llvm::enumerate(order))
    copyAxis(info, axis, source, size_t(from));
  return info;
}

/// The facts of the join of two tensors along a new last axis.
AxisInfo joined(const AxisInfo &lhs, const AxisInfo &rhs, Type from, Type to) {
  AxisInfo both = common(lhs, rhs, from);
  AxisInfo info = elements(both, from, to);
  info.constancy.assign(info.rank(), 1);
  for (size_t axis = 0; axis < shapeOf(from).size(); ++axis)
    copyAxis(info, axis, both, axis);
  return info;
}

AxisInfo halved(const AxisInfo &source, Type from, Type to) {
  AxisInfo info = elements(source, from, to);
  for (size_t axis = 0; axis < shapeOf(to).size(); ++axis)
    copyAxis(info, axis, source, axis);
  return info;
}

} // namespace

std::optional<AxisInfo> transferShape(Operation *op, AxisInfos in, OpResult result) {
  Type type = result.getType();
  using Info = std::optional<AxisInfo>;
  return llvm::TypeSwitch<Operation *, Info>(op)
      .Case([&](MakeRangeOp range) -> Info {
        AxisInfo info = AxisInfo::unknown(type);
        int64_t start = int32_t(range.getStart());
        info.contiguity[0] = shapeOf(type)[0];
        info.divisibility[0] = powerIn(start);
        info.low = start, info.high = start + shapeOf(type)[0] - 1;
        return info;
      })
      .Case([&](SplatOp splat) -> Info {
        AxisInfo info = elements(in[0], splat.getSrc().getType(), type);
        info.constancy = extentsOf(type);
        return info;
      })
      .Case([&](ExpandDimsOp expand) -> Info {
        return expanded(in[0], expand.getAxis(), expand.getSrc().getType(), type);
      })
      .Case(
          [&](BroadcastOp cast) -> Info { return broadcasted(in[0], shapeOf(cast.getSrc().getType()), shapeOf(type)); })
      .Case([&](TransOp trans) -> Info { return permuted(in[0], trans.getOrder()); })
      .Case([&](ReshapeOp reshape) -> Info { return reshaped(in[0], reshape); })
      .Case([&](JoinOp join) -> Info { return joined(in[0], in[1], join.getLhs().getType(), type); })
      .Case([&](SplitOp split) -> Info { return halved(in[0], split.getSrc().getType(), type); })
      .Case([&](CatOp) -> Info {
        AxisInfo info = common(in[0], in[1], op->getOperand(0).getType());
        if (info.constant())
          info.constancy.assign(1, shapeOf(type)[0]);
        return info;
      })
      .Case<GatherOp, SortOp>([&](auto moved) -> Info { return elements(in[0], moved.getSrc().getType(), type); })
      .Case([&](simt::ConvertLayoutOp) -> Info { return in[0]; })
      .Case([&](simt::JoinPartsOp) -> Info {
        AxisInfo info = in[0];
        for (const AxisInfo &part : in.drop_front())
          info = common(info, part, op->getOperand(0).getType());
        if (info.constant())
          info.constancy = extentsOf(type);
        return info;
      })
      .Default(Info());
}

} // namespace tegula::tile
