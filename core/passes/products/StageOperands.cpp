// tile-stage-operands; see Passes.td.
#include "core/ir/simt/Target.h"
#include "core/layout/Conversion.h"
#include "core/passes/Passes.h"
#include "core/passes/layouts/OperandBuffer.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_STAGEOPERANDS
#include "core/passes/Passes.h.inc"

namespace {

using layout_ir::DistributedAttr;
using layout_ir::SharedAttr;

DistributedAttr layoutOf(Value tensor) {
  return cast<DistributedAttr>(cast<RankedTensorType>(tensor.getType()).getEncoding());
}

/// The axis along which neighbouring registers, or else neighbouring lanes, have neighbouring elements: a thread's
/// widest stores lie along it. One of the last two axes.
unsigned fastAxis(DistributedAttr layout) {
  unsigned rank = layout.getRank();
  for (ArrayRef<int64_t> bases : {layout.getRegisters(), layout.getLanes()})
    for (size_t at = 0; at < bases.size(); at += rank)
      for (unsigned axis : {rank - 1, rank - 2})
        if (bases[at + axis] == 1)
          return axis;
  return rank - 1;
}

/// Whether the conversion moves elements between threads.
bool movesBetweenThreads(simt::ConvertLayoutOp convert, int64_t elementBytes) {
  ArrayRef<int64_t> shape = shapeOf(convert.getType());
  layout::ConversionOptions options;
  options.elementBytes = uint32_t(elementBytes);
  options.maxShuffles = 0;
  layout::ConversionPlan plan = layout::planConversion(layoutOf(convert.getSrc()).getLayout(shape),
                                                       layoutOf(convert.getResult()).getLayout(shape), options);
  return llvm::any_of(plan.steps(), [](const layout::ConversionPlan::Step &step) {
    return std::holds_alternative<layout::SharedStep>(step);
  });
}

class StageOperandsPass : public impl::StageOperandsBase<StageOperandsPass> {
public:
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    sharedBytes_ = target.features.sharedBytes;
    mostHeldBytes_ = target.policies.heldBytes;
    getOperation()->walk([&](simt::SharedAllocOp ring) { sharedBytes_ -= ring.getType().getBytes(); });
    SmallVector<DotOp> dots;
    getOperation()->walk([&](DotOp dot) {
      if (simt::InstructionAttr instruction = simt::instructionOf(dot); instruction && !instruction.isOpaque())
        dots.push_back(dot);
    });
    for (DotOp dot : dots)
      // Operands that do not fit together are converted in parts, as all exchanges are.
      if (bytesOf(dot.getA()) + bytesOf(dot.getB()) <= sharedBytes_)
        stage(dot);
  }

private:
  static int64_t bytesOfElement(Value tensor) { return simt::elementBytes(getElementTypeOrSelf(tensor.getType())); }
  static int64_t bytesOf(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getNumElements() * bytesOfElement(tensor);
  }

  /// Both operands are stored before either is loaded, so that one barrier stands between. That happens right before
  /// the dot where it is the only use, in the same block: until then registers hold the operand as it was loaded. An
  /// operand from outside of the dot's loop that would take too many registers there is loaded in each iteration.
  void stage(DotOp dot) {
    struct Staged {
      simt::ConvertLayoutOp convert;
      Value buffer;
      Operation *loadedBefore;
    };
    SmallVector<Staged, 2> staged;
    for (Value operand : {dot.getA(), dot.getB()}) {
      auto convert = operand.getDefiningOp<simt::ConvertLayoutOp>();
      bool isKnown = llvm::any_of(staged, [&](const Staged &other) { return other.convert == convert; });
      if (!convert || isKnown || !movesBetweenThreads(convert, bytesOfElement(operand)))
        continue;
      bool isOnlyHere = llvm::all_of(convert->getUsers(), [&](Operation *user) { return user == dot; });
      bool isInBlock = convert->getBlock() == dot->getBlock();
      int64_t heldBytes = layout_ir::registersOf(layoutOf(operand)) * bytesOfElement(operand);
      Operation *storedBefore = isOnlyHere && isInBlock ? dot.getOperation() : convert;
      Operation *loadedBefore = isOnlyHere && (isInBlock || heldBytes > mostHeldBytes_) ? dot.getOperation() : convert;
      OpBuilder builder(storedBefore);
      Value src = convert.getSrc();
      auto type = cast<RankedTensorType>(src.getType());
      SharedAttr layout =
          operandBuffer(&getContext(), type.getShape(), fastAxis(layoutOf(src)), bytesOfElement(operand));
      auto buffer = simt::SharedType::get(&getContext(), type.getShape(), type.getElementType(), layout);
      Value made = builder.create<simt::SharedAllocOp>(convert.getLoc(), buffer, IntegerAttr());
      builder.create<simt::SharedStoreOp>(convert.getLoc(), made, Value(), src);
      staged.push_back({convert, made, loadedBefore});
    }
    for (Staged &each : staged) {
      OpBuilder builder(each.loadedBefore);
      Value loaded =
          builder.create<simt::SharedLoadOp>(each.convert.getLoc(), each.convert.getType(), each.buffer, Value());
      each.convert.replaceAllUsesWith(loaded);
      each.convert.erase();
    }
  }

  int64_t sharedBytes_ = 0, mostHeldBytes_ = 0;
};

} // namespace
} // namespace tegula::tile
