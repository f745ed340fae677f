// simt-simplify-masks (SimtPasses.td): simplifies the masks of rows: distances, specialized copies for long rows, dead
// elements.
#include "backends/cuda/passes/Passes.h"
#include "backends/cuda/passes/RotatedMasks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <optional>

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_SIMPLIFYMASKS
#include "backends/cuda/passes/SimtPasses.h.inc"

namespace {

// the fewest elements of a mask for which code is copied: more than a thread has registers for truth values
constexpr size_t kLeastElements = 8;
constexpr int64_t kLeastUses = 2; // the fewest accesses under that mask

/// A mask `numbers < bound`. With `rotated`, the compared values are those numbers after tile-rotate-ranges.
struct RangeMask {
  arith::CmpIOp compare;
  Value bound; // i32
  ThreadNumbers numbers;
  std::optional<RotatedNumbers> rotated;
};

/// The comparison as a RangeMask; nothing if it does not have the form `numbers < bound`.
std::optional<RangeMask> rangeMaskOf(arith::CmpIOp compare) {
  auto bound = compare.getRhs().getDefiningOp<SplatOp>();
  if (compare.getPredicate() != arith::CmpIPredicate::slt || !bound)
    return std::nullopt;
  std::optional<RotatedNumbers> rotated = rotatedNumbersOf(compare.getLhs());
  std::optional<ThreadNumbers> numbers = rotated ? rotated->numbers : threadNumbersOf(compare.getLhs());
  return numbers ? std::optional(RangeMask{compare, bound.getSrc(), *numbers, rotated}) : std::nullopt;
}

/// Emits `limit - first > constants`. The mask compares the numbers `first + constants[k]` of elements k
/// (ThreadNumbers) with the bound; the emitted comparison equals it if no sum is negative. `limit` is the bound, or 0
/// if the bound is negative. For rotated numbers, `first` is replaced by `first - rotation`, the result is valid for
/// elements that do not wrap, and `limit` is at most the extent, so that the difference does not overflow.
Value distanceMask(OpBuilder &b, RangeMask &mask) {
  Location location = mask.compare.getLoc();
  Type type = mask.compare.getLhs().getType();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, location, b.getI32IntegerAttr(int32_t(value)));
  };
  Value limit = arith::MaxSIOp::create(b, location, mask.bound, number(0));
  if (mask.rotated)
    limit = arith::MinSIOp::create(b, location, limit, number(mask.rotated->extent));
  Value first = mask.rotated ? movedFirst(b, *mask.rotated, location) : mask.numbers.first;
  Value distance = arith::SubIOp::create(b, location, limit, first, arith::IntegerOverflowFlags::nsw);
  Value splat = SplatOp::create(b, location, type, distance);
  return arith::CmpIOp::create(b, location, arith::CmpIPredicate::sgt, splat,
                               constantsLike(b, location, type, mask.numbers.constants));
}

/// Replaces the mask `numbers < bound`, whose numbers are not rotated, by distanceMask: a comparison of the one
/// distance `bound - first` with constants.
void compareDistance(RangeMask &mask) {
  OpBuilder b(mask.compare);
  auto made = distanceMask(b, mask).getDefiningOp<arith::CmpIOp>();
  mask.compare.replaceAllUsesWith(made.getResult());
  mask.compare.erase();
  mask.compare = made;
}

/// The constants (ThreadNumbers) up to which copies of the code take the mask to be true: of a thread's sorted
/// constants, those at three quarters and at half. Only the one at half, if the truth values of the upper half fit a
/// thread's predicate registers.
SmallVector<int64_t> partsOf(SmallVector<int64_t> constants) {
  llvm::sort(constants);
  size_t half = constants.size() / 2;
  SmallVector<int64_t> parts;
  if (half >= kLeastElements)
    parts.push_back(constants[half + half / 2 - 1]);
  parts.push_back(constants[half - 1]);
  return parts;
}

/// Whether the numbers are used only by this comparison and as offsets of accesses under this mask. The numbers of
/// elements that the mask excludes then have no effect.
bool hidesOthers(RangeMask &mask) {
  Value numbers = mask.compare.getLhs(), inside = mask.compare.getResult();
  return llvm::all_of(numbers.getUses(), [&](OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto load = dyn_cast<LoadOp>(op))
      return use.get() == load.getOffset() && load.getMask() == inside;
    if (auto store = dyn_cast<StoreOp>(op))
      return store.getValue() != numbers && store.getMask() == inside;
    return op == mask.compare;
  });
}

/// Whether copying the code after the mask pays: the code has no branches, and the mask guards several accesses.
bool paysCopies(RangeMask &mask) {
  Operation *op = mask.compare;
  auto kernel = dyn_cast<func::FuncOp>(op->getParentOp());
  if (!kernel || mask.numbers.constants.size() < kLeastElements ||
      llvm::range_size(mask.compare.getResult().getUses()) < kLeastUses || (mask.rotated && !hidesOthers(mask)))
    return false;
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (next->getNumRegions() || isa<SharedAllocOp, BarrierAllocOp>(next) ||
        (isa<Collective>(next) && !isa<BarrierOp, ShuffleOp>(next)))
      return false;
  return true;
}

/// Maps rotated numbers and their mask to forms without a remainder, for code in which the bound is at most extent -
/// mostRotation. The mask excludes elements that wrap, because their numbers are larger than the bound; without the
/// remainder their numbers are negative, and the new mask excludes negative numbers.
void mapToDifferences(OpBuilder &b, RangeMask &mask, IRMapping &copies) {
  Location location = mask.compare.getLoc();
  Value differences = differencesOf(b, *mask.rotated, location);
  SmallVector<int64_t> zeros(mask.numbers.constants.size(), 0);
  Value notNegative = arith::CmpIOp::create(b, location, arith::CmpIPredicate::sge, differences,
                                            constantsLike(b, location, differences.getType(), zeros));
  notNegative = arith::OrIOp::create(b, location, notNegative, neverWraps(b, *mask.rotated, location));
  Value inside = arith::AndIOp::create(b, location, distanceMask(b, mask), notNegative);
  copies.map(mask.compare.getLhs(), differences);
  copies.map(mask.compare.getResult(), inside);
}

/// For rotated numbers that never wrap, replaces their comparison with the bound by distanceMask: a comparison of one
/// distance with constants. The comparison of the other numbers stays.
void compareUnwrapped(RangeMask &mask) {
  OpBuilder b(mask.compare);
  Location location = mask.compare.getLoc();
  Value never = neverWraps(b, *mask.rotated, location), distances = distanceMask(b, mask);
  b.setInsertionPointAfter(mask.compare);
  auto below = arith::SelectOp::create(b, location, never, distances, mask.compare.getResult());
  mask.compare.getResult().replaceAllUsesExcept(below, below);
}

/// Emits the condition that, in every thread, all elements k with `constants[k] <= most` are below the bound. For
/// rotated numbers: that those of them that never wrap are below the bound, and that no element that wraps is.
Value isLongerThan(OpBuilder &b, RangeMask &mask, int64_t most) {
  Location location = mask.compare.getLoc();
  auto is = [&](arith::CmpIPredicate predicate, int64_t value) -> Value {
    Value number = arith::ConstantOp::create(b, location, b.getI32IntegerAttr(int32_t(value)));
    return arith::CmpIOp::create(b, location, predicate, mask.bound, number);
  };
  Value isLong = is(arith::CmpIPredicate::sgt, mask.numbers.mostFirst + most);
  if (!mask.rotated)
    return isLong;
  Value endsBefore = is(arith::CmpIPredicate::sle, mask.rotated->extent - mask.rotated->mostRotation);
  return arith::AndIOp::create(b, location, isLong, endsBefore);
}

/// Copies the code after the mask, once for each constant of partsOf. A copy is executed if the bound exceeds the
/// numbers of all elements up to its constant; in the copy, the mask is a constant true for these elements. The
/// original code serves smaller bounds. A row's block is usually the next power of two above its length, so most bounds
/// exceed half of the block.
void splitByBound(RangeMask &mask) {
  arith::CmpIOp compare = mask.compare;
  Location location = compare.getLoc();
  SmallVector<Operation *> behind;
  for (Operation *op = compare->getNextNode(); !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
    behind.push_back(op);
  OpBuilder b(compare->getContext());
  b.setInsertionPointAfter(compare);
  scf::IfOp branch;
  for (int64_t most : partsOf(mask.numbers.constants)) {
    branch = scf::IfOp::create(b, location, isLongerThan(b, mask, most), /*withElseRegion=*/true);
    branch->setAttr(kUniformAttr, b.getUnitAttr());
    b.setInsertionPointToStart(branch.thenBlock());
    IRMapping copies;
    if (mask.rotated)
      mapToDifferences(b, mask, copies);
    int64_t least = mask.rotated ? mask.rotated->mostRotation : 0;
    SmallVector<bool> inside =
        llvm::map_to_vector(mask.numbers.constants, [&](int64_t c) { return c >= least && c <= most; });
    Value known = arith::ConstantOp::create(
        b, location, DenseElementsAttr::get(cast<VectorType>(compare.getType()), ArrayRef<bool>(inside)));
    Value isInside = copies.lookupOrDefault(compare.getResult());
    copies.map(compare.getResult(), arith::OrIOp::create(b, location, isInside, known).getResult());
    for (Operation *op : behind)
      b.clone(*op, copies);
    b.setInsertionPointToStart(branch.elseBlock());
  }
  for (Operation *op : behind)
    op->moveBefore(branch.elseBlock()->getTerminator());
}

/// Whether element i of the op's only result depends on elements i of its operands and on scalars, and on nothing else.
/// `elements`: the number of elements of the result.
bool isElementwise(Operation *op, int64_t elements) {
  StringRef dialect = op->getName().getDialectNamespace();
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         (dialect == arith::ArithDialect::getDialectNamespace() ||
          dialect == math::MathDialect::getDialectNamespace() || isa<tile::FpCastOp>(op)) &&
         elementsOf(op->getResult(0).getType()) == elements;
}

/// Whether the loaded values of masked elements have no effect: all values computed from such an element end in stores
/// under the same mask.
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
      if (!mask.rotated)
        compareDistance(mask);
    simplifyRotatedMasks(getOperation());
    if (auto found = llvm::find_if(masks, paysCopies); found != masks.end())
      splitByBound(*found);
    for (RangeMask &mask : masks)
      if (mask.rotated && mask.rotated->hasUnwrapped())
        compareUnwrapped(mask);
    unwrapNumbers(getOperation());
  }
};

} // namespace
} // namespace tegula::simt
