// tile-defer-sums (TilePasses.td): lets a loop carry a total as one partial total for each thread, and adds these after
// the loop.
#include "backends/cuda/passes/Passes.h"
#include "core/ir/layout/LayoutRules.h"
#include "core/ir/simt/Simt.h"
#include "core/passes/analysis/NotNegative.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_DEFERSUMS
#include "backends/cuda/passes/TilePasses.h.inc"

namespace {

using layout_ir::DistributedAttr;

RankedTensorType tensorType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

DistributedAttr layoutOf(RankedTensorType type) { return dyn_cast_or_null<DistributedAttr>(type.getEncoding()); }

RankedTensorType withLayout(RankedTensorType like, ArrayRef<int64_t> shape, Attribute layout) {
  return RankedTensorType::get(shape, like.getElementType(), layout);
}

/// Whether each element is between 0 and 1, or NaN: an exponential of `x - max(x, ...)`.
bool isShrinking(Value factor) {
  Operation *power = factor.getDefiningOp();
  auto difference = isa_and_nonnull<math::ExpOp, math::Exp2Op>(power)
                        ? power->getOperand(0).getDefiningOp<arith::SubFOp>()
                        : arith::SubFOp();
  Operation *larger = difference ? difference.getRhs().getDefiningOp() : nullptr;
  return isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp>(larger) &&
         llvm::is_contained(larger->getOperands(), difference.getLhs());
}

/// The bits of the coordinate along one axis that lanes, warps and blocks select: `count` consecutive bits from bit
/// `low` on.
struct OfThreads {
  unsigned low = 0, count = 0;

  /// Returns the bits that threads select along the axis. Nothing if threads select none, if the bits that threads
  /// select are not consecutive, if a register, lane, warp or block bit changes more than one bit of the coordinates,
  /// or if two of them change one bit.
  static std::optional<OfThreads> along(DistributedAttr layout, unsigned axis, int64_t extent) {
    uint64_t ofThreads = 0, ofRegisters = 0;
    auto collect = [&](ArrayRef<int64_t> bases, uint64_t &bits) {
      for (size_t at = 0; at < bases.size(); at += layout.getRank()) {
        ArrayRef<int64_t> basis = bases.slice(at, layout.getRank());
        uint64_t step = uint64_t(basis[axis]);
        bool spansAxes = llvm::count_if(basis, [](int64_t each) { return each != 0; }) > 1;
        if (step && (spansAxes || !llvm::isPowerOf2_64(step) || (ofThreads | ofRegisters) & step))
          return false;
        bits |= step;
      }
      return true;
    };
    if (!collect(layout.getRegisters(), ofRegisters) || !collect(layout.getLanes(), ofThreads) ||
        !collect(layout.getWarps(), ofThreads) || !collect(layout.getBlocks(), ofThreads) || !ofThreads ||
        (ofThreads | ofRegisters) != uint64_t(extent) - 1)
      return std::nullopt;
    OfThreads found{unsigned(llvm::countr_zero(ofThreads)), unsigned(llvm::popcount(ofThreads))};
    return llvm::isShiftedMask_64(ofThreads) ? std::optional(found) : std::nullopt;
  }
};

/// A loop-carried total to which the loop adds sums along an axis, such as the denominator of an online softmax:
///
///     total = total * factor + sum(elements, axis)
///
/// Each thread can add its own elements to a partial total instead; the partial totals are added after the loop.
class RunningSum {
public:
  static std::optional<RunningSum> of(scf::ForOp loop, unsigned number, NotNegative &signs) {
    RunningSum found(loop, number);
    return found.findUpdate(signs) && found.findPartials() ? std::optional(found) : std::nullopt;
  }

  /// Rewrites the loop. Afterwards `signs` knows that the total after the loop is not negative.
  void defer(NotNegative &signs) {
    OpBuilder b(update_);
    Value own = reducedInThreads(b);
    Value carried = loop_.getRegionIterArg(number_);
    carried.setType(own.getType());
    if (factor_)
      carried =
          arith::MulFOp::create(b, update_.getLoc(), carried, spread(b, factor_, axis_), scaled_.getFastmathAttr());
    Value next = arith::AddFOp::create(b, update_.getLoc(), carried, own, update_.getFastmathAttr());
    loop_.getBody()->getTerminator()->setOperand(number_, next);
    OpBuilder before(loop_);
    loop_.getInitArgsMutable()[number_].assign(initialPartials(before, loop_.getInitArgs()[number_]));
    signs.know(sumAfterLoop());
    update_.erase();
    if (scaled_)
      scaled_.erase();
    reduce_.erase();
  }

private:
  RunningSum(scf::ForOp loop, unsigned number) : loop_(loop), number_(number) {}

  bool findUpdate(NotNegative &signs) {
    BlockArgument carried = loop_.getRegionIterArg(number_);
    update_ = loop_.getYieldedValues()[number_].getDefiningOp<arith::AddFOp>();
    Type element = getElementTypeOrSelf(carried.getType());
    if (!tensorType(carried) || !(element.isF32() || element.isF64()) || !carried.hasOneUse() || !update_ ||
        !update_->hasOneUse() || update_->hasAttr(kRoundedAttr))
      return false;
    for (auto [sum, other] : {std::pair(update_.getLhs(), update_.getRhs()), {update_.getRhs(), update_.getLhs()}}) {
      reduce_ = sum.getDefiningOp<ReduceOp>();
      if (!reduce_ || reduce_->getBlock() != loop_.getBody() || !sum.hasOneUse() || !sumOf(reduce_) ||
          sumOf(reduce_)->hasAttr(kRoundedAttr))
        continue;
      scaled_ = other.getDefiningOp<arith::MulFOp>();
      if (scaled_ && scaled_->hasOneUse() && !scaled_->hasAttr(kRoundedAttr) &&
          llvm::is_contained(scaled_->getOperands(), carried))
        factor_ = scaled_.getLhs() == carried ? scaled_.getRhs() : scaled_.getLhs();
      if (factor_ ? !isShrinking(factor_) : other != carried)
        return false;
      axis_ = reduce_.getAxis();
      return signs.holdsForAll({reduce_.getSrcs().front(), loop_.getInitArgs()[number_]});
    }
    return false;
  }

  bool findPartials() {
    RankedTensorType elements = tensorType(reduce_.getSrcs().front());
    DistributedAttr layout = layoutOf(elements);
    std::optional<OfThreads> ofThreads;
    if (layout)
      ofThreads = OfThreads::along(layout, axis_, elements.getDimSize(axis_));
    if (!ofThreads)
      return false;
    int64_t inner = int64_t(1) << ofThreads->low, threads = int64_t(1) << ofThreads->count;
    divided_.assign(elements.getShape().begin(), elements.getShape().end());
    divided_[axis_] /= inner * threads;
    divided_.insert(divided_.begin() + axis_ + 1, {threads, inner});
    dividedLayout_ = layout_ir::reshape(layout, elements.getShape(), divided_);
    SmallVector<int64_t> shape(divided_);
    DistributedAttr outer = layout_ir::reduce(dividedLayout_, shape, axis_ + 2);
    shape.erase(shape.begin() + axis_ + 2);
    partialLayout_ = layout_ir::reduce(outer, shape, axis_);
    shape.erase(shape.begin() + axis_);
    partialShape_ = shape;
    // The factor has the total's layout. Two changes must be possible without moving elements between threads:
    // repeating the factor along the axes of the partial totals, and giving the sum of the partial totals the total's
    // layout.
    auto total = cast<RankedTensorType>(update_.getType());
    SmallVector<int64_t> repeated(shape);
    repeated[axis_] = 1;
    return layoutOf(total) &&
           layout_ir::localRegisters(layout_ir::expandDims(layoutOf(total), axis_), repeated, partialLayout_, shape) &&
           layout_ir::localRegisters(sumLayout(), total.getShape(), layoutOf(total), total.getShape());
  }

  /// The layout of the sum of the partial totals.
  DistributedAttr sumLayout() const { return layout_ir::reduce(partialLayout_, partialShape_, axis_); }

  /// Emits the same reduction as `reduce_`, but of `elements` along `axis`.
  Value reduced(OpBuilder &b, Value elements, unsigned axis) {
    RankedTensorType type = tensorType(elements);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    auto sum = cast<ReduceOp>(b.clone(*reduce_));
    sum.getSrcsMutable().assign(elements);
    sum.setAxis(axis);
    sum->getResult(0).setType(withLayout(type, shape, layout_ir::reduce(layoutOf(type), type.getShape(), axis)));
    return sum->getResult(0);
  }

  /// Emits, for each thread, the sum along the axis of those elements that the thread holds itself.
  Value reducedInThreads(OpBuilder &b) {
    Value elements = reduce_.getSrcs().front();
    RankedTensorType type = tensorType(elements);
    Value divided =
        ReshapeOp::create(b, reduce_.getLoc(), withLayout(type, divided_, dividedLayout_), elements, UnitAttr());
    return reduced(b, reduced(b, divided, axis_ + 2), axis_);
  }

  /// Repeats a tensor, which lacks the axes `missing` of the partial totals, along these axes.
  Value spread(OpBuilder &b, Value value, ArrayRef<unsigned> missing) {
    for (unsigned axis : missing)
      value = ExpandDimsOp::create(b, value.getLoc(), value, axis);
    return BroadcastOp::create(b, value.getLoc(), withLayout(tensorType(value), partialShape_, partialLayout_), value);
  }

  /// The partial totals before the first iteration: the first partial total of each element is `init`, the others are
  /// 0.
  Value initialPartials(OpBuilder &b, Value init) {
    Location location = init.getLoc();
    auto constant = [&](Type type) -> Value {
      return arith::ConstantOp::create(b, location, cast<TypedAttr>(b.getZeroAttr(type)));
    };
    RankedTensorType type = withLayout(tensorType(init), partialShape_, partialLayout_);
    if (matchPattern(init, m_PosZeroFloat()))
      return constant(type);
    SmallVector<int64_t> shape(partialShape_);
    DistributedAttr layout = partialLayout_;
    SmallVector<unsigned> others;
    for (unsigned axis = unsigned(shape.size()); axis-- > 0;)
      if (axis != axis_) {
        layout = layout_ir::reduce(layout, shape, axis);
        shape.erase(shape.begin() + axis);
        others.insert(others.begin(), axis);
      }
    Value number = MakeRangeOp::create(b, location, RankedTensorType::get(shape, b.getI32Type(), layout), 0,
                                       uint32_t(shape.front()));
    Value isFirst = arith::CmpIOp::create(b, location, arith::CmpIPredicate::eq, number, constant(number.getType()));
    Value chosen = spread(b, isFirst, others);
    return arith::SelectOp::create(b, location, chosen, spread(b, init, axis_), constant(type));
  }

  /// Adds the partial totals after the loop and replaces the uses of the loop's result. Returns the total.
  Value sumAfterLoop() {
    OpBuilder b(loop_->getContext());
    b.setInsertionPointAfter(loop_);
    Value result = loop_.getResult(number_);
    Type before = result.getType();
    result.setType(loop_.getRegionIterArg(number_).getType());
    Value total = reduced(b, result, axis_);
    Operation *sum = total.getDefiningOp();
    if (total.getType() != before)
      total = simt::ConvertLayoutOp::create(b, result.getLoc(), before, total);
    result.replaceAllUsesExcept(total, sum);
    return total;
  }

  scf::ForOp loop_;
  unsigned number_;
  arith::AddFOp update_;
  arith::MulFOp scaled_; // carried * factor; null if there is no factor
  Value factor_;
  ReduceOp reduce_;
  unsigned axis_ = 0;
  DistributedAttr dividedLayout_;
  SmallVector<int64_t> divided_; // the elements' shape with the axis divided into three: registers, threads, registers
  SmallVector<int64_t> partialShape_; // `divided_` without the axes of registers
  DistributedAttr partialLayout_;     // the layout of the partial totals
};

struct DeferSumsPass : impl::DeferSumsBase<DeferSumsPass> {
  void runOnOperation() override {
    // One cache for all loops, although `defer` erases ops. The results of erased ops are never in the cache: each has
    // one use only, and NotNegative does not follow that use.
    NotNegative signs;
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
        if (std::optional<RunningSum> sum = RunningSum::of(loop, number, signs))
          sum->defer(signs);
  }
};

} // namespace
} // namespace tegula::tile
