// Asynchronous copies: their operands, the accesses at their start, and their waits.
#include "Copies.h"

#include "Flatten.h"

using namespace mlir;

namespace tegula::simt_test {
namespace {

/// The descriptor in a thread's registers: address, padding, extents, strides.
TileTransfer transferOf(Thread &thread, const Instruction &next, const Slot &descriptor, const Slot &tile,
                        size_t position) {
  TileTransfer transfer;
  transfer.instruction = &next;
  transfer.layout = next.layout;
  transfer.columns = transfer.layout->shape().back();
  transfer.tile = thread.scalar(tile);
  const uint64_t *lanes = thread.at(descriptor);
  size_t rank = (descriptor.lanes - 2) / 2;
  transfer.address = lanes[0];
  transfer.paddedWithNan = lanes[1] != 0;
  for (size_t dim = 0; dim < rank; ++dim) {
    transfer.shape.push_back(static_cast<int64_t>(lanes[2 + dim]));
    transfer.strides.push_back(static_cast<int64_t>(lanes[2 + rank + dim]));
    transfer.position.push_back(toSigned(ScalarType::I32, thread.scalar(next.operands[position + dim])));
  }
  // The tile lacks leading axes along which the block has one element.
  size_t outer = rank - transfer.layout->shape().size();
  bool isOutside = false;
  for (size_t dim = 0; dim < outer; ++dim) {
    isOutside |= transfer.position[dim] < 0 || transfer.position[dim] >= transfer.shape[dim];
    transfer.address += static_cast<uint64_t>(transfer.position[dim] * transfer.strides[dim] *
                                              static_cast<int64_t>(byteSize(static_cast<ScalarType>(next.detail))));
  }
  for (std::vector<int64_t> *list : {&transfer.shape, &transfer.strides, &transfer.position})
    list->erase(list->begin(), list->begin() + static_cast<ptrdiff_t>(outer));
  if (isOutside)
    transfer.shape.assign(transfer.shape.size(), 0);
  transfer.type = static_cast<ScalarType>(next.detail);
  return transfer;
}

/// A block must begin at a multiple of 16 bytes along the contiguous axis.
void checkStart(Workgroup &group, const Thread &thread, const Instruction &next, const TileTransfer &transfer) {
  constexpr int64_t kStartBytes = 16;
  int64_t bytes = transfer.position.back() * static_cast<int64_t>(byteSize(transfer.type));
  if (bytes % kStartBytes != 0)
    group.report(ReportKind::Misaligned, thread.index, next, nullptr, [&] {
      return "expected a block that begins at a multiple of " + std::to_string(kStartBytes) +
             " bytes along the last axis, found byte " + std::to_string(bytes);
    });
}

/// operands: base, extents, strides; detail: whether padding is NaN.
Step makeDescriptor(Workgroup &, Thread &thread, const Instruction &next) {
  uint64_t *out = thread.at(next.results[0]);
  *out++ = thread.scalar(next.operands[0]);
  *out++ = static_cast<uint64_t>(next.detail);
  for (size_t i = 1; i < next.operands.size(); ++i)
    *out++ = static_cast<uint64_t>(toSigned(next.operands[i].type, thread.scalar(next.operands[i])));
  return Step::Next;
}

/// Starts the load to all programs of the cluster: of this program's share of the columns.
void loadForAll(Workgroup &group, const Thread &thread, const Instruction &next, TileLoad load) {
  const Program &program = group.program();
  uint32_t own = group.rank(thread.index);
  load.transfer.columns /= program.cluster;
  load.transfer.firstColumn = own * load.transfer.columns;
  load.transfer.tile -= own * program.sharedStride();
  for (uint32_t rank = 0; rank < program.cluster; ++rank) {
    TileLoad there = load;
    there.transfer.tile += rank * program.sharedStride();
    there.object = load.object % program.barrierObjects + rank * program.barrierObjects;
    if (group.checkObject(thread, next, there.object))
      group.startTileLoad(std::move(there));
  }
}

/// operands: array of objects, index, descriptor, tile, position; layout: the tile's; detail: its element type; data:
/// whether it rounds to tf32, whether it is multicast.
Step loadTile(Workgroup &group, Thread &thread, const Instruction &next) {
  std::optional<uint32_t> object = group.objectNumber(thread, next, 0);
  if (!object || !group.checkObject(thread, next, *object))
    return Step::Next;
  TileLoad load;
  load.transfer = transferOf(thread, next, next.operands[2], next.operands[3], 4);
  load.transfer.roundsToTf32 = next.data[0] != 0;
  checkStart(group, thread, next, load.transfer);
  load.thread = thread.index;
  load.object = *object;
  if (next.data[1] != 0)
    loadForAll(group, thread, next, std::move(load));
  else
    group.startTileLoad(std::move(load));
  return Step::Next;
}

/// operands: tile, descriptor, position; layout and detail as loadTile.
Step storeTile(Workgroup &group, Thread &thread, const Instruction &next) {
  TileTransfer transfer = transferOf(thread, next, next.operands[1], next.operands[0], 2);
  checkStart(group, thread, next, transfer);
  group.startStore(thread, std::move(transfer));
  return Step::Next;
}

/// operands: base, from, tile, to, mask or none; layout: the tile's; detail: elements of a copy; detail2: bytes of an
/// element.
Step asyncLoad(Workgroup &group, Thread &thread, const Instruction &next) {
  const Slot &from = next.operands[1], &to = next.operands[3], &mask = next.operands[4];
  uint64_t tile = thread.scalar(next.operands[2]);
  int64_t bytes = next.detail * next.detail2;
  Actor actor = group.actor(thread, next);
  actor.access.agent = group.agents().loads + thread.index;
  actor.access.time = thread.loads.open();
  for (uint32_t i = 0; i < from.lanes; ++i) {
    Copy copy;
    copy.bytes = static_cast<uint32_t>(bytes);
    copy.fill = mask && thread.at(mask)[i] == 0;
    copy.from =
        thread.scalar(next.operands[0]) + static_cast<uint64_t>(toSigned(from.type, thread.at(from)[i]) * next.detail2);
    int64_t place = toSigned(ScalarType::I32, thread.at(to)[i]) * next.detail2;
    if (!group.checkShared(thread, next, tile, place, bytes, next.layout->stageBytes(), bytes))
      continue;
    copy.to = tile + static_cast<uint64_t>(place);
    if (!copy.fill) {
      if (!group.global(thread, next, copy.from, copy.bytes, copy.bytes))
        continue;
      group.noteGlobalRead(group.actor(thread, next), copy.from, copy.bytes);
    }
    group.noteWrite(actor, copy.to, copy.bytes);
    thread.loads.groups.back().copies.push_back(copy);
  }
  return Step::Next;
}

Step commitLoads(Workgroup &, Thread &thread, const Instruction &) {
  thread.loads.groups.emplace_back();
  return Step::Next;
}

Step commitStores(Workgroup &, Thread &thread, const Instruction &) {
  thread.stores.groups.emplace_back();
  return Step::Next;
}

/// The number of the last group that must have ended if `pending` groups may still be in flight.
uint32_t lastEnded(const CopyQueue &queue, int64_t pending) {
  int64_t committed = queue.committed();
  return static_cast<uint32_t>(std::max<int64_t>(0, committed - pending));
}

/// The thread has now seen the agent's actions up to `time`.
void see(Thread &thread, uint32_t agent, uint32_t time) { thread.clock[agent] = std::max(thread.clock[agent], time); }

/// detail: the number of groups that may be in flight.
Step waitLoads(Workgroup &group, Thread &thread, const Instruction &next) {
  if (!group.program().hasAsyncLoads)
    return Step::Next;
  uint32_t last = lastEnded(thread.loads, next.detail);
  for (uint32_t number = thread.clock[group.agents().loads + thread.index] + 1; number <= last; ++number)
    group.landLoads(thread.loads.group(number));
  see(thread, group.agents().loads + thread.index, last);
  return Step::Next;
}

/// detail: as for waitLoads; detail2: whether to wait only until shared memory has been read.
Step waitStores(Workgroup &group, Thread &thread, const Instruction &next) {
  if (!group.program().hasStores)
    return Step::Next;
  uint32_t last = lastEnded(thread.stores, next.detail);
  uint32_t reads = group.agents().storeReads + thread.index, writes = group.agents().storeWrites + thread.index;
  for (uint32_t number = thread.clock[reads] + 1; number <= last; ++number)
    group.readStores(thread.stores.group(number));
  see(thread, reads, last);
  if (next.detail2)
    return Step::Next;
  for (uint32_t number = thread.clock[writes] + 1; number <= last; ++number)
    group.landStores(thread.stores.group(number));
  see(thread, writes, last);
  return Step::Next;
}

bool flattenTiles(Flattener &flattener, Operation *op) {
  auto emit = [&](Handler handler, ArrayRef<Value> operands, simt::SharedType tile) {
    Instruction &next = flattener.emit(op, handler);
    next.operands.clear();
    for (Value operand : operands)
      next.operands.push_back(flattener.slot(operand));
    next.layout = flattener.layout(tile);
    next.detail = static_cast<int64_t>(numberType(tile.getElementType()));
    return &next;
  };
  if (auto load = dyn_cast<simt::LoadTileOp>(op)) {
    SmallVector<Value> operands{load.getBarriers(), load.getIndex(), load.getDescriptor(), load.getDst()};
    llvm::append_range(operands, load.getPosition());
    Instruction *next = emit(loadTile, operands, load.getDst().getType());
    next->detail2 = load.getBarriers().getType().getCount();
    next->data = {load.getTf32(), load.getMulticast()};
  } else if (auto store = dyn_cast<simt::StoreTileOp>(op)) {
    SmallVector<Value> operands{store.getSrc(), store.getDescriptor()};
    llvm::append_range(operands, store.getPosition());
    emit(storeTile, operands, store.getSrc().getType());
  } else if (auto made = dyn_cast<tile::MakeDescOp>(op)) {
    flattener.emit(op, makeDescriptor).detail = made.getPadding() == tile::Padding::NaN;
  } else {
    return false;
  }
  return true;
}

} // namespace

bool flattenCopies(Flattener &flattener, Operation *op) {
  if (flattenTiles(flattener, op))
    return true;
  if (auto load = dyn_cast<simt::AsyncLoadOp>(op)) {
    Instruction &next =
        flattener.emit(op, asyncLoad, {load.getBase(), load.getFrom(), load.getDst(), load.getTo(), load.getMask()});
    next.layout = flattener.layout(load.getDst().getType());
    next.detail = load.getWidth();
    next.detail2 = next.layout->elementBytes();
  } else if (isa<simt::CommitLoadsOp>(op)) {
    flattener.emit(op, commitLoads);
  } else if (isa<simt::CommitStoresOp>(op)) {
    flattener.emit(op, commitStores);
  } else if (auto wait = dyn_cast<simt::WaitLoadsOp>(op)) {
    flattener.emit(op, waitLoads).detail = wait.getPending();
  } else if (auto wait = dyn_cast<simt::WaitStoresOp>(op)) {
    Instruction &next = flattener.emit(op, waitStores);
    next.detail = wait.getPending();
    next.detail2 = wait.getReads();
  } else {
    return false;
  }
  return true;
}

} // namespace tegula::simt_test
