// Which accesses, products and buffers of shared memory the groups have; see LayoutGroups.h.
#include "core/passes/analysis/EdgeAccess.h"
#include "core/passes/analysis/TypicalSteps.h"
#include "core/passes/analysis/Uniform.h"
#include "core/passes/layouts/LayoutGroups.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tegula::tile {

using layout_ir::DistributedAttr;

int64_t LayoutGroups::elementsOf(Type type) { return cast<RankedTensorType>(type).getNumElements(); }

int64_t LayoutGroups::bytesOf(Type type) { return simt::elementBytes(getElementTypeOrSelf(type)); }

Value accessedPointers(Operation *op) {
  if (isa<LoadOp, StoreOp, AtomicRmwOp, AtomicCasOp, simt::CopyOp>(op))
    for (Value operand : op->getOperands())
      if (isPtrScalar(getElementTypeOrSelf(operand.getType())))
        return operand; // these ops have one operand of pointers, the first
  return {};
}

Value accessMask(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return load.getMask();
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getMask();
  if (auto atomic = dyn_cast<AtomicRmwOp>(op))
    return atomic.getMask();
  if (auto copy = dyn_cast<simt::CopyOp>(op))
    return copy.getMask();
  return {};
}

AccessShape LayoutGroups::shapeOfAccess(Operation *op) const {
  Value pointers = accessedPointers(op);
  size_t rank = shapeOf(pointers.getType()).size();
  AxisInfo info = axes_.of(pointers);
  AccessShape access{rowMajorOrder(rank), 1};
  SmallVector<int64_t, 4> steps = typicalSteps(pointers);
  // axes along which all addresses are equal come last
  auto apart = [&](unsigned axis) { return steps[axis] == 0 ? kFarApart + 1 : steps[axis]; };
  llvm::stable_sort(access.order, [&](unsigned a, unsigned b) {
    return std::pair(-info.contiguity[a], apart(a)) < std::pair(-info.contiguity[b], apart(b));
  });
  access.width = axes_.accessWidth(pointers, accessMask(op), access.order[0], mostBytesOf(op));
  if (auto load = dyn_cast<LoadOp>(op))
    for (unsigned axis = 0; axis < rank; ++axis)
      access.constancy.push_back(axes_.loadConstancy(load, axis));
  return access;
}

int64_t LayoutGroups::mostBytesOf(Operation *op) const {
  constexpr int64_t kMostBytes = 16;
  if (!isa<AtomicRmwOp, AtomicCasOp>(op))
    return kMostBytes;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  auto rmw = dyn_cast<AtomicRmwOp>(op);
  return bytesOf(element) * (rmw ? simt::atomicWidth(features_, rmw.getKind(), element) : 1);
}

bool LayoutGroups::suitsAtomic(Operation *op, DistributedAttr layout, const AccessShape &access) const {
  if (!isa<AtomicRmwOp, AtomicCasOp>(op))
    return false;
  DistributedAttr own = accessLayout(context_, shapeOf(accessedPointers(op).getType()), access, threads_);
  return access.width == 1 || accessesIn(layout, access) <= 2 * accessesIn(own, access);
}

int64_t LayoutGroups::edgeWidthOf(Operation *op) const {
  // The most groups of consecutive elements that a thread may access at edges: each group may need a branch of its own.
  constexpr int64_t kMostGroups = 32;
  if (!narrowsEdges_ || !isa<LoadOp, StoreOp>(op))
    return 1;
  Value pointers = accessedPointers(op);
  int64_t width = edgeAccess(axes_, pointers, accessMask(op), shapeOfAccess(op).order[0]).width;
  return elementsOf(pointers.getType()) <= kMostGroups * width * threads_.count() ? width : 1;
}

void LayoutGroups::takeRun(Value operand, unsigned depthAxis, DistributedAttr fragments) {
  constexpr int64_t kMostBytes = 16; // of one access of shared memory
  int64_t run = 1;
  unsigned rank = fragments.getRank();
  ArrayRef<int64_t> bases = fragments.getRegisters();
  for (size_t at = depthAxis; at < bases.size() && bases[at] == run; at += rank)
    run *= 2;
  takeRun(operand, depthAxis, std::min(run, kMostBytes / bytesOf(operand.getType())));
}

void LayoutGroups::takeByteRun(Value operand, unsigned depthAxis) {
  constexpr int64_t kRun = 8; // two words of a store: a thread transposes blocks of 4x4 bytes
  if (bytesOf(operand.getType()) == 1)
    takeRun(operand, depthAxis, kRun);
}

void LayoutGroups::takeRun(Value operand, unsigned depthAxis, int64_t run) {
  while (auto trans = operand.getDefiningOp<TransOp>()) {
    depthAxis = trans.getOrder()[depthAxis];
    operand = trans.getSrc();
  }
  auto found = numbers_.find(operand);
  if (found == numbers_.end())
    return;
  Group &group = groups_[find(found->second)];
  group.runAxis = depthAxis;
  group.run = run;
}

/// The axis of the tensor whose neighbours lie side by side in the buffer; nothing for a buffer of one element.
static std::optional<unsigned> fastAxis(simt::SharedType buffer) {
  layout_ir::SharedAttr layout = buffer.getTileLayout();
  for (unsigned axis = 0; layout.getBits() > 0 && axis < layout.getRank(); ++axis)
    if (layout.getBasis(0)[axis] == 1)
      return axis;
  return std::nullopt;
}

void LayoutGroups::takeStoredAxis(Value value, simt::SharedType buffer) {
  auto found = numbers_.find(value);
  std::optional<unsigned> fast = fastAxis(buffer);
  if (found != numbers_.end() && fast && *fast < shapeOf(value.getType()).size())
    groups_[find(found->second)].storedAxis = fast; // of several buffers the last
}

void LayoutGroups::takeBuffer(Value value, simt::SharedType buffer) {
  auto found = numbers_.find(value);
  std::optional<unsigned> fast = fastAxis(buffer);
  if (found == numbers_.end() || (fast && *fast >= shapeOf(value.getType()).size()))
    return;
  std::optional<unsigned> &axis = groups_[find(found->second)].bufferAxis;
  if (!axis)
    axis = fast;
}

void LayoutGroups::takeBufferOfUsers(Value value, simt::SharedType buffer) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t at = 0; at < reached.size(); ++at)
    for (Operation *user : reached[at].getUsers()) {
      if (!isElementwise(user))
        continue;
      takeBuffer(user->getResult(0), buffer);
      if (isRematerialized(user->getResult(0)))
        reached.insert(user->getResult(0));
    }
}

void LayoutGroups::collect(Operation *op) {
  if (auto dot = dyn_cast<DotOp>(op)) {
    const ProductLayouts *product = layoutsOfProduct(dot);
    if (unsigned rank = dot.getType().getRank(); product && !features_.loadsMatrices) {
      takeRun(dot.getA(), rank - 1, product->a);
      takeRun(dot.getB(), rank - 2, product->b);
    } else if (simt::instructionOf(dot)) {
      takeByteRun(dot.getA(), rank - 1);
      takeByteRun(dot.getB(), rank - 2);
    }
    if ((simt::instructionOf(dot) && !product) || (product && product->copiesInC()))
      return;
    Group &group = groups_[find(numberOf(dot.getResult()))];
    group.weight += elementsOf(dot.getType()) * 8;
    if (!group.isFinal)
      group.fixed = product ? product->c : productLayout(context_, dot.getType().getShape(), threads_);
    return;
  }
  if (auto store = dyn_cast<simt::SharedStoreOp>(op)) {
    if (std::optional<unsigned> fast = fastAxis(store.getDst().getType()))
      takeByteRun(store.getValue(), *fast);
    takeStoredAxis(store.getValue(), store.getDst().getType());
    takeBuffer(store.getValue(), store.getDst().getType());
    return;
  }
  if (auto load = dyn_cast<simt::SharedLoadOp>(op)) {
    takeBufferOfUsers(load.getResult(), load.getSrc().getType());
    return;
  }
  if (auto product = dyn_cast<simt::ProductOp>(op)) {
    // The product decides its group's layout, because its result cannot be converted while it is in flight. Products of
    // one shape that read shared memory have one layout, or two if threads load the left operand of some of them; then
    // no product of the kernel is in flight across iterations (LoopProducts.cpp, hasOtherLayout).
    Group &group = groups_[find(numberOf(product.getResult()))];
    group.weight += elementsOf(product.getType()) * 8;
    group.fixed = layoutsOfProduct(op)->c;
    group.isFinal = true;
    return;
  }
  Value pointers = accessedPointers(op);
  if (!pointers || !isTensor(pointers))
    return;
  accessOps_.push_back(op);
  Type pointee = cast<PtrType>(getElementTypeOrSelf(pointers.getType())).getPointee();
  int64_t bytes = elementsOf(pointers.getType()) * bytesOf(pointee);
  AccessShape access = shapeOfAccess(op);
  int64_t edgeWidth = std::max(access.width, edgeWidthOf(op));
  for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults()))) {
    if (!isTensor(value) || isRematerialized(value))
      continue;
    Group &group = groups_[find(numberOf(value))];
    // The group's access gets the order of the heaviest access in it (of the first one if several are equally heavy),
    // and the greatest width of the accesses with this order.
    if (!group.access || (bytes > group.weight && group.access->order != access.order))
      group.access = access;
    else if (group.access->order == access.order)
      group.access->width = std::max(group.access->width, access.width);
    group.edgeWidth = std::min(group.edgeWidth.value_or(edgeWidth), edgeWidth);
    group.weight = std::max(group.weight, bytes);
    return; // the op's other tensors are in the same group
  }
}

} // namespace tegula::tile
