// Asynchronous operations from their start until their data lands.
#include "Copies.h"
#include "MatrixUnit.h"

#include <cmath>
#include <cstring>

namespace tegula::simt_test {

namespace {

/// The nearest tf32 to an f32, both as bits of an f32; ties go to even, as TMA has it (measured on an H100, driver
/// 580).
uint64_t roundedToTf32(uint64_t bits) {
  constexpr uint64_t kDropped = 0x1fff, kInfinity = 0x7f800000, kMagnitude = 0x7fffffff, kNotANumber = 0x7fffe000;
  if ((bits & kMagnitude) >= kInfinity)
    return (bits & kMagnitude) == kInfinity ? bits : kNotANumber;
  uint64_t lastKept = bits >> 13 & 1;
  return (bits + kDropped / 2 + lastKept) & ~kDropped;
}

} // namespace

void Workgroup::startTileLoad(TileLoad load) {
  auto number = static_cast<uint32_t>(tileLoads_.size());
  const TileTransfer &transfer = load.transfer;
  const Instruction &next = *transfer.instruction;
  Thread &issuer = threads_[load.thread];
  Actor reader = actor(issuer, next), writer = reader;
  writer.access.agent = agents_.barrierObjects + load.object;
  writer.access.time = number;
  writer.fenced = &issuer.fences;
  auto bytes = static_cast<uint64_t>(transfer.layout->elementBytes());
  tileLoads_.push_back(std::move(load)); // the load is listed before it is checked
  TileLoad &kept = tileLoads_.back();
  kept.transfer.forElements([&](uint64_t place, uint64_t address) {
    kept.bytes += static_cast<int64_t>(bytes);
    if (checkShared(issuer, next, 0, static_cast<int64_t>(place), static_cast<int64_t>(bytes),
                    static_cast<int64_t>(shared_.size()), static_cast<int64_t>(bytes)))
      noteWrite(writer, place, bytes);
    if (address != 0 && global(issuer, next, address, bytes, bytes))
      noteGlobalRead(reader, address, bytes);
  });
  pendingLoads_.push_back(number);
}

void Workgroup::landTileLoad(uint32_t number) {
  TileLoad &load = tileLoads_[number];
  auto bytes = static_cast<uint32_t>(load.transfer.layout->elementBytes());
  uint64_t padding = load.transfer.paddedWithNan ? fromDouble(load.transfer.type, std::nan("")) : 0;
  load.transfer.forElements([&](uint64_t place, uint64_t address) {
    if (place + bytes > shared_.size())
      return;
    const std::byte *from = address == 0 ? nullptr : memory_.find(address, bytes);
    uint64_t bits = address == 0 ? padding : 0;
    if (from)
      std::memcpy(&bits, from, bytes);
    if (load.transfer.roundsToTf32)
      bits = roundedToTf32(bits);
    poke(place, bytes, bits);
  });
  BarrierObject &object = objects_[load.object];
  object.bytes -= load.bytes;
  load.landedPhase = object.phase + 1;
  load.transfer.shape.clear();
  std::erase(pendingLoads_, number);
  tryEndPhase(load.object);
}

void Workgroup::startStore(Thread &thread, TileTransfer transfer) {
  const Instruction &next = *transfer.instruction;
  Actor reader = actor(thread, next), writer = reader;
  reader.access.agent = agents_.storeReads + thread.index;
  writer.access.agent = agents_.storeWrites + thread.index;
  reader.access.time = writer.access.time = thread.stores.open();
  reader.fenced = &thread.fences;
  auto bytes = static_cast<uint64_t>(transfer.layout->elementBytes());
  transfer.forElements([&](uint64_t place, uint64_t address) {
    if (address == 0)
      return;
    if (checkShared(thread, next, 0, static_cast<int64_t>(place), static_cast<int64_t>(bytes),
                    static_cast<int64_t>(shared_.size()), static_cast<int64_t>(bytes)))
      noteRead(reader, place, bytes);
    if (global(thread, next, address, bytes, bytes))
      noteGlobalWrite(writer, address, bytes);
  });
  thread.stores.groups.back().stores.push_back(std::move(transfer));
}

void Workgroup::readStores(CopyGroup &group) {
  if (group.read)
    return;
  group.read = true;
  for (const TileTransfer &store : group.stores)
    store.forElements([&](uint64_t place, uint64_t) {
      auto bytes = static_cast<uint32_t>(store.layout->elementBytes());
      group.staged.push_back(place + bytes <= shared_.size() ? peek(place, bytes) : 0);
    });
}

void Workgroup::landStores(CopyGroup &group) {
  readStores(group);
  if (group.landed)
    return;
  group.landed = true;
  const uint64_t *bits = group.staged.data();
  for (const TileTransfer &store : group.stores)
    store.forElements([&](uint64_t, uint64_t address) {
      auto bytes = static_cast<uint64_t>(store.layout->elementBytes());
      if (std::byte *to = address == 0 ? nullptr : memory_.find(address, bytes))
        std::memcpy(to, bits, bytes);
      ++bits;
    });
  group.staged = {};
}

void Workgroup::landLoads(CopyGroup &group) {
  if (group.landed)
    return;
  group.landed = true;
  for (const Copy &copy : group.copies) {
    std::byte *to = shared_.data() + copy.to;
    const std::byte *from = copy.fill ? nullptr : memory_.find(copy.from, copy.bytes);
    if (from)
      std::memcpy(to, from, copy.bytes);
    else
      std::memset(to, 0, copy.bytes);
  }
  group.copies = {};
}

/// Called when no thread can run: lands one load_tile, if possible one that a thread waits for.
bool Workgroup::landSomething() {
  if (pendingLoads_.empty())
    return false;
  std::vector<uint32_t> wanted;
  for (uint32_t number : pendingLoads_)
    for (const Thread &thread : threads_)
      if (thread.state == Thread::State::AtBarrierObject && thread.waitsOn == tileLoads_[number].object) {
        wanted.push_back(number);
        break;
      }
  const std::vector<uint32_t> &candidates = wanted.empty() ? pendingLoads_ : wanted;
  landTileLoad(candidates[random_.below(static_cast<uint32_t>(candidates.size()))]);
  return true;
}

/// Lands a random operation of a random kind, if the chosen thread and kind have one.
void Workgroup::landAtRandom() {
  Thread &thread = threads_[random_.below(static_cast<uint32_t>(threads_.size()))];
  auto committed = [&](CopyQueue &queue) -> CopyGroup * {
    return queue.committed() == 0 ? nullptr : &queue.group(1 + random_.below(queue.committed()));
  };
  switch (random_.below(4)) {
  case 0:
    if (!pendingLoads_.empty())
      landTileLoad(pendingLoads_[random_.below(static_cast<uint32_t>(pendingLoads_.size()))]);
    break;
  case 1:
    if (CopyGroup *group = committed(thread.loads))
      landLoads(*group);
    break;
  case 2:
    if (CopyGroup *group = committed(thread.stores))
      random_.below(2) ? readStores(*group) : landStores(*group);
    break;
  default: {
    MatrixQueue &queue = matrixQueues_[random_.below(static_cast<uint32_t>(matrixQueues_.size()))];
    if (queue.performed < queue.started)
      performProducts(queue, queue.performed + 1);
  }
  }
}

} // namespace tegula::simt_test
