// tile-rotate-ranges (TilePasses.td): rotates the elements of rows so that accesses begin at aligned addresses.
#include "backends/cuda/passes/Passes.h"
#include "core/ir/simt/Simt.h"
#include "core/passes/analysis/EdgeAccess.h"
#include "core/passes/analysis/Uniform.h"
#include "core/passes/layouts/LayoutChoice.h"
#include "core/passes/layouts/LayoutGroups.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_ROTATERANGES
#include "backends/cuda/passes/TilePasses.h.inc"

namespace {

/// The tensors whose elements are numbered by one range: tensors computed from the range, and tensors that ops combine
/// with them. Tensors with all elements equal fit any order and are not members.
class Ordered {
public:
  explicit Ordered(MakeRangeOp range) : range_(range) {}

  /// Collects the members. Returns whether all ops on them have the same result for any order of the elements.
  bool collect() {
    add(range_.getResult());
    while (!pending_.empty() && isFree_) {
      Value member = pending_.pop_back_val();
      isFree_ &= mayDefine(member);
      for (OpOperand &use : member.getUses())
        isFree_ &= mayUse(use);
    }
    return isFree_;
  }

  /// The loads and stores through pointers that are members, in source order.
  SmallVector<Operation *> accesses() const {
    SmallVector<Operation *> found;
    range_->getParentOfType<func::FuncOp>().walk([&](Operation *op) {
      if (isa<LoadOp, StoreOp>(op) && members_.contains(op->getOperand(0)))
        found.push_back(op);
    });
    return found;
  }

private:
  void add(Value value) {
    if (isTensor(value) && !isUniform(value) && members_.insert(value).second)
      pending_.push_back(value);
  }
  bool addAll(ValueRange values) {
    for (Value value : values)
      add(value);
    return true;
  }

  bool addOperandsAndResults(Operation *op) { return addAll(op->getOperands()) && addAll(op->getResults()); }

  /// Adds to the members the values that value `number` of a loop or branch passes through: for a loop, the initial
  /// value, the argument, the yielded value and the result; for a branch, both yielded values and the result. False if
  /// `parent` is neither a `for` loop nor a branch.
  bool addCarried(Operation *parent, unsigned number) {
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return addAll({loop.getInitArgs()[number], loop.getRegionIterArg(number), loop.getYieldedValues()[number],
                     loop.getResult(number)});
    auto branch = dyn_cast<scf::IfOp>(parent);
    return branch && addAll({branch.getResult(number), branch.thenYield().getOperand(number),
                             branch.elseYield().getOperand(number)});
  }

  bool mayDefine(Value member) {
    if (auto argument = dyn_cast<BlockArgument>(member)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && addCarried(loop, argument.getArgNumber() - loop.getNumInductionVars());
    }
    Operation *op = member.getDefiningOp();
    if (isa<scf::ForOp, scf::IfOp>(op))
      return addCarried(op, cast<OpResult>(member).getResultNumber());
    return op == range_ || (isAnyOrder(op) && addOperandsAndResults(op));
  }

  bool mayUse(OpOperand &use) {
    Operation *op = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return addCarried(op, number - loop.getNumControlOperands());
    if (isa<scf::YieldOp>(op))
      return addCarried(op->getParentOp(), number);
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return reduce.isOneCommutativeOp();
    return isAnyOrder(op) && addOperandsAndResults(op);
  }

  static bool isAnyOrder(Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return !load.getIsVolatile();
    return isa<StoreOp>(op) || (isElementwise(op) && !isa<HintOp>(op));
  }

  MakeRangeOp range_;
  DenseSet<Value> members_;
  SmallVector<Value> pending_;
  bool isFree_ = true;
};

/// Moves the ops that compute a scalar before `op`, if they are pure and in its block.
bool moveBefore(Value scalar, Operation *op) {
  Operation *definition = scalar.getDefiningOp();
  if (!definition || definition->getBlock() != op->getBlock() || definition->isBeforeInBlock(op))
    return true;
  if (definition->getNumRegions() != 0 || !isPure(definition))
    return false;
  for (Value operand : definition->getOperands())
    if (isTensor(operand) || !moveBefore(operand, op))
      return false;
  definition->moveBefore(op);
  return true;
}

class Rotation {
public:
  Rotation(func::FuncOp function, int64_t bytes, ThreadShape threads)
      : axes_(function), bytes_(bytes), threads_(threads) {}

  void run(MakeRangeOp range) {
    Ordered ordered(range);
    int64_t extent = shapeOf(range.getType())[0];
    if (int32_t(range.getStart()) != 0 || extent < 2 * threads_.count() || !ordered.collect())
      return;
    // The row with the widest elements decides the rotation. If a row is known to be aligned, the range is not rotated,
    // because that row would lose its alignment. Exempt are loads of rows that all programs share (isArgument).
    int64_t most = 0;
    bool hasSharedRow = false;
    Value origin;
    for (Operation *access : ordered.accesses()) {
      Value pointers = accessedPointers(access);
      int64_t bytes = bytesOf(pointers);
      bool isAligned = axes_.accessWidth(pointers, Value(), 0) > 1;
      if (isAligned && !(isa<LoadOp>(access) && isLine(pointers, range) && isArgument(baseOf(pointers))))
        return;
      hasSharedRow |= isAligned;
      if (!isAligned && isLine(pointers, range) && bytes > most && bytes < kWide)
        origin = originOf(pointers, range), most = bytes;
    }
    if (!origin || !moveBefore(origin, range))
      return;
    OpBuilder builder(range->getContext());
    builder.setInsertionPointAfter(range);
    Value rotated = rotate(builder, range, origin, hasSharedRow ? std::min(bytes_, most * threads_.warpSize) : bytes_);
    Operation *moved = rotated.getDefiningOp()->getOperand(0).getDefiningOp();
    range.getResult().replaceAllUsesExcept(rotated, moved);
  }

private:
  static constexpr int64_t kWide = 16;

  static int64_t bytesOf(Value pointers) {
    return simt::elementBytes(cast<PtrType>(getElementTypeOrSelf(pointers.getType())).getPointee());
  }

  /// Whether the pointers are a scalar pointer plus the range.
  static bool isLine(Value pointers, MakeRangeOp range) {
    auto sum = pointers.getDefiningOp<AddPtrOp>();
    if (!sum || !sum.getPtr().getDefiningOp<SplatOp>())
      return false;
    Value offset = sum.getOffset();
    if (auto wide = offset.getDefiningOp<arith::ExtSIOp>())
      offset = wide.getIn();
    return offset == range.getResult();
  }

  /// The scalar pointer to which a row's pointers add the range.
  static Value baseOf(Value pointers) {
    return pointers.getDefiningOp<AddPtrOp>().getPtr().getDefiningOp<SplatOp>().getSrc();
  }

  /// Whether a pointer is an argument of the kernel: the row there is the same for all programs. Loads of such a row
  /// hit the multiprocessor's cache, so loading it element by element, at any address, costs little.
  static bool isArgument(Value base) {
    auto argument = dyn_cast<BlockArgument>(base);
    return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  }

  /// The base of the pointers. If the base changes in a loop: a pointer from before the loop. The two are expected to
  /// differ by whole blocks, so that they have the same alignment; the emitted code tests at run time whether they
  /// have.
  static Value originOf(Value pointers, MakeRangeOp range) {
    Value origin = baseOf(pointers);
    while (origin && !origin.getParentRegion()->isAncestor(range->getParentRegion())) {
      auto argument = dyn_cast<BlockArgument>(origin);
      auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
      auto sum = origin.getDefiningOp<AddPtrOp>();
      origin = loop  ? loop.getInitArgs()[argument.getArgNumber() - loop.getNumInductionVars()]
               : sum ? sum.getPtr()
                     : Value();
    }
    return origin;
  }

  AxisAnalysis axes_;
  int64_t bytes_;
  ThreadShape threads_;
};

struct RotateRangesPass : impl::RotateRangesBase<RotateRangesPass> {
  using impl::RotateRangesBase<RotateRangesPass>::RotateRangesBase;
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(kKernelAttr) || simt::isKernel(function) || !narrowsEdges(function))
        continue;
      SmallVector<MakeRangeOp> ranges;
      function.walk([&](MakeRangeOp range) { ranges.push_back(range); });
      Rotation rotation(function, bytes, threadsOf(function));
      for (MakeRangeOp range : ranges)
        rotation.run(range);
    }
  }
};

} // namespace
} // namespace tegula::tile
