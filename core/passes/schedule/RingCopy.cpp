#include "core/passes/schedule/RingCopy.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

std::optional<RingCopy> RingCopy::of(Operation *op) {
  if (!isa<simt::CopyOp, simt::CopyTileOp>(op))
    return std::nullopt;
  return RingCopy{op};
}

TypedValue<simt::SharedType> RingCopy::filled() const {
  auto tile = byHardware();
  return tile ? tile.getDst() : cast<simt::CopyOp>(op).getDst();
}

simt::SharedAllocOp RingCopy::ring() const {
  auto stage = filled().getDefiningOp<simt::StageOp>();
  bool isFirst = stage && matchPattern(stage.getIndex(), m_Zero());
  return isFirst ? stage.getSrc().getDefiningOp<simt::SharedAllocOp>() : simt::SharedAllocOp();
}

simt::StartBarriersOp startOf(Value barriers) {
  for (Operation *user : barriers.getUsers())
    if (auto start = dyn_cast<simt::StartBarriersOp>(user))
      return start;
  return {};
}

simt::SharedAllocOp ringOf(Value view) {
  while (auto transpose = view.getDefiningOp<simt::TransposeOp>())
    view = transpose.getSrc();
  auto stage = view.getDefiningOp<simt::StageOp>();
  return stage ? stage.getSrc().getDefiningOp<simt::SharedAllocOp>() : simt::SharedAllocOp();
}

SmallVector<simt::SharedLoadOp> loadsOfPart(simt::CopyTileOp copy) {
  SmallVector<simt::SharedLoadOp> loads;
  auto wait = copy->hasOneUse() ? dyn_cast<simt::WaitTilesOp>(*copy->user_begin()) : simt::WaitTilesOp();
  if (!wait || wait->getBlock() != copy->getBlock())
    return loads;
  for (Operation *next = wait->getNextNode(); next && !isa<simt::CopyTileOp>(next); next = next->getNextNode())
    if (auto load = dyn_cast<simt::SharedLoadOp>(next))
      if (auto stage = load.getSrc().getDefiningOp<simt::StageOp>(); stage && ringOf(stage) == ringOf(copy.getDst()))
        loads.push_back(load);
  return loads;
}

} // namespace tegula::tile
