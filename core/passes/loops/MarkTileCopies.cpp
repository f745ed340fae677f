// tile-mark-tile-copies (LoopPasses.td): marks loads and stores through descriptors that hardware will copy.
#include "core/ir/simt/Target.h"
#include "core/passes/Budget.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/layouts/OperandBuffer.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopLoads.h"
#include "core/passes/loops/LoopProducts.h"
#include "core/passes/loops/TileCopies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_MARKTILECOPIES
#include "core/passes/Passes.h.inc"

namespace {

// Requirements of copies by hardware; core/contracts/Artifact.h, DescriptorRecipe.
constexpr int64_t kMostExtent = 256; // elements of a block along an axis

} // namespace

/// Whether hardware can copy a block of the load's shape, from the load's position, to a buffer.
static bool isBlockToCopy(DescLoadOp load, const AxisAnalysis &axes) {
  auto type = cast<RankedTensorType>(load.getType());
  int64_t bytes = simt::elementBytes(type.getElementType());
  return type.getRank() == 2 && !load->use_empty() &&
         llvm::all_of(type.getShape(), [](int64_t extent) { return extent <= kMostExtent; }) &&
         type.getShape().back() * bytes >= kLeastSpanBytes &&
         axes.of(load.getOffsets().back()).divisor() >= kTileAlignment / bytes;
}

bool canCopyTile(DescLoadOp load, scf::ForOp loop, const AxisAnalysis &axes) {
  if (!isBlockToCopy(load, axes) || (!onlyFeedsDots(load.getResult(), readsShared) && !rawLoads(loop).contains(load)))
    return false;
  auto type = cast<RankedTensorType>(load.getType());
  LoopSlice slice(loop);
  return LoopWrites(loop).obstacleOf(type.getElementType()).empty() &&
         llvm::all_of(load.getOffsets(), [&](Value offset) { return slice.canRunAhead(offset); });
}

bool canCopyTileOnce(DescLoadOp load, const AxisAnalysis &axes) {
  return canBeCopiedOnce(load) && onlyFeedsDots(load.getResult(), readsShared) && isBlockToCopy(load, axes);
}

namespace {

/// Whether hardware can copy the load's block: ahead of an iteration of an innermost loop, or once.
bool canCopy(DescLoadOp load, const AxisAnalysis &axes) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  if (!loop)
    return canCopyTileOnce(load, axes);
  return stagesOf(loop) >= 2 && llvm::is_contained(innermostLoops(loop), loop) && canCopyTile(load, loop, axes);
}

/// Whether hardware can make all accesses through the descriptor, an argument of the kernel. All accesses must be loads
/// that hardware can copy, and either all are in loops or all are executed once. A single access by threads prevents
/// copies: a kernel receives a descriptor either in the hardware's encoding, or as address, extents and strides, which
/// threads need (core/contracts/Artifact.h).
bool canCopyTiles(BlockArgument descriptor, const AxisAnalysis &axes) {
  auto isInLoop = [](Operation *user) { return isa<scf::ForOp>(user->getParentOp()); };
  return !descriptor.use_empty() &&
         (llvm::all_of(descriptor.getUsers(), isInLoop) || llvm::none_of(descriptor.getUsers(), isInLoop)) &&
         llvm::all_of(descriptor.getUsers(), [&](Operation *user) {
           auto load = dyn_cast<DescLoadOp>(user);
           return load && canCopy(load, axes);
         });
}

/// Whether hardware can make the store. Other accesses of the kernel, and the shared memory for the block, are not
/// checked.
bool canCopyOut(DescStoreOp store, const AxisAnalysis &axes) {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  int64_t bytes = simt::elementBytes(type.getElementType());
  return isa<BlockArgument>(store.getDesc()) && isa<func::FuncOp>(store->getParentOp()) && type.getRank() == 2 &&
         llvm::all_of(type.getShape(), [](int64_t extent) { return extent <= kMostExtent; }) &&
         type.getShape().back() * bytes >= kLeastSpanBytes &&
         axes.of(store.getOffsets().back()).divisor() >= kTileAlignment / bytes &&
         llvm::all_of(store.getDesc().getUsers(), [](Operation *user) { return isa<DescStoreOp>(user); });
}

/// Whether the stored blocks fit shared memory together with the buffers that are alive after the kernel's last
/// product.
bool haveRoom(ArrayRef<DescStoreOp> stores) {
  if (stores.empty())
    return true;
  int64_t room = simt::Budget(stores.front()).sharedForResult(stores.size());
  return llvm::all_of(stores, [&](DescStoreOp store) { return bytesOfWhole(store.getValue().getType()) <= room; });
}

} // namespace

SmallVector<DescStoreOp> storesToCopy(func::FuncOp function, const AxisAnalysis &axes) {
  SmallVector<DescStoreOp> stores;
  bool hasProduct = false, canCopy = true;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto store = dyn_cast<DescStoreOp>(op)) {
      canCopy &= canCopyOut(store, axes);
      stores.push_back(store);
    } else if (isa<StoreOp, AtomicRmwOp, AtomicCasOp, DescAtomicOp, DescScatterOp, PrintOp, AssertOp>(op)) {
      canCopy = false;
    } else if (isa<LoadOp, DescLoadOp, DescGatherOp>(op)) {
      canCopy &= stores.empty();
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      simt::InstructionAttr instruction = simt::instructionOf(dot);
      hasProduct |= instruction && readsShared(instruction);
    }
  });
  return hasProduct && canCopy && haveRoom(stores) ? stores : SmallVector<DescStoreOp>();
}

namespace {

struct MarkTileCopiesPass : impl::MarkTileCopiesBase<MarkTileCopiesPass> {
  void runOnOperation() override {
    TargetFeatures features = simt::targetOf(getOperation()).features;
    if (!features.copiesTiles || !features.copiesAsync) // tile-pipeline-copies uses both kinds of copies
      return;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      AxisAnalysis axes(function, AxisAnalysis::Facts::Ignored);
      for (BlockArgument argument : function.getArguments())
        if (isa<DescType>(argument.getType()) && canCopyTiles(argument, axes))
          for (Operation *load : argument.getUsers())
            load->setAttr(kCopiedAttr, UnitAttr::get(&getContext()));
      for (DescStoreOp store : storesToCopy(function, axes))
        store->setAttr(kCopiedAttr, UnitAttr::get(&getContext()));
    }
  }
};

} // namespace
} // namespace tegula::tile
