// Copies by hardware and the barrier objects at which they arrive. Thread 0 makes the objects, announces the bytes of a
// copy and starts it; all threads wait.
#include "core/passes/tosimt/Lowering.h"

using namespace mlir;

namespace tegula::tosimt {

void Lowering::forOneThread(Value condition, llvm::function_ref<void()> emit) {
  Value isFirst = b_.create<arith::CmpIOp>(location_, arith::CmpIPredicate::eq, thread_, constant(0));
  if (condition)
    isFirst = b_.create<arith::AndIOp>(location_, isFirst, condition);
  auto branch = b_.create<scf::IfOp>(location_, isFirst, /*withElse=*/false);
  branch->setAttr(simt::kDivergentAttr, b_.getUnitAttr());
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(branch.thenBlock());
  emit();
}

LogicalResult Lowering::lowerBarrierObjects(Operation *op) {
  if (auto alloc = dyn_cast<simt::BarrierAllocOp>(op)) {
    set(alloc, b_.create<simt::BarrierAllocOp>(location_, alloc.getType(), alloc.getOffsetAttr()));
    return success();
  }
  if (auto start = dyn_cast<simt::StartBarriersOp>(op)) {
    forOneThread({}, [&] {
      for (int64_t number = 0; number < start.getBarriers().getType().getCount(); ++number)
        b_.create<simt::BarrierInitOp>(location_, get(start.getBarriers()), constant(number), start.getCount());
      b_.create<simt::FenceOp>(location_, simt::FenceKind::BarrierInit);
    });
    // Copies write where threads may have written before, for an exchange in the same storage, and read what the kernel
    // may have stored.
    b_.create<simt::FenceOp>(location_, simt::FenceKind::AsyncDevice);
    b_.create<simt::BarrierOp>(location_, IntegerAttr());
    return success();
  }
  if (auto end = dyn_cast<simt::EndBarriersOp>(op)) {
    b_.create<simt::BarrierOp>(location_, IntegerAttr());
    forOneThread({}, [&] {
      for (int64_t number = 0; number < end.getBarriers().getType().getCount(); ++number)
        b_.create<simt::BarrierInvalidateOp>(location_, get(end.getBarriers()), constant(number));
    });
    return success();
  }
  if (auto copy = dyn_cast<simt::CopyTileOp>(op)) {
    Value barriers = get(copy.getBarriers()), index = get(copy.getIndex());
    SmallVector<Value> position;
    for (Value coordinate : copy.getPosition())
      position.push_back(get(coordinate));
    forOneThread(get(copy.getCondition()), [&] {
      b_.create<simt::BarrierExpectOp>(location_, barriers, index, uint32_t(copy.getDst().getType().getBytes()));
      b_.create<simt::LoadTileOp>(location_, get(copy.getDescriptor()), position, get(copy.getDst()), barriers, index);
    });
    values_[copy.getArrival()] = {index, get(copy.getPhase())};
    return success();
  }
  auto wait = cast<simt::WaitTilesOp>(op);
  const Values &arrival = values_.at(wait.getArrival());
  b_.create<simt::BarrierWaitOp>(location_, get(wait.getBarriers()), arrival[0], arrival[1]);
  return success();
}

} // namespace tegula::tosimt
