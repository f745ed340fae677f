#include "backends/cuda/passes/RotatedMasks.h"

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <optional>

using namespace mlir;

namespace tegula::simt {
namespace {

/// The bound of a mask `numbers < bound`; null for other masks.
Value boundOf(Value mask, Value numbers) {
  auto compare = mask ? mask.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto bound = compare ? compare.getRhs().getDefiningOp<SplatOp>() : SplatOp();
  bool isBound = bound && compare.getPredicate() == arith::CmpIPredicate::slt && compare.getLhs() == numbers;
  return isBound ? bound.getSrc() : Value();
}

/// Groups of consecutive elements, given by the numbers of their first elements. The numbers of a group's first and
/// last elements differ by width - 1 unless the group wraps: then its first number is greater than extent - width.
struct Groups {
  Value firsts;
  int64_t width = 0, extent = 0;
};

std::optional<Groups> groupsOf(Value firsts, Value lasts) {
  std::optional<RotatedNumbers> first = rotatedNumbersOf(firsts), last = rotatedNumbersOf(lasts);
  if (!first || !last || first->numbers.first != last->numbers.first || first->rotation != last->rotation ||
      first->extent != last->extent || first->numbers.constants.size() != last->numbers.constants.size())
    return std::nullopt;
  int64_t width = last->numbers.constants[0] - first->numbers.constants[0] + 1;
  for (auto [begin, end] : llvm::zip_equal(first->numbers.constants, last->numbers.constants))
    if (end - begin + 1 != width)
      return std::nullopt;
  return width >= 2 && width <= first->extent ? std::optional(Groups{firsts, width, first->extent}) : std::nullopt;
}

/// The groups in a comparison `lasts - firsts == width - 1` (or !=); nothing for other comparisons.
std::optional<Groups> groupsOfSteps(arith::CmpIOp compare, arith::CmpIPredicate predicate) {
  auto steps = compare ? compare.getLhs().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  APInt run;
  if (!steps || compare.getPredicate() != predicate || !matchPattern(compare.getRhs(), m_ConstantInt(&run)))
    return std::nullopt;
  std::optional<Groups> groups = groupsOf(steps.getRhs(), steps.getLhs());
  return groups && run.getSExtValue() == groups->width - 1 ? groups : std::nullopt;
}

/// Creates ops on i32 scalars and vectors at one insertion point.
class Maker {
public:
  explicit Maker(OpBuilder &b, Location location) : b_(b), location_(location) {}
  Value constant(int64_t value) { return make<arith::ConstantOp>(b_.getI32IntegerAttr(int32_t(value))); }
  Value splat(Value value, Type type) { return make<SplatOp>(type, value); }
  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return make<arith::CmpIOp>(predicate, left, right);
  }
  template <class Op, class... Arguments> Value make(Arguments &&...arguments) {
    return Op::create(b_, location_, std::forward<Arguments>(arguments)...);
  }

private:
  OpBuilder &b_;
  Location location_;
};

/// Two comparisons for each group: of its first and of its last number with the same bound.
struct Ends {
  Groups groups;
  Value firstIsBelow, bound;
};

/// The groups in `steps` (a comparison of steps) and in `ends` (an op that combines the comparisons of the groups' ends
/// with the bound); nothing for other values.
std::optional<Ends> endsOf(Value steps, Operation *ends, arith::CmpIPredicate predicate) {
  auto compare = steps.getDefiningOp<arith::CmpIOp>();
  std::optional<Groups> groups = groupsOfSteps(compare, predicate);
  if (!groups || !ends)
    return std::nullopt;
  auto difference = compare.getLhs().getDefiningOp<arith::SubIOp>();
  Value bound = boundOf(ends->getOperand(0), difference.getRhs());
  if (!bound || boundOf(ends->getOperand(1), difference.getLhs()) != bound)
    return std::nullopt;
  return Ends{*groups, ends->getOperand(0), bound};
}

/// Simplifies the condition that a group does not wrap and that its first and last elements are below the bound: it
/// becomes one comparison of the group's first number.
void compareWhole(arith::AndIOp op) {
  std::optional<Ends> ends = endsOf(op.getLhs(), op.getRhs().getDefiningOp<arith::AndIOp>(), arith::CmpIPredicate::eq);
  if (!ends)
    return;
  OpBuilder b(op);
  Maker maker(b, op.getLoc());
  const Groups &groups = ends->groups;
  Value some = maker.make<arith::MaxSIOp>(ends->bound, maker.constant(0));
  Value most = maker.make<arith::MinSIOp>(some, maker.constant(groups.extent));
  Value end = maker.make<arith::SubIOp>(most, maker.constant(groups.width - 1));
  op.getResult().replaceAllUsesWith(
      maker.compare(arith::CmpIPredicate::slt, groups.firsts, maker.splat(end, groups.firsts.getType())));
}

/// Simplifies the condition that a group's first or last element is below the bound, or that the group wraps. In a
/// group that does not wrap, the first number is the lower one, so the comparison of the last number is dropped.
void compareSome(arith::OrIOp op) {
  std::optional<Ends> ends = endsOf(op.getRhs(), op.getLhs().getDefiningOp<arith::OrIOp>(), arith::CmpIPredicate::ne);
  if (!ends)
    return;
  OpBuilder b(op);
  Maker maker(b, op.getLoc());
  const Groups &groups = ends->groups;
  Value last = maker.splat(maker.constant(groups.extent - groups.width), groups.firsts.getType());
  Value wraps = maker.compare(arith::CmpIPredicate::sgt, groups.firsts, last);
  op.getResult().replaceAllUsesWith(maker.make<arith::OrIOp>(ends->firstIsBelow, wraps));
}

/// A group of consecutive elements that are accessed one by one; only elements with numbers below `bound` are accessed.
struct Group {
  Value first; // i32: the number of the group's first element
  int64_t width = 0, extent = 0;
  Value bound; // i32
};

/// The group whose elements an access moves one by one, where `offset` numbers the elements and `mask` limits them.
/// Nothing if the two do not have the form of a rotated range and its bound.
std::optional<Group> groupOf(Value offset, Value mask) {
  Value bound = boundOf(mask, offset);
  std::optional<RotatedNumbers> numbers = rotatedNumbersOf(offset);
  if (!bound || !numbers)
    return std::nullopt;
  auto width = int64_t(numbers->numbers.constants.size());
  for (int64_t i = 0; i < width; ++i)
    if (numbers->numbers.constants[size_t(i)] != numbers->numbers.constants[0] + i)
      return std::nullopt;
  if (width >= numbers->extent)
    return std::nullopt;
  OpBuilder b(offset.getDefiningOp());
  Maker maker(b, offset.getLoc());
  Value sum = maker.make<arith::AddIOp>(numbers->numbers.first, maker.constant(numbers->numbers.constants[0]));
  Value moved = maker.make<arith::SubIOp>(sum, numbers->rotation);
  Value first = maker.make<arith::AndIOp>(moved, maker.constant(numbers->extent - 1));
  return Group{first, width, numbers->extent, bound};
}

/// Emits a copy of the access `op` to a group. Precondition: no element of the group before the wrap is below the
/// bound. The numbers of the elements before the wrap are decreased by the extent and become negative, so that the mask
/// excludes them. All accesses are then at constant distances from one address.
template <class Access> Operation *accessFromOneAddress(OpBuilder &b, Access op, const Group &group) {
  Maker maker(b, op.getLoc());
  Value wraps = maker.compare(arith::CmpIPredicate::sgt, group.first, maker.constant(group.extent - group.width));
  Value before = maker.make<arith::SubIOp>(group.first, maker.constant(group.extent));
  Value first = maker.make<arith::SelectOp>(wraps, before, group.first);
  Type type = VectorType::get(group.width, b.getI32Type());
  Value offsets = maker.make<arith::ConstantOp>(b.getI32VectorAttr(llvm::to_vector(llvm::seq(int32_t(group.width)))));
  // The mask compares numbers as unsigned ones: negative numbers then exceed every bound and are masked off.
  Value limit = maker.make<arith::MaxSIOp>(group.bound, maker.constant(0));
  Value numbers = maker.make<arith::AddIOp>(maker.splat(first, type), offsets);
  Value mask = maker.compare(arith::CmpIPredicate::ult, numbers, maker.splat(limit, type));
  Value base = maker.make<tile::AddPtrOp>(op.getBase(), first);
  auto made = cast<Access>(b.clone(*op));
  made.getBaseMutable().assign(base);
  made.getOffsetMutable().assign(offsets);
  made.getMaskMutable().assign(mask);
  return made;
}

/// Replaces an access to single elements of a group by a branch with two variants: one for bounds so small that all
/// elements before the wrap are masked off (accessFromOneAddress), and the access itself for larger bounds.
template <class Access> void splitGroup(Access op, const Group &group) {
  OpBuilder b(op);
  Maker maker(b, op.getLoc());
  Value isShort = maker.compare(arith::CmpIPredicate::sle, group.bound, maker.constant(group.extent - group.width));
  auto branch = scf::IfOp::create(b, op.getLoc(), op->getResultTypes(), isShort, /*withElseRegion=*/true);
  branch->setAttr(kUniformAttr, b.getUnitAttr());
  op->replaceAllUsesWith(branch);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    if (block->empty())
      b.setInsertionPointToEnd(block);
    else
      b.setInsertionPoint(block->getTerminator());
    Operation *made = block == branch.thenBlock() ? accessFromOneAddress(b, op, group) : b.clone(*op);
    if (op->getNumResults())
      scf::YieldOp::create(b, op.getLoc(), made->getResults());
  }
  op->erase();
}

template <class Access> void splitIfGroup(Access op, Type valueType) {
  if (elementsOf(op.getOffset().getType()) != elementsOf(valueType) || !isa<VectorType>(valueType))
    return;
  if (std::optional<Group> group = groupOf(op.getOffset(), op.getMask()))
    splitGroup(op, *group);
}

} // namespace

void simplifyRotatedMasks(Operation *root) {
  root->walk([](arith::AndIOp op) { compareWhole(op); });
  root->walk([](arith::OrIOp op) { compareSome(op); });
  root->walk([](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      splitIfGroup(load, load.getType());
    else if (auto store = dyn_cast<StoreOp>(op))
      splitIfGroup(store, store.getValue().getType());
  });
}

Value constantsLike(OpBuilder &b, Location location, Type vector, ArrayRef<int64_t> constants) {
  SmallVector<int32_t> numbers(constants.begin(), constants.end());
  return arith::ConstantOp::create(b, location,
                                   DenseElementsAttr::get(cast<ShapedType>(vector), ArrayRef<int32_t>(numbers)));
}

Value movedFirst(OpBuilder &b, const RotatedNumbers &rotated, Location location) {
  return arith::SubIOp::create(b, location, rotated.numbers.first, rotated.rotation, arith::IntegerOverflowFlags::nsw);
}

Value differencesOf(OpBuilder &b, const RotatedNumbers &rotated, Location location) {
  auto type = VectorType::get(int64_t(rotated.numbers.constants.size()), b.getI32Type());
  Value first = SplatOp::create(b, location, type, movedFirst(b, rotated, location));
  return arith::AddIOp::create(b, location, first, constantsLike(b, location, type, rotated.numbers.constants),
                               arith::IntegerOverflowFlags::nsw);
}

Value neverWraps(OpBuilder &b, const RotatedNumbers &rotated, Location location) {
  SmallVector<bool> never =
      llvm::map_to_vector(rotated.numbers.constants, [&](int64_t c) { return c >= rotated.mostRotation; });
  return arith::ConstantOp::create(b, location, b.getBoolVectorAttr(never));
}

void unwrapNumbers(Operation *root) {
  root->walk([](arith::AndIOp op) {
    std::optional<RotatedNumbers> rotated = rotatedNumbersOf(op.getResult());
    if (!rotated || !rotated->hasUnwrapped())
      return;
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    Value never = neverWraps(b, *rotated, op.getLoc()), differences = differencesOf(b, *rotated, op.getLoc());
    auto chosen = arith::SelectOp::create(b, op.getLoc(), never, differences, op.getResult());
    op.getResult().replaceAllUsesExcept(chosen, chosen);
  });
}

} // namespace tegula::simt
