// tile-combine-broadcasts (TilePasses.td): combines tensors that are broadcast along the same axes before the
// broadcast.
#include "core/ir/tile/Tile.h"
#include "core/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_COMBINEBROADCASTS
#include "core/passes/Passes.h.inc"

namespace {

/// Whether the value is the conjunction, used once, that another conjunction in its block extends.
bool isInner(Value value, Block *block) {
  auto inner = value.getDefiningOp<arith::AndIOp>();
  return inner && inner->hasOneUse() && inner->getBlock() == block;
}

/// Collects the `arith.andi` ops of the tree that ends in `root`, each before the ops that it uses, and the leaves of
/// the tree as `operands`.
void collectTree(arith::AndIOp root, SmallVectorImpl<Operation *> &ops, SmallVectorImpl<Value> &operands) {
  ops.push_back(root);
  for (Value operand : root->getOperands()) {
    if (isInner(operand, root->getBlock()))
      collectTree(operand.getDefiningOp<arith::AndIOp>(), ops, operands);
    else
      operands.push_back(operand);
  }
}

Value conjunction(OpBuilder &builder, Location location, ArrayRef<Value> values) {
  Value all = values.front();
  for (Value each : values.drop_front())
    all = arith::AndIOp::create(builder, location, all, each);
  return all;
}

/// A conjunction of tensors, some of which are broadcast from one shape: these are combined in that shape.
void combineMasks(arith::AndIOp root) {
  SmallVector<Operation *> ops;
  SmallVector<Value> operands, others;
  collectTree(root, ops, operands);
  llvm::MapVector<Type, SmallVector<Value>> groups; // sources of broadcasts, by type
  for (Value operand : operands) {
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      groups[broadcast.getSrc().getType()].push_back(broadcast.getSrc());
    else
      others.push_back(operand);
  }
  if (llvm::all_of(groups, [](auto &group) { return group.second.size() == 1; }))
    return;
  OpBuilder builder(root);
  for (auto &[type, sources] : groups)
    others.push_back(
        BroadcastOp::create(builder, root.getLoc(), root.getType(), conjunction(builder, root.getLoc(), sources)));
  root.replaceAllUsesWith(conjunction(builder, root.getLoc(), others));
  for (Operation *op : ops)
    op->erase();
}

/// Pointers that were broadcast, to which offsets are added: an offset that is broadcast from the shape of the pointers
/// is added before the broadcast.
void addEarly(AddPtrOp last) {
  auto offset = last.getOffset().getDefiningOp<BroadcastOp>();
  if (!offset)
    return;
  SmallVector<AddPtrOp> between;
  Value pointers = last.getPtr();
  for (auto add = pointers.getDefiningOp<AddPtrOp>(); add && add->hasOneUse();
       add = pointers.getDefiningOp<AddPtrOp>()) {
    between.push_back(add);
    pointers = add.getPtr();
  }
  auto base = pointers.getDefiningOp<BroadcastOp>();
  if (!base || cast<RankedTensorType>(base.getSrc().getType()).getShape() !=
                   cast<RankedTensorType>(offset.getSrc().getType()).getShape())
    return;
  OpBuilder builder(last);
  Value moved = AddPtrOp::create(builder, last.getLoc(), base.getSrc(), offset.getSrc());
  Value result = BroadcastOp::create(builder, last.getLoc(), last.getType(), moved);
  for (AddPtrOp add : llvm::reverse(between))
    result = AddPtrOp::create(builder, add.getLoc(), result, add.getOffset());
  last.replaceAllUsesWith(result);
  last.erase();
  for (AddPtrOp add : between)
    add.erase();
}

struct CombineBroadcastsPass : impl::CombineBroadcastsBase<CombineBroadcastsPass> {
  void runOnOperation() override {
    SmallVector<arith::AndIOp> roots;
    SmallVector<AddPtrOp> adds;
    getOperation()->walk([&](Operation *op) {
      if (auto mask = dyn_cast<arith::AndIOp>(op); mask && isa<RankedTensorType>(mask.getType())) {
        bool isPart = mask->hasOneUse() && isa<arith::AndIOp>(*mask->user_begin()) &&
                      isInner(mask, mask->user_begin()->getBlock());
        if (!isPart)
          roots.push_back(mask);
      } else if (auto add = dyn_cast<AddPtrOp>(op); add && isa<RankedTensorType>(add.getType())) {
        adds.push_back(add);
      }
    });
    for (arith::AndIOp root : roots)
      combineMasks(root);
    for (AddPtrOp add : adds)
      addEarly(add);
  }
};

} // namespace
} // namespace tegula::tile
