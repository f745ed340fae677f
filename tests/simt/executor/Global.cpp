// Loads, stores and atomics on global memory.
#include "Combine.h"
#include "Flatten.h"
#include "Machine.h"

#include <algorithm>
#include <cstring>

using namespace mlir;

namespace tegula::simt_test {
namespace {

/// operands: base, offset, mask or none, then other or value; detail: bytes of an element; detail2: elements of an
/// access; data, of a load: what masked elements are without `other`.
template <class Visit> void forAccesses(Thread &thread, const Instruction &next, Visit visit) {
  const Slot &offset = next.operands[1], &mask = next.operands[2];
  for (uint32_t i = 0; i < offset.lanes; ++i) {
    bool active = !mask || thread.at(mask)[i] != 0;
    uint64_t address = thread.scalar(next.operands[0]) +
                       static_cast<uint64_t>(toSigned(offset.type, thread.at(offset)[i]) * next.detail);
    visit(i, address, active);
  }
}

Step load(Workgroup &group, Thread &thread, const Instruction &next) {
  auto bytes = static_cast<uint64_t>(next.detail), width = static_cast<uint64_t>(next.detail2);
  const Slot &other = next.operands[3];
  uint64_t *out = thread.at(next.results[0]);
  forAccesses(thread, next, [&](uint32_t i, uint64_t address, bool active) {
    const std::byte *from = active ? group.global(thread, next, address, bytes * width, bytes * width) : nullptr;
    if (from)
      group.noteGlobalRead(group.actor(thread, next), address, bytes * width);
    for (uint64_t j = 0; j < width; ++j) {
      uint64_t bits = active || !other ? next.data.front() : thread.at(other)[i * width + j];
      if (from)
        std::memcpy(&bits, from + j * bytes, bytes);
      out[i * width + j] = truncated(next.results[0].type, bits);
    }
  });
  return Step::Next;
}

Step store(Workgroup &group, Thread &thread, const Instruction &next) {
  auto bytes = static_cast<uint64_t>(next.detail), width = static_cast<uint64_t>(next.detail2);
  forAccesses(thread, next, [&](uint32_t i, uint64_t address, bool active) {
    std::byte *to = active ? group.global(thread, next, address, bytes * width, bytes * width) : nullptr;
    if (!to)
      return;
    const uint64_t *values = thread.at(next.operands[3]) + i * width;
    bool unchanged = true;
    for (uint64_t j = 0; j < width; ++j)
      unchanged &= std::memcmp(to + j * bytes, values + j, bytes) == 0;
    group.noteGlobalWrite(group.actor(thread, next), address, bytes * width, unchanged);
    for (uint64_t j = 0; j < width; ++j)
      std::memcpy(to + j * bytes, values + j, bytes);
  });
  return Step::Next;
}

/// A workgroup's atomics happen one after another, those of an access in the order of its elements; an acquire sees
/// everything before earlier releases at the address.
template <class Change>
void atomic(Workgroup &group, Thread &thread, const Instruction &next, tile::MemoryOrder order, Change change) {
  auto bytes = static_cast<uint64_t>(next.detail),
       width = static_cast<uint64_t>(next.results[0].lanes / next.operands[1].lanes);
  uint64_t *out = thread.at(next.results[0]);
  forAccesses(thread, next, [&](uint32_t i, uint64_t address, bool active) {
    std::fill_n(out + i * width, width, 0);
    std::byte *places = active ? group.global(thread, next, address, bytes * width, bytes * width) : nullptr;
    if (!places)
      return;
    bool acquires = order == tile::MemoryOrder::Acquire || order == tile::MemoryOrder::AcquireRelease;
    bool releases = order == tile::MemoryOrder::Release || order == tile::MemoryOrder::AcquireRelease;
    for (uint64_t j = 0; j < width; ++j) {
      std::byte *place = places + j * bytes;
      group.atomicOrder(thread, address + j * bytes, acquires, releases);
      uint64_t old = 0;
      std::memcpy(&old, place, bytes);
      uint64_t changed = change(static_cast<uint32_t>(i * width + j), old);
      std::memcpy(place, &changed, bytes);
      out[i * width + j] = old;
    }
  });
}

/// detail2: kind and order.
Step atomicRmw(Workgroup &group, Thread &thread, const Instruction &next) {
  auto kind = static_cast<tile::AtomicKind>(next.detail2 & 255);
  atomic(group, thread, next, static_cast<tile::MemoryOrder>(next.detail2 >> 8), [&](uint32_t i, uint64_t old) {
    return combine(kind, next.results[0].type, old, thread.at(next.operands[3])[i]);
  });
  return Step::Next;
}

/// operands: base, offset, none, expected, value; detail2: order.
Step atomicCas(Workgroup &group, Thread &thread, const Instruction &next) {
  atomic(group, thread, next, static_cast<tile::MemoryOrder>(next.detail2), [&](uint32_t i, uint64_t old) {
    return old == thread.at(next.operands[3])[i] ? thread.at(next.operands[4])[i] : old;
  });
  return Step::Next;
}

} // namespace

bool flattenGlobal(Flattener &flattener, Operation *op) {
  auto width = [](Type value, Type offset) { return simt::elementsOf(value) / simt::elementsOf(offset); };
  if (auto read = dyn_cast<simt::LoadOp>(op)) {
    Instruction &next = flattener.emit(op, load, {read.getBase(), read.getOffset(), read.getMask(), read.getOther()});
    next.detail = simt::elementBytes(read.getBase().getType().getPointee());
    next.detail2 = width(read.getType(), read.getOffset().getType());
    // NaN of every float type: an element that is used although it is marked dead changes a result.
    next.data = {read->hasAttr(simt::kMaskedDeadAttr) ? ~uint64_t{0} : 0};
  } else if (auto write = dyn_cast<simt::StoreOp>(op)) {
    Instruction &next =
        flattener.emit(op, store, {write.getBase(), write.getOffset(), write.getMask(), write.getValue()});
    next.detail = simt::elementBytes(write.getBase().getType().getPointee());
    next.detail2 = width(write.getValue().getType(), write.getOffset().getType());
  } else if (auto rmw = dyn_cast<simt::AtomicRmwOp>(op)) {
    Instruction &next = flattener.emit(op, atomicRmw, {rmw.getBase(), rmw.getOffset(), rmw.getMask(), rmw.getValue()});
    next.detail = simt::elementBytes(rmw.getBase().getType().getPointee());
    next.detail2 = static_cast<int64_t>(rmw.getKind()) | static_cast<int64_t>(rmw.getOrder()) << 8;
  } else if (auto cas = dyn_cast<simt::AtomicCasOp>(op)) {
    Instruction &next =
        flattener.emit(op, atomicCas, {cas.getBase(), cas.getOffset(), Value(), cas.getExpected(), cas.getValue()});
    next.detail = simt::elementBytes(cas.getBase().getType().getPointee());
    next.detail2 = static_cast<int64_t>(cas.getOrder());
  } else {
    return false;
  }
  return true;
}

} // namespace tegula::simt_test
