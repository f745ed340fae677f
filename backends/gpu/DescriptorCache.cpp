#include "backends/gpu/DescriptorCache.h"

#include <algorithm>

namespace tegula::gpu {

DescriptorCache::Key DescriptorCache::keyOf(const DescriptorValue &value) {
  Key key = {};
  key[0] = value.address;
  key[1] = headOf(value);
  for (size_t i = 0; i < value.shape.size(); ++i) {
    key[2 + i] = static_cast<uint64_t>(value.shape[i]);
    key[2 + kMaxDescriptorRank + i] = static_cast<uint64_t>(value.strides[i]);
  }
  return key;
}

bool DescriptorCache::has(const Slot &slot, const DescriptorValue &value) {
  auto word = [&](size_t i) { return slot.key[i].load(std::memory_order_relaxed); };
  if (word(0) != value.address || word(1) != headOf(value))
    return false;
  for (size_t i = 0; i < value.shape.size(); ++i)
    if (word(2 + i) != static_cast<uint64_t>(value.shape[i]) ||
        word(2 + kMaxDescriptorRank + i) != static_cast<uint64_t>(value.strides[i]))
      return false;
  return true;
}

bool DescriptorCache::find(const DescriptorValue &value, EncodedDescriptor &out) const {
  for (const Slot &slot : slots_) {
    uint32_t sequence = slot.sequence.load(std::memory_order_acquire);
    if (sequence == 0 || sequence % 2 || !has(slot, value))
      continue;
    for (size_t i = 0; i < out.words.size(); ++i)
      out.words[i] = slot.words[i].load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (slot.sequence.load(std::memory_order_relaxed) == sequence)
      return true;
  }
  return false;
}

void DescriptorCache::insert(const DescriptorValue &value, const EncodedDescriptor &encoded) {
  const Key key = keyOf(value);
  Slot &slot = slots_[next_.fetch_add(1, std::memory_order_relaxed) % kSlots];
  uint32_t sequence = slot.sequence.load(std::memory_order_relaxed);
  if (sequence % 2 || !slot.sequence.compare_exchange_strong(sequence, sequence + 1, std::memory_order_acquire))
    return;
  std::atomic_thread_fence(std::memory_order_release);
  for (size_t i = 0; i < kKeyWords; ++i)
    slot.key[i].store(key[i], std::memory_order_relaxed);
  for (size_t i = 0; i < encoded.words.size(); ++i)
    slot.words[i].store(encoded.words[i], std::memory_order_relaxed);
  // Each write adds 2 to the sequence number, which wraps to 0 after 2^31 writes. It then becomes 2, because 0 means
  // that the slot is empty.
  slot.sequence.store(sequence + 2 == 0 ? 2 : sequence + 2, std::memory_order_release);
}

} // namespace tegula::gpu
