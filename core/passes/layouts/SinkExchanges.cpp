// tile-sink-exchanges (Passes.td): moves conversions of layouts and loads from rings to where their results are
// used, and conversions behind casts to narrower types.
#include "core/ir/layout/LayoutRules.h"
#include "core/ir/simt/Simt.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/Uniform.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_SINKEXCHANGES
#include "core/passes/Passes.h.inc"

namespace {

/// What a view of a buffer is a part of: an allocation, or a block argument.
Value allocationOf(Value view) {
  Operation *op = view.getDefiningOp();
  return isa_and_nonnull<simt::StageOp, simt::PartOp, simt::TransposeOp>(op) ? allocationOf(op->getOperand(0)) : view;
}

/// Whether the view is of a stage or another part. Whole buffers are loaded where tile-stage-operands wants it.
bool isPartOfBuffer(Value view) {
  if (auto transpose = view.getDefiningOp<simt::TransposeOp>())
    return isPartOfBuffer(transpose.getSrc());
  return isa_and_nonnull<simt::StageOp, simt::PartOp>(view.getDefiningOp());
}

/// Whether the two are different allocations; not if either is unknown.
bool areApart(Value one, Value other) {
  return one != other && one.getDefiningOp<simt::SharedAllocOp>() && other.getDefiningOp<simt::SharedAllocOp>();
}

/// Whether `exchange` may stand behind `op`, which does not use its result.
bool mayPass(Operation *exchange, Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  if (simt::ScheduleAttr schedule = simt::scheduleOf(op); schedule && schedule.getPlace() != 0)
    return true; // it runs before or behind all that has no schedule
  if (isMemoryEffectFree(op) || isa<LoadOp, simt::SharedAllocOp, simt::SharedLoadOp>(op))
    return true;
  auto load = dyn_cast<simt::SharedLoadOp>(exchange);
  if (auto store = dyn_cast<simt::SharedStoreOp>(op))
    return !load || areApart(allocationOf(store.getDst()), allocationOf(load.getSrc()));
  if (load)
    return false;
  // Past the wait for a product only if the value was loaded in this block: its load may take as long as the product.
  // A value that was there before is converted while the product runs.
  if (isa<simt::WaitProductsOp>(op))
    return isa_and_nonnull<LoadOp>(exchange->getOperand(0).getDefiningOp()) &&
           !simt::isMadeAhead(exchange->getOperand(0));
  // tile-persistent-loop looks for a store, its fence and the copy of the result behind each other.
  if (isa<simt::FenceOp>(op))
    return !isa<simt::CopyOutOp>(op->getNextNode());
  return isa<simt::CopyOp, simt::WaitCopiesOp, simt::ProductOp>(op);
}

void sink(Operation *exchange) {
  SmallPtrSet<Operation *, 4> users;
  for (Operation *user : exchange->getUsers())
    users.insert(exchange->getBlock()->findAncestorOpInBlock(*user));
  Operation *at = exchange;
  while (!users.contains(at->getNextNode()) && mayPass(exchange, at->getNextNode()))
    at = at->getNextNode();
  if (at != exchange)
    exchange->moveAfter(at);
}

/// Whether the value can be had in any layout without an exchange between threads.
bool isRepeatable(Value value) {
  Operation *op = value.getDefiningOp();
  return matchPattern(value, m_Constant()) || isa_and_nonnull<SplatOp>(op);
}

int64_t elementBytes(Value value) { return simt::elementBytes(getElementTypeOrSelf(value.getType())); }

/// The value in another layout. Only if isRepeatable.
Value withLayout(OpBuilder &builder, Value splat, Attribute layout) {
  Operation *made = builder.clone(*splat.getDefiningOp());
  auto type = cast<RankedTensorType>(splat.getType()).cloneWithEncoding(layout);
  made->getResult(0).setType(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(made))
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  return made->getResult(0);
}

/// The layout of the op's result if `operand` has the layout `from`: the same for an elementwise op, the reshaped or
/// transposed one for a change of shape. Null for other ops, and if another operand would need an exchange.
layout_ir::DistributedAttr layoutAfter(Operation *op, Value operand, layout_ir::DistributedAttr from) {
  if (auto trans = dyn_cast<TransOp>(op))
    return layout_ir::transpose(from, trans.getOrder());
  if (isa<ReshapeOp>(op))
    return layout_ir::reshape(from, shapeOf(operand.getType()), shapeOf(op->getResult(0).getType()));
  bool isFree = isElementwise(op) && isMemoryEffectFree(op) && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
                llvm::all_of(op->getOperands(),
                             [&](Value each) { return each == operand || !isTensor(each) || isRepeatable(each); });
  return isFree ? from : layout_ir::DistributedAttr();
}

/// Moves a conversion of layouts behind the ops that use its result, if these end in a narrower element type: fewer
/// bytes are exchanged then. Example: a result that is scaled and rounded to 16 bits.
void narrowFirst(simt::ConvertLayoutOp convert) {
  auto layoutOf = [](Value value) { // null for opaque fragments
    return dyn_cast_or_null<layout_ir::DistributedAttr>(cast<RankedTensorType>(value.getType()).getEncoding());
  };
  SmallVector<std::pair<Operation *, layout_ir::DistributedAttr>> chain; // with the layouts of the results
  layout_ir::DistributedAttr from = layoutOf(convert.getSrc());
  // A layout with more registers holds copies, for which threads would compute, too.
  if (!from || !layoutOf(convert) || from.getRegisters().size() > layoutOf(convert).getRegisters().size())
    return;
  Value last = convert.getResult();
  while (elementBytes(last) >= elementBytes(convert.getSrc())) {
    Operation *user = last.hasOneUse() ? *last.user_begin() : nullptr;
    if (!user || user->getBlock() != convert->getBlock() || simt::scheduleOf(user) ||
        !(from = layoutAfter(user, last, from)))
      return;
    chain.push_back({user, from});
    last = user->getResult(0);
  }
  Attribute to = layoutOf(last);
  Value before = convert.getResult(), in = convert.getSrc();
  for (auto [op, layout] : chain) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == before)
        operand.set(in);
      else if (isTensor(operand.get()))
        operand.set(withLayout(builder, operand.get(), layout));
    before = in = op->getResult(0);
    in.setType(cast<RankedTensorType>(in.getType()).cloneWithEncoding(layout));
  }
  OpBuilder builder(last.getContext());
  builder.setInsertionPointAfterValue(last);
  auto type = cast<RankedTensorType>(last.getType()).cloneWithEncoding(to);
  Value converted = simt::ConvertLayoutOp::create(builder, convert.getLoc(), type, last);
  last.replaceAllUsesExcept(converted, converted.getDefiningOp());
  convert.erase();
}

struct SinkExchangesPass : impl::SinkExchangesBase<SinkExchangesPass> {
  void runOnOperation() override {
    SmallVector<simt::ConvertLayoutOp> conversions;
    getOperation()->walk([&](simt::ConvertLayoutOp op) { conversions.push_back(op); });
    for (simt::ConvertLayoutOp conversion : conversions)
      narrowFirst(conversion);
    SmallVector<Operation *> exchanges;
    getOperation()->walk([&](Operation *op) {
      auto load = dyn_cast<simt::SharedLoadOp>(op);
      if ((isa<simt::ConvertLayoutOp>(op) || (load && isPartOfBuffer(load.getSrc()))) && !op->use_empty())
        exchanges.push_back(op);
    });
    for (Operation *exchange : llvm::reverse(exchanges)) // so that each stops at those that use it
      sink(exchange);
  }
};

} // namespace
} // namespace tegula::tile
