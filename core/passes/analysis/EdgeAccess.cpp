#include "core/passes/analysis/EdgeAccess.h"

#include "core/ir/simt/Simt.h"
#include "core/ir/simt/Target.h"
#include "core/passes/analysis/AxisTransfer.h"
#include "core/passes/analysis/Uniform.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tile {
namespace {

constexpr int64_t kMostBytes = 16;

std::optional<int64_t> wholeConstant(Value value) {
  DenseIntElementsAttr dense;
  if (matchPattern(value, m_Constant(&dense)))
    return dense.isSplat() ? std::optional(dense.getSplatValue<APInt>().getSExtValue()) : std::nullopt;
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) ? std::optional(constant.getSExtValue()) : std::nullopt;
}

/// Counts how often a mask can change between true and false along each group of `width` elements, if its true elements
/// are consecutive: 0, 1 or 2 times. Nothing for other masks.
class MaskEdges {
public:
  MaskEdges(const AxisView &view, std::optional<RotatedRange> rotated, int64_t width)
      : view_(view), rotated_(rotated), width_(width) {}

  std::optional<unsigned> of(Value mask, size_t axis) const {
    if (view_.of(mask).constancy[axis] >= width_)
      return 0;
    Operation *op = mask.getDefiningOp();
    if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
      std::optional<unsigned> left = of(both.getLhs(), axis), right = of(both.getRhs(), axis);
      return left && right ? std::optional(*left + *right) : std::nullopt;
    }
    if (auto expand = dyn_cast_or_null<ExpandDimsOp>(op))
      return expand.getAxis() == axis ? std::optional(0u) : of(expand.getSrc(), axis - (axis > expand.getAxis()));
    if (auto spread = dyn_cast_or_null<BroadcastOp>(op))
      return shapeOf(spread.getSrc().getType())[axis] == 1 ? std::optional(0u) : of(spread.getSrc(), axis);
    auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
    using P = arith::CmpIPredicate;
    if (!compare || compare.getPredicate() == P::eq || compare.getPredicate() == P::ne)
      return std::nullopt;
    for (auto [counts, bound] : {std::pair(compare.getLhs(), compare.getRhs()), {compare.getRhs(), compare.getLhs()}})
      if (isCounting(counts, axis) && view_.of(bound).constancy[axis] >= width_)
        return 1;
    return std::nullopt;
  }

private:
  /// Whether each group counts up by one without a wrap. Aligned groups never contain the step from a type's last
  /// number to its first. (In a rotated range, the one group that wraps is never a single access.)
  bool isCounting(Value value, size_t axis) const {
    if (auto range = rotatedRange(value))
      return rotated_ && range->isLike(*rotated_);
    AxisInfo info = view_.of(value);
    return info.contiguity[axis] >= width_ && info.divisibility[axis] >= width_;
  }

  const AxisView &view_;
  std::optional<RotatedRange> rotated_;
  int64_t width_;
};

} // namespace

Value rotate(OpBuilder &builder, MakeRangeOp range, Value origin, int64_t bytes) {
  Location location = range.getLoc();
  auto type = cast<RankedTensorType>(range.getType());
  auto number = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(builder, location, value, 32); };
  Value address = PtrToIntOp::create(builder, location, builder.getI64Type(), origin);
  Value low = arith::TruncIOp::create(builder, location, builder.getI32Type(), address);
  Value shift = arith::AndIOp::create(builder, location, low, number(bytes - 1));
  shift = arith::ShRUIOp::create(builder, location, shift, number(llvm::Log2_64(stepOf(origin.getType()))));
  Value moved = arith::SubIOp::create(builder, location, range, SplatOp::create(builder, location, type, shift));
  auto mask = DenseElementsAttr::get(type, builder.getI32IntegerAttr(int32_t(type.getDimSize(0) - 1)));
  return arith::AndIOp::create(builder, location, moved, arith::ConstantOp::create(builder, location, mask));
}

std::optional<RotatedRange> rotatedRange(Value integers) {
  if (auto wide = integers.getDefiningOp<arith::ExtSIOp>())
    integers = wide.getIn();
  auto masked = integers.getDefiningOp<arith::AndIOp>();
  auto moved = masked ? masked.getLhs().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  auto range = moved ? moved.getLhs().getDefiningOp<MakeRangeOp>() : MakeRangeOp();
  auto shifts = moved ? moved.getRhs().getDefiningOp<SplatOp>() : SplatOp();
  if (!range || !shifts || int32_t(range.getStart()) != 0 ||
      wholeConstant(masked.getRhs()) != int32_t(range.getEnd()) - 1)
    return std::nullopt;
  auto inElements = shifts.getSrc().getDefiningOp<arith::ShRUIOp>();
  auto behind = inElements ? inElements.getLhs().getDefiningOp<arith::AndIOp>() : arith::AndIOp();
  auto low = behind ? behind.getLhs().getDefiningOp<arith::TruncIOp>() : arith::TruncIOp();
  auto address = low ? low.getIn().getDefiningOp<PtrToIntOp>() : PtrToIntOp();
  std::optional<int64_t> last = behind ? wholeConstant(behind.getRhs()) : std::nullopt;
  if (!address || !last || !llvm::isPowerOf2_64(*last + 1) ||
      wholeConstant(inElements.getRhs()) != int64_t(llvm::Log2_64(stepOf(address.getSrc().getType()))))
    return std::nullopt;
  return RotatedRange{address.getSrc(), shifts.getSrc(), *last + 1};
}

bool EdgeAccess::isAligned() const {
  return !rotated || (rotated->origin == base && rotated->bytes >= width * stepOf(base.getType()));
}

EdgeAccess edgeAccess(const AxisView &view, Value pointers, Value mask, size_t axis) {
  EdgeAccess access;
  int64_t most = std::max<int64_t>(kMostBytes / stepOf(pointers.getType()), 1);
  auto sum = pointers.getDefiningOp<AddPtrOp>();
  auto bases = sum ? sum.getPtr().getDefiningOp<SplatOp>() : SplatOp();
  if (bases)
    access.rotated = rotatedRange(sum.getOffset());
  if (access.rotated) {
    access.base = bases.getSrc();
    // The rotation aligns accesses to the row at `origin`. If this access is to another row, at `base`, that is known
    // to be aligned without the rotation, the rotation misaligns it: its elements are accessed one by one.
    bool isKnown =
        access.rotated->origin != access.base && view.of(access.base).divisibility[0] > stepOf(access.base.getType());
    access.width = isKnown ? 1 : std::min(most, shapeOf(pointers.getType())[axis]);
  } else {
    access.width = view.accessWidth(pointers, Value(), axis);
  }
  unsigned edges = 0;
  for (; mask && access.width > 1; access.width /= 2)
    if (auto found = MaskEdges(view, access.rotated, access.width).of(mask, axis)) {
      edges = *found;
      break;
    }
  access.endsOnce = edges <= 1;
  return access;
}

bool narrowsEdges(Operation *function) {
  if (!simt::targetOf(function->getParentOfType<ModuleOp>()).policies.narrowsEdges)
    return false;
  return !function
              ->walk([](Operation *op) {
                return isa<DotOp, simt::ProductOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

} // namespace tegula::tile
