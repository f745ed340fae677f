// Barriers, fences and barrier objects.
#include "Flatten.h"
#include "Machine.h"

using namespace mlir;

namespace tegula::simt_test {
namespace {

void barrier(Workgroup &group, ThreadRange set, const Instruction &) { group.synchronize(set); }

void clusterBarrier(Workgroup &group, ThreadRange, const Instruction &) { group.openObjects(); }

/// detail: a FenceKind. A fence of ordinary accesses orders them with later and earlier atomics; a barrier orders all
/// accesses.
Step fence(Workgroup &group, Thread &thread, const Instruction &next) {
  switch (static_cast<simt::FenceKind>(next.detail)) {
  case simt::FenceKind::Async:
  case simt::FenceKind::AsyncDevice: group.fenceAsync(thread); break;
  case simt::FenceKind::BarrierInit: group.fenceBarrierInit(thread); break;
  case simt::FenceKind::Workgroup:
  case simt::FenceKind::Device: group.fenceOrdinary(thread); break;
  }
  return Step::Next;
}

/// detail: number of the first object in the program.
Step alloc(Workgroup &group, Thread &thread, const Instruction &next) {
  *thread.at(next.results[0]) =
      group.rank(thread.index) * group.program().barrierObjects + static_cast<uint64_t>(next.detail);
  return Step::Next;
}

/// detail: count.
Step init(Workgroup &group, Thread &thread, const Instruction &next) {
  std::optional<uint32_t> number = group.objectNumber(thread, next, 0);
  if (number)
    group.initObject(thread, next, *number, static_cast<uint32_t>(next.detail));
  return Step::Next;
}

Step invalidate(Workgroup &group, Thread &thread, const Instruction &next) {
  std::optional<uint32_t> number = group.objectNumber(thread, next, 0);
  if (number && group.checkObject(thread, next, *number))
    group.endObject(thread, next, *number);
  return Step::Next;
}

/// detail: bytes announced; operands: array, index, the rank of the object's program if it is given.
Step arrive(Workgroup &group, Thread &thread, const Instruction &next) {
  std::optional<uint32_t> number = group.objectNumber(thread, next, 0);
  if (number && next.operands.size() > 2)
    number = group.objectOf(thread, next, *number, 2);
  if (number && group.checkObject(thread, next, *number))
    group.arrive(thread, next, *number, next.detail);
  return Step::Next;
}

Step wait(Workgroup &group, Thread &thread, const Instruction &next) {
  std::optional<uint32_t> number = group.objectNumber(thread, next, 0);
  if (!number || !group.checkObject(thread, next, *number))
    return Step::Next;
  uint64_t phase = thread.scalar(next.operands[2]);
  if (phase > 1)
    group.report(ReportKind::BarrierMisuse, thread.index, next, nullptr,
                 [&] { return "expected phase 0 or 1, found " + std::to_string(phase); });
  return group.waitPhase(thread, *number, phase & 1) ? Step::Next : Step::Blocked;
}

} // namespace

bool flattenBarriers(Flattener &flattener, Operation *op) {
  Program &program = flattener.program();
  if (isa<simt::BarrierOp>(op)) {
    flattener.emitCollective(op, barrier);
  } else if (isa<simt::ClusterBarrierOp>(op)) {
    Instruction &next = flattener.emit(op, nullptr);
    next.collective = clusterBarrier;
    next.isOfCluster = true;
  } else if (auto ordered = dyn_cast<simt::FenceOp>(op)) {
    flattener.emit(op, fence).detail = static_cast<int64_t>(ordered.getKind());
  } else if (auto objects = dyn_cast<simt::BarrierAllocOp>(op)) {
    flattener.emit(op, alloc).detail = program.barrierObjects;
    program.barrierObjects += static_cast<uint32_t>(objects.getType().getCount());
  } else if (auto start = dyn_cast<simt::BarrierInitOp>(op)) {
    Instruction &next = flattener.emit(op, init);
    next.detail = start.getCount();
    next.detail2 = start.getBarriers().getType().getCount();
  } else if (auto end = dyn_cast<simt::BarrierInvalidateOp>(op)) {
    flattener.emit(op, invalidate).detail2 = end.getBarriers().getType().getCount();
  } else if (auto arrival = dyn_cast<simt::BarrierArriveOp>(op)) {
    flattener.emit(op, arrive).detail2 = arrival.getBarriers().getType().getCount();
  } else if (auto announced = dyn_cast<simt::BarrierExpectOp>(op)) {
    Instruction &next = flattener.emit(op, arrive);
    next.detail = announced.getBytes();
    next.detail2 = announced.getBarriers().getType().getCount();
  } else if (auto waited = dyn_cast<simt::BarrierWaitOp>(op)) {
    flattener.emit(op, wait).detail2 = waited.getBarriers().getType().getCount();
  } else {
    return false;
  }
  return true;
}

} // namespace tegula::simt_test
