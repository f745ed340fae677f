// Caches the encoded descriptors of one parameter. The key is the described tensor: a kernel in a loop gets the same
// few tensors again and again.
#pragma once

#include "backends/gpu/Platform.h"

#include <array>
#include <atomic>

namespace tegula::gpu {

inline constexpr size_t kMaxDescriptorRank = 5;

/// Lock-free, for launches by several threads at once: each slot is a sequence lock (source: Boehm, 'Can seqlocks get
/// along with programming language memory models?', 2012). If another thread is writing the slot, insert() does
/// nothing.
class DescriptorCache {
public:
  /// Copies the encoded descriptor to `out`; false if it is not cached, so that the caller must encode it. `value` has
  /// at most kMaxDescriptorRank axes. Allocates nothing.
  bool find(const DescriptorValue &value, EncodedDescriptor &out) const;
  /// Replaces the oldest entry.
  void insert(const DescriptorValue &value, const EncodedDescriptor &encoded);

private:
  static constexpr size_t kSlots = 4;
  static constexpr size_t kKeyWords = 2 + 2 * kMaxDescriptorRank;
  using Key = std::array<uint64_t, kKeyWords>; // address; rank and padding; extents; strides
  static Key keyOf(const DescriptorValue &value);
  /// The key's second word: rank and padding.
  static uint64_t headOf(const DescriptorValue &value) { return value.shape.size() * 2 + value.paddingNaN; }

  struct Slot {
    std::atomic<uint32_t> sequence = 0; // 0: empty; odd: being written
    std::array<std::atomic<uint64_t>, kKeyWords> key = {};
    std::array<std::atomic<uint64_t>, 16> words = {};
  };
  /// True if the slot's key equals the value's key. The result holds only if the slot's sequence number is the same
  /// after the call as before it: another thread may change the key during the comparison.
  static bool has(const Slot &slot, const DescriptorValue &value);
  std::array<Slot, kSlots> slots_;
  std::atomic<uint32_t> next_ = 0;
};

} // namespace tegula::gpu
