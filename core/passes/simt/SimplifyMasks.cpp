// simt-simplify-masks; see SimtPasses.td.
#include "core/passes/Passes.h"
#include "core/passes/simt/RotatedMasks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <bit>
#include <limits>
#include <optional>

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_SIMPLIFYMASKS
#include "core/passes/SimtPasses.h.inc"

namespace {

constexpr int64_t kLeastElements = 8; // of a mask, for two copies: more than a thread has registers for truth values
constexpr int64_t kLeastUses = 2;     // of that mask

std::optional<int64_t> mostOf(Value value);

/// `value` as a number if it is one that fits an i32; negative numbers count as none.
std::optional<int64_t> within(int64_t value) {
  return value >= 0 && value <= std::numeric_limits<int32_t>::max() ? std::optional(value) : std::nullopt;
}

/// mostOf of an op with two operands.
std::optional<int64_t> mostOfBoth(Operation *op) {
  std::optional<int64_t> left = mostOf(op->getOperand(0)), right = mostOf(op->getOperand(1));
  if (isa<arith::AndIOp>(op) && (left || right))
    return std::min(left.value_or(*right), right.value_or(*left));
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return within(*left + *right);
  if (isa<arith::MulIOp>(op))
    return within(*left * *right);
  if (isa<arith::ShLIOp>(op))
    return *right < 31 ? within(*left << *right) : std::nullopt;
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(*left, *right)) + 1)) - 1; // or, xor
}

/// An upper bound of the i32 `value`, a thread's number or computed from it, if it is shown not to be negative.
std::optional<int64_t> mostOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return within(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto kernel = op->getParentOfType<func::FuncOp>();
  if (isa<ThreadIdOp>(op))
    return kernelWarps(kernel) * kernelWarpSize(kernel) - 1;
  if (isa<LaneIdOp>(op))
    return kernelWarpSize(kernel) - 1;
  if (isa<WarpIdOp>(op))
    return kernelWarps(kernel) - 1;
  if (isa<arith::AddIOp, arith::MulIOp, arith::ShLIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return mostOfBoth(op);
  return std::nullopt;
}

/// A mask `first + constants < bound` of elements whose numbers first + constants are not negative.
struct RangeMask {
  arith::CmpIOp compare;
  Value bound; // i32
  int64_t mostFirst = 0;
  DenseIntElementsAttr constants;
};

/// Nothing where `compare` is not of this form.
std::optional<RangeMask> rangeMaskOf(arith::CmpIOp compare) {
  auto sum = compare.getLhs().getDefiningOp<arith::AddIOp>();
  auto bound = compare.getRhs().getDefiningOp<SplatOp>();
  auto first = sum ? sum.getLhs().getDefiningOp<SplatOp>() : SplatOp();
  DenseIntElementsAttr constants;
  if (compare.getPredicate() != arith::CmpIPredicate::slt || !first || !bound ||
      !first.getSrc().getType().isInteger(32) || !matchPattern(sum.getRhs(), m_Constant(&constants)))
    return std::nullopt;
  std::optional<int64_t> most = mostOf(first.getSrc());
  for (const APInt &constant : constants.getValues<APInt>())
    if (!most || constant.isNegative() || !within(*most + constant.getSExtValue()))
      return std::nullopt;
  return RangeMask{compare, bound.getSrc(), *most, constants};
}

/// Rewrites first + constants < bound as max(bound, 0) - first > constants. Neither max(bound, 0) nor `first` is
/// negative, so the difference does not wrap. For a negative bound both forms are false, because first + constants is
/// not negative.
void compareDistance(RangeMask &mask) {
  arith::CmpIOp op = mask.compare;
  auto sum = op.getLhs().getDefiningOp<arith::AddIOp>();
  OpBuilder b(op);
  Location location = op.getLoc();
  Value zero = b.create<arith::ConstantOp>(location, b.getI32IntegerAttr(0));
  Value limit = b.create<arith::MaxSIOp>(location, mask.bound, zero);
  Value distance = b.create<arith::SubIOp>(location, limit, sum.getLhs().getDefiningOp<SplatOp>().getSrc(),
                                           arith::IntegerOverflowFlags::nsw);
  Value splat = b.create<SplatOp>(location, op.getLhs().getType(), distance);
  mask.compare = b.create<arith::CmpIOp>(location, arith::CmpIPredicate::sgt, splat, sum.getRhs());
  op.replaceAllUsesWith(mask.compare.getResult());
  op.erase();
}

/// The constant in the middle, which half of the constants do not exceed.
int64_t middleOf(DenseIntElementsAttr constants) {
  SmallVector<int64_t> sorted =
      llvm::map_to_vector(constants.getValues<APInt>(), [](const APInt &value) { return value.getSExtValue(); });
  llvm::sort(sorted);
  return sorted[sorted.size() / 2 - 1];
}

/// Whether two copies of what follows the mask pay: it is straight-line code of a row, whose masks are used several
/// times.
bool paysTwice(RangeMask &mask) {
  Operation *op = mask.compare;
  auto kernel = dyn_cast<func::FuncOp>(op->getParentOp());
  if (!kernel || elementsOf(mask.compare.getType()) < kLeastElements ||
      llvm::range_size(mask.compare.getResult().getUses()) < kLeastUses)
    return false;
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (next->getNumRegions() || isa<SharedAllocOp, BarrierAllocOp>(next) ||
        (isa<Collective>(next) && !isa<BarrierOp, ShuffleOp>(next)))
      return false;
  return true;
}

/// Everything behind the mask in two copies. The first runs if the bound is so large that half of the mask's elements
/// are inside for all threads, and knows it: a row's block is the next power of two of its length.
void splitByBound(RangeMask &mask) {
  int64_t middle = middleOf(mask.constants);
  arith::CmpIOp compare = mask.compare;
  SmallVector<Operation *> behind;
  for (Operation *op = compare->getNextNode(); !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
    behind.push_back(op);
  OpBuilder b(compare->getContext());
  b.setInsertionPointAfter(compare);
  Location location = compare.getLoc();
  SmallVector<bool> inside;
  for (const APInt &constant : mask.constants.getValues<APInt>())
    inside.push_back(constant.getSExtValue() <= middle);
  Value known = b.create<arith::ConstantOp>(
      location, DenseElementsAttr::get(cast<VectorType>(compare.getType()), ArrayRef<bool>(inside)));
  Value most = b.create<arith::ConstantOp>(location, b.getI32IntegerAttr(int32_t(mask.mostFirst + middle)));
  Value isLong = b.create<arith::CmpIOp>(location, arith::CmpIPredicate::sgt, mask.bound, most);
  auto branch = b.create<scf::IfOp>(location, isLong, /*withElseRegion=*/true);
  branch->setAttr(kUniformAttr, b.getUnitAttr());
  b.setInsertionPointToStart(branch.thenBlock());
  IRMapping copies;
  copies.map(compare.getResult(), b.create<arith::OrIOp>(location, compare, known).getResult());
  for (Operation *op : behind)
    b.clone(*op, copies);
  for (Operation *op : behind)
    op->moveBefore(branch.elseBlock()->getTerminator());
}

/// Whether element i of the op's one result depends on the elements i of its operands, or on scalars, and on nothing
/// else. `elements`: of the result.
bool isElementwise(Operation *op, int64_t elements) {
  StringRef dialect = op->getName().getDialectNamespace();
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         (dialect == arith::ArithDialect::getDialectNamespace() ||
          dialect == math::MathDialect::getDialectNamespace() || isa<tile::FpCastOp>(op)) &&
         elementsOf(op->getResult(0).getType()) == elements;
}

/// Whether nobody sees what the load gives for elements whose mask is false: all that is computed of an element ends in
/// stores under the same mask.
bool isMaskedDead(LoadOp load) {
  int64_t elements = elementsOf(load.getType()), masks = elementsOf(load.getMask().getType());
  SmallVector<Value> pending = {load.getResult()};
  llvm::SmallPtrSet<Value, 16> seen = {load.getResult()};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto store = dyn_cast<StoreOp>(user)) {
        if (use.get() != store.getValue() || store.getMask() != load.getMask() ||
            elementsOf(store.getOffset().getType()) != masks)
          return false;
      } else if (!isElementwise(user, elements)) {
        return false;
      } else if (seen.insert(user->getResult(0)).second) {
        pending.push_back(user->getResult(0));
      }
    }
  }
  return true;
}

struct SimplifyMasksPass : impl::SimplifyMasksBase<SimplifyMasksPass> {
  void runOnOperation() override {
    getOperation()->walk([](LoadOp load) {
      if (load.getMask() && !load.getIsVolatile() && isMaskedDead(load)) {
        load.getOtherMutable().clear();
        load->setAttr(kMaskedDeadAttr, UnitAttr::get(load.getContext()));
      }
    });
    SmallVector<RangeMask> masks;
    getOperation()->walk([&](arith::CmpIOp op) {
      if (std::optional<RangeMask> mask = rangeMaskOf(op))
        masks.push_back(*mask);
    });
    for (RangeMask &mask : masks)
      compareDistance(mask);
    simplifyRotatedMasks(getOperation());
    if (auto found = llvm::find_if(masks, paysTwice); found != masks.end())
      splitByBound(*found);
  }
};

} // namespace
} // namespace tegula::simt
