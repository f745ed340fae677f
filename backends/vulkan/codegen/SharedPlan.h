// Assignment of shared-memory buffers to SPIR-V variables. Workgroup variables are typed arrays that do not overlap. A
// profile with explicit layouts has blocks that do overlap: there all buffers lie in one storage, each at its planned
// offset, accessed with any type. In other profiles, buffers of one width that overlap share an array, and buffers of
// different widths share nothing, whatever their planned offsets. There an element narrower than the profile's
// narrowest takes a 32-bit word of its own, so that no two threads write one word.
#pragma once

#include "backends/vulkan/Profiles.h"
#include "core/support/ScalarType.h"

#include <cstdint>
#include <vector>

namespace tegula::vulkan {

class SharedPlan {
public:
  struct Buffer {
    uint32_t at = 0, bytes = 0; // planned offset and size, in bytes
    ScalarType type = ScalarType::F32;
  };
  struct Storage {
    uint32_t begin = 0, end = 0; // range of the planned offsets, in bytes
    uint32_t width = 0;          // bytes of an element; 0: a block, for elements of any width
    ScalarType type = ScalarType::F32;
    bool mixed = false; // several types of one width: elements are held as integers
    bool isBlock() const { return width == 0; }
  };

  SharedPlan() = default;
  SharedPlan(std::vector<Buffer> buffers, const Profile &profile);

  /// The storage that holds the buffer.
  const Storage &storageOf(const Buffer &buffer) const;
  /// Bytes of all storages together.
  uint32_t bytes() const;
  /// Bytes of the narrowest elements that shared memory holds without a word each.
  uint32_t narrowest() const { return narrowest_; }
  static uint32_t narrowestOf(const Profile &profile);

private:
  std::vector<Storage> storages_;
  uint32_t narrowest_ = 1;
};

} // namespace tegula::vulkan
