#include "core/passes/layouts/LayoutGroups.h"
#include "core/passes/analysis/EdgeAccess.h"
#include "core/passes/analysis/TypicalSteps.h"
#include "core/passes/analysis/Uniform.h"
#include "core/passes/layouts/SplitLayouts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::tile {
namespace {

using layout_ir::DistributedAttr;

/// A load of at most this many accesses costs less than an exchange: a store, a barrier and loads of shared memory.
constexpr int64_t kMostAccesses = 8;

bool isIndexLike(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isIntScalar(element) || isPtrScalar(element);
}

} // namespace

const ProductLayouts *LayoutGroups::layoutsOfProduct(Operation *product) const {
  auto found = products_.find(product);
  return found == products_.end() ? nullptr : &found->second;
}

LayoutGroups::LayoutGroups(func::FuncOp function, const AxisAnalysis &axes, ThreadShape threads)
    : axes_(axes), threads_(threads), narrowsEdges_(tile::narrowsEdges(function)),
      features_(simt::targetOf(function).features), swappedLaneBits_(simt::targetOf(function).policies.swappedLaneBits),
      context_(function.getContext()) {
  findRematerialized(function);
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { findMadeAgain(op); });
  function.walk([&](Operation *op) { findNarrowLoad(op); });
  function.walk([&](Operation *op) { tieOp(op); });
  members_.resize(parents_.size());
  groups_.resize(parents_.size());
  for (auto [value, number] : numbers_)
    members_[find(number)].push_back(value);
  for (auto [value, number] : numbers_) {
    Group &group = groups_[find(number)];
    if (!group.like || bytesOf(value.getType()) > bytesOf(group.like))
      group.like = value.getType();
  }
  function.walk([&](Operation *op) { collect(op); });
  decide();
  for (Operation *op : accessOps_) {
    RankedTensorType pointers = cast<RankedTensorType>(accessedPointers(op).getType());
    DistributedAttr ofGroup;
    int64_t edgeWidth = edgeWidthOf(op);
    bool areFixed = false; // the pointers are not rematerialized, so they already have the group's layout
    for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults())))
      if (isTensor(value) && !isRematerialized(value)) {
        ofGroup = layoutOf(value);
        edgeWidth = std::min(edgeWidth, groups_[find(numberOf(value))].edgeWidth.value_or(1));
        areFixed |= isPtrScalar(getElementTypeOrSelf(value.getType()));
      }
    AccessShape access = shapeOfAccess(op);
    access.width = std::max(access.width, edgeWidth);
    Type pointee = cast<PtrType>(pointers.getElementType()).getPointee();
    bool isGood =
        ofGroup && (areFixed || suitsAtomic(op, ofGroup, access) ||
                    suits(ofGroup, pointers.getShape(), access, bytesOf(pointee), threads_, isa<LoadOp>(op)) ||
                    (isa<LoadOp>(op) && isLoadedAsWell(op->getResult(0), ofGroup)));
    accesses_[op] = isGood ? ofGroup : ownLayoutOf(op, ofGroup, access);
  }
}

DistributedAttr LayoutGroups::ownLayoutOf(Operation *op, DistributedAttr ofGroup, const AccessShape &access) const {
  auto pointers = cast<RankedTensorType>(accessedPointers(op).getType());
  auto load = dyn_cast<LoadOp>(op);
  auto found = load ? numbers_.find(load.getResult()) : numbers_.end();
  if (swappedLaneBits_ && found != numbers_.end() && groups_[find(found->second)].isFinal) {
    DistributedAttr made = withRuns(ofGroup, access.order[0], access.width, swappedLaneBits_);
    if (suits(made, pointers.getShape(), access, bytesOf(load.getType()), threads_, /*isLoad=*/false))
      return made;
  }
  return accessLayout(context_, pointers.getShape(), access, threads_);
}

bool LayoutGroups::isLoadedAsWell(Value value, DistributedAttr layout) const {
  auto found = narrowLoads_.find(value);
  return found != narrowLoads_.end() && accessesIn(layout, found->second) <= kMostAccesses;
}

void LayoutGroups::findNarrowLoad(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  // Not repeated: a load that is volatile or chooses a cache (two executions may read different values), and floats
  // that are loaded ahead: the loop would carry them in both layouts. (Most integers are indices, and few.)
  auto isCheap = [&](Value operand) { return !isTensor(operand) || isCheapIn(operand, op->getParentOp()); };
  if (!load || !isTensor(load.getResult()) || load.getIsVolatile() || load.getCache() != CacheModifier::None ||
      (simt::isMadeAhead(load) && !isIndexLike(load.getType())) || !llvm::all_of(load->getOperands(), isCheap))
    return;
  AccessShape access = shapeOfAccess(load);
  if (access.width == 1 || elementsOf(load.getType()) <= threads_.count())
    narrowLoads_[load.getResult()] = access;
}

DistributedAttr LayoutGroups::layoutOf(Value value) const {
  auto found = numbers_.find(value);
  return found == numbers_.end() ? defaultLayout(value.getType()) : groups_[find(found->second)].layout;
}

DistributedAttr LayoutGroups::defaultLayout(Type type, std::optional<unsigned> fastAxis) const {
  ArrayRef<int64_t> shape = shapeOf(type);
  SmallVector<unsigned, 4> order = rowMajorOrder(shape.size());
  if (fastAxis)
    std::rotate(order.begin(), llvm::find(order, *fastAxis), llvm::find(order, *fastAxis) + 1);
  constexpr int64_t kBytes = 16;
  return accessLayout(context_, shape, {order, kBytes / bytesOf(type)}, threads_);
}

DistributedAttr LayoutGroups::layoutForSplit(SplitOp split) const {
  Value src = split.getSrc();
  if (!isRematerialized(src))
    if (DistributedAttr layout = withHalvesInRegisters(layoutOf(src), split))
      return layout;
  return splitLayout(context_, shapeOf(src.getType()), threads_);
}

// --- values to rematerialize ---

void LayoutGroups::findRematerialized(func::FuncOp function) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() != 1 || !isTensor(op->getResult(0)) || op->getNumRegions() != 0)
      return;
    bool isSource = isa<arith::ConstantOp, MakeRangeOp, SplatOp, simt::SharedLoadOp>(op);
    bool isShape = isa<ExpandDimsOp, BroadcastOp, TransOp, simt::JoinPartsOp>(op) ||
                   (isa<ReshapeOp>(op) && !cast<ReshapeOp>(op).getAllowReorder());
    bool isIndex = isElementwise(op) && isMemoryEffectFree(op) && isIndexLike(op->getResult(0).getType());
    if (!isSource && !isShape && !isIndex)
      return;
    if (llvm::all_of(op->getOperands(), [&](Value operand) { return !isTensor(operand) || isRematerialized(operand); }))
      rematerialized_.insert(op->getResult(0));
  });
}

bool LayoutGroups::isCheapIn(Value value, Operation *around) const {
  return isRematerialized(value) || madeAgain_.contains(value) ||
         (isa_and_nonnull<scf::ForOp, scf::WhileOp>(around) &&
          !around->isAncestor(value.getParentRegion()->getParentOp()));
}

bool LayoutGroups::isMadeAgain(Value value, DistributedAttr layout) const {
  return madeAgain_.contains(value) && layout_ir::registersOf(layout) <= kMostAccesses;
}

void LayoutGroups::findMadeAgain(Operation *op) {
  if (op->getNumResults() != 1 || !isTensor(op->getResult(0)) || op->getNumRegions() != 0)
    return;
  Value result = op->getResult(0);
  bool isShape = isa<ExpandDimsOp, BroadcastOp>(op);
  if (isRematerialized(result) || !isIndexLike(result.getType()) || elementsOf(result.getType()) > threads_.count() ||
      !(isShape || (isElementwise(op) && isMemoryEffectFree(op))))
    return;
  if (llvm::all_of(op->getOperands(),
                   [&](Value operand) { return !isTensor(operand) || isCheapIn(operand, op->getParentOp()); }))
    madeAgain_.insert(result);
}

// --- groups ---

LayoutGroups::Number LayoutGroups::find(Number number) const {
  while (parents_[number] != number)
    number = parents_[number] = parents_[parents_[number]];
  return number;
}

LayoutGroups::Number LayoutGroups::numberOf(Value value) {
  auto [found, isNew] = numbers_.insert({value, parents_.size()});
  if (isNew)
    parents_.push_back(parents_.size());
  return found->second;
}

void LayoutGroups::tie(Value a, Value b) {
  if (!isTensor(a) || !isTensor(b) || isRematerialized(a) || isRematerialized(b))
    return;
  Number left = find(numberOf(a)), right = find(numberOf(b));
  if (left != right)
    parents_[right] = left;
}

void LayoutGroups::tieAll(ValueRange values) {
  Value first;
  for (Value value : values) {
    if (!isTensor(value) || isRematerialized(value))
      continue;
    numberOf(value);
    if (first)
      tie(first, value);
    first = value;
  }
}

void LayoutGroups::tieOp(Operation *op) {
  for (Value result : op->getResults())
    if (isTensor(result) && !isRematerialized(result))
      numberOf(result);
  auto tieEach = [&](ValueRange left, ValueRange right) {
    for (auto [a, b] : llvm::zip_equal(left, right)) {
      tieAll(a);
      tieAll(b);
      tie(a, b);
    }
  };
  auto tieEverything = [&] {
    SmallVector<Value> all(op->getOperands());
    llvm::append_range(all, op->getResults());
    tieAll(all);
  };
  if (isElementwise(op)) {
    if (op->getNumResults() != 1 || !isRematerialized(op->getResult(0)))
      tieEverything();
  } else if (isa<LoadOp, StoreOp, AtomicRmwOp, AtomicCasOp, simt::CopyOp, ScanOp, SortOp>(op)) {
    tieEverything();
  } else if (isa<ReduceOp, JoinOp, CatOp, HistogramOp>(op)) {
    tieAll(op->getOperands());
    if (!isa<JoinOp, CatOp, HistogramOp>(op))
      tieAll(op->getResults());
  } else if (auto split = dyn_cast<SplitOp>(op)) {
    tieAll(split.getResults());
  } else if (auto print = dyn_cast<PrintOp>(op)) {
    for (Value value : print.getValues())
      for (Value other : print.getValues())
        if (shapeOf(value.getType()) == shapeOf(other.getType()))
          tie(value, other);
  } else if (auto gather = dyn_cast<GatherOp>(op)) {
    tieAll({gather.getIndices(), gather.getResult()});
  } else if (auto dot = dyn_cast<DotOp>(op)) {
    simt::InstructionAttr instruction = simt::instructionOf(dot);
    if (instruction && !instruction.isOpaque())
      products_[dot] = productLayouts(dot, instruction, threads_);
    // Opaque fragments get no layout here. A result with copies in registers is converted right after the product.
    if (!instruction || (!instruction.isOpaque() && !products_[dot].copiesInC()))
      tieAll({dot.getC(), dot.getResult()});
  } else if (auto product = dyn_cast<simt::ProductOp>(op)) {
    products_[op] = productLayouts(product, threads_);
    tieAll({product.getC(), product.getResult()});
  } else if (auto wait = dyn_cast<simt::WaitProductsOp>(op)) {
    tieAll({wait.getProduct(), wait.getResult()});
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    tieEach(loop.getInitArgs(), loop.getRegionIterArgs());
    tieEach(loop.getRegionIterArgs(), loop.getYieldedValues());
    tieEach(loop.getRegionIterArgs(), loop.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    tieEach(loop.getInits(), loop.getBeforeArguments());
    tieEach(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    tieEach(loop.getAfterArguments(), loop.getResults());
    tieEach(loop.getBeforeArguments(), loop.getYieldedValues());
  } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults()) {
    tieEach(branch.getResults(), branch.thenYield().getOperands());
    tieEach(branch.getResults(), branch.elseYield().getOperands());
  }
}

// --- decisions ---

void LayoutGroups::settle(Value value, DistributedAttr layout) {
  auto found = numbers_.find(value);
  if (!layout || found == numbers_.end())
    return;
  Number number = find(found->second);
  if (groups_[number].layout)
    return;
  groups_[number].layout = layout;
  derive(number);
}

DistributedAttr LayoutGroups::forAccesses(Value value, DistributedAttr layout) {
  auto found = numbers_.find(value);
  if (found == numbers_.end())
    return {};
  const Group &group = groups_[find(found->second)];
  if (group.fixed || !group.access)
    return {};
  DistributedAttr made = withNeighboursFirst(layout, group.access->order[0]);
  bool isGood = suits(made, shapeOf(value.getType()), *group.access, bytesOf(value.getType()), threads_,
                      /*isLoad=*/false);
  return isGood ? made : DistributedAttr();
}

void LayoutGroups::derive(Number from) {
  DistributedAttr layout = groups_[from].layout;
  int64_t size = elementsOf(groups_[from].like);
  // Whether the value's group may take its layout from the group `from`: if it has neither accesses nor products, or if
  // it has accesses but its tensors have at most a quarter of the elements of those of `from`.
  auto mayTake = [&](Value value) {
    auto found = numbers_.find(value);
    if (found == numbers_.end())
      return false;
    const Group &group = groups_[find(found->second)];
    return group.weight == 0 || (!group.fixed && elementsOf(group.like) * 4 <= size);
  };
  for (Value member : members_[from]) {
    ArrayRef<int64_t> shape = shapeOf(member.getType());
    for (Operation *user : member.getUsers()) {
      if (user->getNumResults() == 0 || !isTensor(user->getResult(0)))
        continue;
      Value result = user->getResult(0);
      if (!mayTake(result)) {
        if (auto trans = dyn_cast<TransOp>(user); trans && groups_[from].fixed)
          settle(result, forAccesses(result, layout_ir::transpose(layout, trans.getOrder())));
        continue;
      }
      if (auto expand = dyn_cast<ExpandDimsOp>(user))
        settle(result, layout_ir::expandDims(layout, expand.getAxis()));
      else if (auto trans = dyn_cast<TransOp>(user))
        settle(result, layout_ir::transpose(layout, trans.getOrder()));
      else if (isa<ReshapeOp>(user))
        settle(result, layout_ir::reshape(layout, shape, shapeOf(result.getType())));
      else if (auto reduce = dyn_cast<ReduceOp>(user))
        settle(result, layout_ir::reduce(layout, shape, reduce.getAxis()));
      else if (isa<JoinOp>(user))
        settle(result, layout_ir::join(layout));
      else if (isa<CatOp>(user))
        settle(result, layout_ir::cat(layout, shape[0]));
      else if (auto split = dyn_cast<SplitOp>(user))
        settle(result, layout_ir::split(withHalvesInRegisters(layout, split)));
    }
    Operation *definition = member.getDefiningOp();
    if (!definition || definition->getNumOperands() == 0 || !mayTake(definition->getOperand(0)))
      continue;
    Value source = definition->getOperand(0);
    if (auto expand = dyn_cast<ExpandDimsOp>(definition))
      settle(source, layout_ir::dropUnitAxis(layout, expand.getAxis()));
    else if (isa<BroadcastOp>(definition))
      settle(source, layout_ir::unbroadcast(layout, shapeOf(source.getType())));
    else if (auto trans = dyn_cast<TransOp>(definition))
      settle(source, layout_ir::untranspose(layout, trans.getOrder()));
    else if (isa<ReshapeOp>(definition))
      settle(source, layout_ir::reshape(layout, shape, shapeOf(source.getType())));
  }
}

AccessShape LayoutGroups::accessOf(const Group &group) {
  AccessShape access = *group.access;
  access.runAxis = group.runAxis;
  access.run = group.run;
  if (access.width == 1 && access.run == 1 && group.storedAxis) {
    constexpr int64_t kMostBytes = 16; // of one store
    access.runAxis = *group.storedAxis;
    access.run = kMostBytes / bytesOf(group.like);
  }
  return access;
}

void LayoutGroups::decide() {
  SmallVector<Number> roots;
  for (Number number = 0; number < parents_.size(); ++number)
    if (find(number) == number)
      roots.push_back(number);
  llvm::stable_sort(roots, [&](Number a, Number b) {
    const Group &left = groups_[a], &right = groups_[b];
    if (bool(left.fixed) != bool(right.fixed))
      return bool(left.fixed);
    if (left.weight != right.weight)
      return left.weight > right.weight;
    if (left.bufferAxis.has_value() != right.bufferAxis.has_value())
      return left.bufferAxis.has_value();
    return elementsOf(left.like) > elementsOf(right.like);
  });
  for (Number root : roots) {
    Group &group = groups_[root];
    if (group.layout)
      continue;
    if (group.fixed)
      group.layout = group.fixed;
    else if (group.access) {
      group.access->width = std::max(group.access->width, group.edgeWidth.value_or(1));
      group.layout = accessLayout(context_, shapeOf(group.like), accessOf(group), threads_);
    } else
      group.layout = defaultLayout(group.like, group.bufferAxis);
    derive(root);
  }
}

} // namespace tegula::tile
