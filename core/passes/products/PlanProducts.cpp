// tile-plan-products (Passes.td): stores those operands to shared buffers that matrix instructions read from shared
// memory.
#include "core/passes/Passes.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/analysis/Uniform.h"
#include "core/passes/layouts/OperandBuffer.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/products/ProductChoice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <array>
#include <limits>

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_PLANPRODUCTS
#include "core/passes/Passes.h.inc"

namespace {

class Plan {
public:
  explicit Plan(func::FuncOp function) : axes_(function) {}

  void rewrite(DotOp dot) {
    simt::InstructionAttr instruction = simt::instructionOf(dot);
    // A left operand that comes from another product stays in registers. An exception are f32 operands, which the
    // instruction reads only along the depth and which are rounded to tf32 on their way to shared memory: they go to a
    // buffer. When tile-select-products chose the instruction, such an operand did not come from a product; since then
    // the canonicalizer may have inlined a loop that contains one.
    bool isInRegisters = comesFromProduct(dot.getA()) && !readsKMajorOnly(instruction.getA().getElementType());
    bool isLoaded = mustBecomeKMajor(dot, 0, axes_); // threads load it from its buffer into registers
    Value a = dot.getA();
    if (!isInRegisters)
      a = inBuffer(a, isLoaded ? std::nullopt : lineOf(dot, 0), {isLoaded ? kWhole : instruction.getM(), kWhole}, dot);
    Value b = inBuffer(dot.getB(), lineOf(dot, 1), {kWhole, instruction.getN()}, dot);
    OpBuilder builder(dot);
    if (isLoaded)
      a = simt::SharedLoadOp::create(builder, dot.getLoc(), dot.getA().getType(), a, Value());
    Value started = simt::ProductOp::create(builder, dot.getLoc(), a, b, dot.getC(), instruction);
    dot.getResult().replaceAllUsesWith(simt::WaitProductsOp::create(builder, dot.getLoc(), started));
    dot.erase();
  }

private:
  static constexpr int64_t kWhole = std::numeric_limits<int64_t>::max();

  /// The axis along which lines of operand 0 (A) or 1 (B) of the dot must lie in shared memory; nothing if the
  /// instruction reads lines along either axis.
  static std::optional<unsigned> lineOf(DotOp dot, unsigned operand) {
    bool isFixed = readsKMajorOnly(getElementTypeOrSelf(dot->getOperand(operand).getType()));
    return isFixed ? std::optional(1 - operand) : std::nullopt;
  }

  /// A view of a shared buffer that holds the tensor, of which products may read parts of these extents. The buffer's
  /// lines lie along the axis `line`; if that is nothing, along the same axis as in global memory.
  Value inBuffer(Value tensor, std::optional<unsigned> line, std::array<int64_t, 2> parts, DotOp dot);

  AxisAnalysis axes_;
  DenseMap<std::pair<Value, Attribute>, Value> buffers_; // buffers of tensors that are already stored, by layout
};

Value Plan::inBuffer(Value tensor, std::optional<unsigned> line, std::array<int64_t, 2> parts, DotOp dot) {
  bool isTransposed = false;
  while (auto trans = tensor.getDefiningOp<TransOp>()) {
    tensor = trans.getSrc();
    isTransposed = !isTransposed;
  }
  auto type = cast<RankedTensorType>(tensor.getType());
  unsigned fast = !line ? lineAxis(tensor, axes_) : isTransposed ? 1 - *line : *line;
  layout_ir::SharedAttr layout =
      operandBuffer(dot.getContext(), type.getShape(), fast, simt::elementBytes(type.getElementType()),
                    std::min(parts[isTransposed ? 1 - fast : fast], type.getDimSize(fast)));
  Value &buffer = buffers_[{tensor, layout}];
  if (!buffer) {
    // The store is right before the dot if the tensor is made in the dot's block, because a store waits for earlier
    // loads. Otherwise it follows the op that makes the tensor: once before a loop, not in each iteration.
    OpBuilder builder(dot);
    if (tensor.getParentBlock() != dot->getBlock())
      builder.setInsertionPointAfterValue(tensor);
    auto shared = simt::SharedType::get(dot.getContext(), type.getShape(), type.getElementType(), layout);
    buffer = simt::SharedAllocOp::create(builder, dot.getLoc(), shared, IntegerAttr());
    auto store = simt::SharedStoreOp::create(builder, dot.getLoc(), buffer, Value(), tensor);
    store.setTf32(type.getElementType().isF32());
    simt::FenceOp::create(builder, dot.getLoc(), simt::FenceKind::Async);
  }
  if (!isTransposed)
    return buffer;
  OpBuilder builder(dot);
  return simt::TransposeOp::create(builder, dot.getLoc(), cast<simt::SharedType>(buffer.getType()).getTransposedType(),
                                   buffer);
}

/// Makes a store by hardware: threads store the tensor to a buffer, from which hardware copies it.
void planStore(DescStoreOp store) {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  unsigned fast = unsigned(type.getRank()) - 1;
  layout_ir::SharedAttr layout = operandBuffer(store.getContext(), type.getShape(), fast,
                                               simt::elementBytes(type.getElementType()), type.getDimSize(fast));
  OpBuilder builder(store);
  auto shared = simt::SharedType::get(store.getContext(), type.getShape(), type.getElementType(), layout);
  Value buffer = simt::SharedAllocOp::create(builder, store.getLoc(), shared, IntegerAttr());
  simt::SharedStoreOp::create(builder, store.getLoc(), buffer, Value(), store.getValue());
  simt::FenceOp::create(builder, store.getLoc(), simt::FenceKind::Async);
  simt::CopyOutOp::create(builder, store.getLoc(), buffer, store.getDesc(), store.getOffsets());
  store.erase();
}

struct PlanProductsPass : impl::PlanProductsBase<PlanProductsPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<DotOp> dots;
      function.walk([&](DotOp dot) {
        if (simt::InstructionAttr instruction = simt::instructionOf(dot); instruction && readsShared(instruction))
          dots.push_back(dot);
      });
      function.walk([](DescStoreOp store) {
        if (store->hasAttr(kCopiedAttr))
          planStore(store);
      });
      if (dots.empty())
        continue;
      Plan plan(function);
      for (DotOp dot : dots)
        plan.rewrite(dot);
      SmallVector<TransOp> transposes; // transposes that views may have replaced
      function.walk([&](TransOp trans) { transposes.push_back(trans); });
      for (TransOp trans : llvm::reverse(transposes))
        if (trans->use_empty())
          trans.erase();
    }
  }
};

} // namespace
} // namespace tegula::tile
