// tile-mark-tile-copies; see LoopPasses.td.
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopLoads.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_MARKTILECOPIES
#include "core/passes/Passes.h.inc"

namespace {

constexpr int64_t kMostExtent = 256; // of a box
constexpr int64_t kLeastLine = 32;   // bytes; the narrowest lines of buffers whose pieces are permuted
constexpr int64_t kPositionBytes = 16;

/// Whether each use of the value, also through transposes, is operand A or B of a dot whose instruction reads operands
/// from shared memory.
bool feedsSharedProducts(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (auto trans = dyn_cast<TransOp>(use.getOwner()))
      return feedsSharedProducts(trans.getResult());
    auto dot = dyn_cast<DotOp>(use.getOwner());
    simt::InstructionAttr instruction = dot ? simt::instructionOf(dot) : simt::InstructionAttr();
    return instruction && readsShared(instruction) && use.get() != dot.getC();
  });
}

bool canCopyTile(DescLoadOp load, scf::ForOp loop, const AxisAnalysis &axes) {
  auto type = cast<RankedTensorType>(load.getType());
  int64_t bytes = simt::elementBytes(type.getElementType());
  if (type.getShape() != load.getDesc().getType().getShape() || type.getRank() != 2 || load->use_empty() ||
      llvm::any_of(type.getShape(), [](int64_t extent) { return extent > kMostExtent; }) ||
      type.getShape().back() * bytes < kLeastLine || !feedsSharedProducts(load.getResult()))
    return false;
  // The hardware faults at other positions along lines. Declared facts are not used, so no guard is needed.
  if (axes.of(load.getOffsets().back()).divisor() < kPositionBytes / bytes)
    return false;
  LoopSlice slice(loop);
  return LoopWrites(loop).obstacleOf(type.getElementType()).empty() &&
         llvm::all_of(load.getOffsets(), [&](Value offset) { return slice.canRunAhead(offset); });
}

/// Whether all accesses through a descriptor, an argument of the kernel, can be copies by hardware: loads of one loop.
/// All or none, because code receives a descriptor either encoded for the hardware or in parts
/// (core/contracts/Artifact.h).
bool canCopyTiles(BlockArgument descriptor, const AxisAnalysis &axes) {
  scf::ForOp loop;
  for (Operation *user : descriptor.getUsers()) {
    auto load = dyn_cast<DescLoadOp>(user);
    auto around = dyn_cast<scf::ForOp>(user->getParentOp());
    if (!load || !around || (loop && loop != around))
      return false;
    loop = around;
  }
  if (!loop || stagesOf(loop) < 2 || !llvm::is_contained(innermostLoops(loop), loop))
    return false;
  return llvm::all_of(descriptor.getUsers(),
                      [&](Operation *user) { return canCopyTile(cast<DescLoadOp>(user), loop, axes); });
}

struct MarkTileCopiesPass : impl::MarkTileCopiesBase<MarkTileCopiesPass> {
  void runOnOperation() override {
    TargetFeatures features = simt::targetOf(getOperation()).features;
    if (!features.copiesTiles || !features.copiesAsync) // tile-pipeline-copies makes both
      return;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      AxisAnalysis axes(function, AxisAnalysis::Facts::Ignored);
      for (BlockArgument argument : function.getArguments())
        if (isa<DescType>(argument.getType()) && canCopyTiles(argument, axes))
          for (Operation *load : argument.getUsers())
            load->setAttr(kCopiedAttr, UnitAttr::get(&getContext()));
    }
  }
};

} // namespace
} // namespace tegula::tile
