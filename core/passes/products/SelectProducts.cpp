// tile-select-products (Passes.td): chooses the matrix instruction of each tile.dot.
//
// ProductChoice.h chooses the instruction; this file changes the IR.
#include "core/ir/simt/Target.h"
#include "core/passes/Budget.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/products/ProductChoice.h"
#include "core/passes/products/SwapOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_SELECTPRODUCTS
#include "core/passes/Passes.h.inc"

namespace {

/// Replaces the dot by one with a wider accumulator, whose result is rounded once, at the end. Returns the new dot, or
/// the given one if its type is wide enough.
DotOp withAccumulator(DotOp dot, Type element) {
  auto narrow = cast<RankedTensorType>(dot.getType());
  if (narrow.getElementType() == element)
    return dot;
  OpBuilder builder(dot);
  Value wide = FpCastOp::create(builder, dot.getLoc(), narrow.clone(element), dot.getC(), RoundingMode::NearestEven);
  auto made = DotOp::create(builder, dot.getLoc(), dot.getA(), dot.getB(), wide, dot.getInputPrecision(),
                            dot.getMaxNumImpreciseAcc());
  dot.getResult().replaceAllUsesWith(
      FpCastOp::create(builder, dot.getLoc(), narrow, made.getResult(), RoundingMode::NearestEven));
  dot.erase();
  return made;
}

/// Converts the dot's operands to the element type that the instruction reads. f32 operands are converted later, when
/// they are in a thread's registers.
void adaptOperands(DotOp dot, simt::InstructionAttr instruction) {
  OpBuilder builder(dot);
  auto adapt = [&](Value operand, Type wanted) -> Value {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getElementType() == wanted || type.getElementType().isF32())
      return operand;
    return FpCastOp::create(builder, dot.getLoc(), type.clone(wanted), operand, RoundingMode::NearestEven);
  };
  dot.getAMutable().assign(adapt(dot.getA(), instruction.getA().getElementType()));
  dot.getBMutable().assign(adapt(dot.getB(), instruction.getB().getElementType()));
}

/// Whether an op from `position` on, in its block or nested there, uses the tensor, possibly transposed.
bool isUsedFrom(Value tensor, Operation *position) {
  return llvm::any_of(tensor.getUsers(), [&](Operation *user) {
    Operation *place = position->getBlock()->findAncestorOpInBlock(*user);
    return !place || !place->isBeforeInBlock(position) ||
           (isa<TransOp>(user) && isUsedFrom(user->getResult(0), position));
  });
}

/// Whether the buffer of `tensor` occupies shared memory while the dot's innermost loop runs (or the dot, if it is in
/// no loop). The buffer of a tensor that is made in a loop is free when that loop ends; other buffers live until their
/// last use. A tensor of another kernel has no buffer here.
bool isAliveBeside(Value tensor, DotOp dot) {
  Operation *position = dot;
  if (auto loop = dot->getParentOfType<scf::ForOp>())
    position = loop;
  if (!position->getParentOfType<func::FuncOp>().getBody().isAncestor(tensor.getParentRegion()))
    return false;
  Operation *made = tensor.getDefiningOp();
  Operation *place = made ? position->getBlock()->findAncestorOpInBlock(*made) : nullptr;
  if (!place || place == position)
    return true;
  return place == made && place->isBeforeInBlock(position) && isUsedFrom(tensor, position);
}

/// The shared buffers of the dots for which an instruction was chosen, and these dots.
class Buffers {
public:
  /// Bytes of the buffers that are alive together with the dot.
  int64_t bytesBeside(DotOp dot) const {
    int64_t bytes = 0;
    for (auto [tensor, size] : buffers_)
      bytes += isAliveBeside(tensor, dot) ? size : 0;
    return bytes;
  }

  /// Whether the buffers of the dots chosen earlier still fit `room` bytes if this dot's operands also get buffers.
  /// These may be alive at an earlier dot, because operands may be stored before the earlier dot's loop.
  bool fitsBesideOthers(DotOp dot, simt::InstructionAttr instruction, int64_t room) const {
    return llvm::all_of(dots_, [&](DotOp other) {
      int64_t bytes = bytesBeside(other);
      for (Value operand : bufferedOperands(dot))
        if (!buffers_.contains(operand) && isAliveBeside(operand, other))
          bytes += bufferBytes(operand, instruction);
      return bytes <= room;
    });
  }

  void addOperands(DotOp dot, simt::InstructionAttr instruction) {
    for (Value operand : bufferedOperands(dot))
      buffers_.insert({operand, bufferBytes(operand, instruction)});
  }
  void addDot(DotOp dot) { dots_.push_back(dot); }

private:
  llvm::MapVector<Value, int64_t> buffers_; // tensors, and the bytes of their buffers
  SmallVector<DotOp> dots_;
};

class SelectProductsPass : public impl::SelectProductsBase<SelectProductsPass> {
public:
  void runOnOperation() override {
    target_ = simt::targetOf(getOperation());
    threads_ = threadsOf(getOperation());
    buffers_ = {};
    SmallVector<DotOp> dots;
    getOperation()->walk([&](DotOp dot) { dots.push_back(dot); });
    for (DotOp dot : dots)
      select(dot);
  }

private:
  ProductChoice choose(DotOp dot, const AxisAnalysis &axes) {
    simt::Budget budget(target_.features);
    int64_t bufferBytes = budget.sharedForOperands();
    ProductRoom room{threads_.warps, budget.registerBytes(threads_.count()), budget.shared(),
                     bufferBytes - buffers_.bytesBeside(dot)};
    ProductChoice choice = chooseProduct(dot, target_.instructions, room, axes);
    if (choice.instruction && readsShared(choice.instruction) &&
        !buffers_.fitsBesideOthers(dot, choice.instruction, bufferBytes)) {
      room.bufferBytes = 0;
      choice = chooseProduct(dot, target_.instructions, room, axes);
    }
    return choice;
  }

  /// Whether the dot may be computed as its transpose. It may not if each warp group should have whole rows of the
  /// result, as for a softmax: they would be columns of the transposed result.
  bool maySwap(DotOp dot) {
    if (!canBeSwapped(dot) || llvm::none_of(target_.instructions, readsShared) || comesFromProduct(dot.getA()))
      return false;
    auto loop = cast<scf::ForOp>(dot->getParentOp());
    return !leadsToRows(loop.getTiedLoopResult(cast<BlockArgument>(dot.getC())));
  }

  /// Whether all instructions that read shared memory have more rows than the dot.
  bool hasFewRows(DotOp dot) {
    return llvm::all_of(target_.instructions, [&](simt::InstructionAttr each) {
      return !readsShared(each) || extentsOf(dot).m < each.getM();
    });
  }

  /// Computes the dot as its transpose if an instruction that reads shared memory takes the transpose; `dot` and
  /// `choice` then describe the transposed dot. False if there is no such instruction. `onlyKMajor`: only if the
  /// instruction reads operands along the depth (K-major) only; another instruction could read the dot's own operands
  /// as well.
  bool trySwap(DotOp &dot, ProductChoice &choice, const std::string &why, bool onlyKMajor) {
    DotOp swapped = makeSwapped(dot);
    ProductChoice other = choose(swapped, AxisAnalysis(dot->getParentOfType<func::FuncOp>()));
    if (!other.instruction || !readsShared(other.instruction) ||
        (onlyKMajor && !readsKMajorOnly(other.instruction.getA().getElementType()))) {
      dropSwapped(swapped);
      return false;
    }
    explain(dot.getLoc(), "dot") << "its transpose is computed, because " << why;
    takeSwapped(dot, swapped);
    dot = swapped;
    choice = other;
    return true;
  }

  void select(DotOp dot) {
    AxisAnalysis axes(dot->getParentOfType<func::FuncOp>());
    ProductChoice choice = choose(dot, axes);
    if (maySwap(dot)) {
      bool liesAcross = mustBecomeKMajor(dot, 1, axes) && !mustBecomeKMajor(dot, 0, axes);
      if (!(liesAcross && trySwap(dot, choice, "B lies across the depth", /*onlyKMajor=*/true)) && hasFewRows(dot))
        trySwap(dot, choice, "A has fewer rows than instructions that read shared memory compute",
                /*onlyKMajor=*/false);
    }
    explain(dot.getLoc(), "dot") << describeChoice(dot, choice);
    if (!choice.instruction)
      return;
    bool isBuffered = readsShared(choice.instruction);
    if (isBuffered)
      buffers_.addOperands(dot, choice.instruction);
    adaptOperands(dot, choice.instruction);
    dot = withAccumulator(dot, choice.instruction.getC().getElementType());
    dot->setAttr(simt::kInstructionAttr, choice.instruction);
    if (isBuffered)
      buffers_.addDot(dot);
  }

  simt::Target target_;
  ThreadShape threads_;
  Buffers buffers_;
};

} // namespace
} // namespace tegula::tile
