// Ping-pong scheduling: two warp groups issue their products alternately. While the products of one group run, the
// other group computes the ops between its products; in an attention, these are the exponentials. Without this order
// both groups may compute at the same time, and then both wait for products at the same time. (The schedule is
// FlashAttention-3's: Shah et al., 2024, section 3.1.)
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/CopyPipeline.h"

using namespace mlir;

namespace tegula::tile {
namespace {

constexpr int64_t kGroups = 2;

} // namespace

bool CopyPipeline::mayPingPong() {
  int64_t warps = threads_ / simt::targetOf(loop_).features.threadsPerWarp;
  return !products_.delayed.empty() &&
         llvm::all_of(loop_.getBody()->getOps<simt::ProductOp>(),
                      [&](simt::ProductOp product) { return warpsOf(product.getInstruction()) * kGroups == warps; });
}

CopyPipeline::WarpGroups CopyPipeline::warpGroups(OpBuilder &builder) {
  Location location = loop_.getLoc();
  int64_t warps = threads_ / simt::targetOf(loop_).features.threadsPerWarp;
  Value warp = simt::WarpIdOp::create(builder, location, builder.getI32Type());
  Value own = arith::DivUIOp::create(builder, location, warp, number(builder, warps / kGroups));
  return {own, arith::XOrIOp::create(builder, location, own, number(builder, 1))};
}

// The phases of a barrier object alternate between 0 and 1; for a new object, a wait for phase 1 returns at once. In
// iteration i, from 0, group 1 waits for phase i of its object, which group 0 completes in iteration i. Group 0 waits
// for phase i - 1 of its object, which group 1 completes in iteration i - 1. So group 0 begins with phase 1 and group 1
// with phase 0: each begins with the number of the other group.
Value CopyPipeline::pingPong(const WarpGroups &groups, Value phase) {
  SmallVector<simt::ProductOp> products(loop_.getBody()->getOps<simt::ProductOp>());
  // Between its first and its last product of an iteration, a group must not wait for the other group, as it would at a
  // barrier of all warps. Later passes insert such barriers where elements move between threads (right after the op
  // that defines a tensor, or later, but not past the wait below) and where threads access shared memory. Neither may
  // happen between these products.
  for (Operation *op = products.front(); op != products.back(); op = op->getNextNode())
    if (!isa<simt::ProductOp, simt::BarrierWaitOp>(op) &&
        (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>)))
      return {};
  Location location = loop_.getLoc();
  OpBuilder top = OpBuilder::atBlockBegin(loop_->getBlock());
  auto type = simt::BarriersType::get(loop_.getContext(), kGroups);
  Value turns = simt::BarrierAllocOp::create(top, location, type, IntegerAttr());
  top.setInsertionPoint(producerAt_);
  simt::StartBarriersOp::create(top, location, turns, uint32_t(warpsOf(products.front().getInstruction())));
  OpBuilder first(products.front());
  simt::BarrierWaitOp::create(first, location, turns, groups.own, phase);
  OpBuilder last(loop_.getContext());
  last.setInsertionPointAfter(products.back());
  simt::ArriveWarpsOp::create(last, location, turns, groups.other);
  return turns;
}

} // namespace tegula::tile
