// Two groups of warps start their products in turns: while the products of one group run, the other computes what is
// between them, in an attention the exponentials. Without turns both groups may compute, and both wait for products, at
// the same time. (The schedule is FlashAttention-3's: Shah et al., 2024, section 3.1.)
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/CopyPipeline.h"

using namespace mlir;

namespace tegula::tile {
namespace {

constexpr int64_t kGroups = 2;

} // namespace

bool CopyPipeline::mayTakeTurns() {
  int64_t warps = threads_ / simt::targetOf(loop_).features.threadsPerWarp;
  return !products_.delayed.empty() &&
         llvm::all_of(loop_.getBody()->getOps<simt::ProductOp>(),
                      [&](simt::ProductOp product) { return warpsOf(product.getInstruction()) * kGroups == warps; });
}

/// The number of the thread's group.
static Value groupOf(OpBuilder &builder, Location location, int64_t warpsOfGroup) {
  Value warp = builder.create<simt::WarpIdOp>(location, builder.getI32Type());
  Value each = builder.create<arith::ConstantOp>(location, builder.getI32IntegerAttr(int32_t(warpsOfGroup)));
  return builder.create<arith::DivUIOp>(location, warp, each);
}

/// The number of the other group.
static Value otherOf(OpBuilder &builder, Location location, Value group) {
  Value one = builder.create<arith::ConstantOp>(location, builder.getI32IntegerAttr(1));
  return builder.create<arith::XOrIOp>(location, group, one);
}

// The phases of an object alternate between 0 and 1, and of one that was just made, phase 1 counts as over. In
// iteration i, from 0, group 1 waits for phase i of its object, which group 0 completes in iteration i, and group 0 for
// phase i - 1, which group 1 completes in iteration i - 1.
Value CopyPipeline::firstTurn(OpBuilder &builder) {
  int64_t warps = threads_ / simt::targetOf(loop_).features.threadsPerWarp;
  return otherOf(builder, loop_.getLoc(), groupOf(builder, loop_.getLoc(), warps / kGroups));
}

Value CopyPipeline::takeTurns(Value phase) {
  SmallVector<simt::ProductOp> products(loop_.getBody()->getOps<simt::ProductOp>());
  // A group that has its turn must not wait for the other one, as an exchange between all warps would. Conversions that
  // later passes add stand behind what defines a tensor, so not between these ops, and barriers before accesses of
  // shared memory by threads, of which there are none here.
  for (Operation *op = products.front(); op != products.back(); op = op->getNextNode())
    if (!isa<simt::ProductOp, simt::BarrierWaitOp>(op) &&
        (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>)))
      return {};
  Location location = loop_.getLoc();
  int64_t warps = warpsOf(products.front().getInstruction());
  OpBuilder top = OpBuilder::atBlockBegin(loop_->getBlock());
  auto type = simt::BarriersType::get(loop_.getContext(), kGroups);
  Value turns = top.create<simt::BarrierAllocOp>(location, type, IntegerAttr());
  top.setInsertionPoint(producerAt_);
  top.create<simt::StartBarriersOp>(location, turns, uint32_t(warps));
  OpBuilder before(loop_);
  Value group = groupOf(before, location, warps), other = otherOf(before, location, group);
  OpBuilder first(products.front());
  first.create<simt::BarrierWaitOp>(location, turns, group, phase);
  OpBuilder last(loop_.getContext());
  last.setInsertionPointAfter(products.back());
  last.create<simt::ArriveWarpsOp>(location, turns, other);
  return turns;
}

} // namespace tegula::tile
