// Assigns shared-memory buffers to SPIR-V variables. Without explicit layouts, workgroup variables are typed arrays
// that do not overlap: buffers with the same element width whose planned ranges overlap share an array; buffers of
// different widths never share memory, whatever their planned offsets are; and an element narrower than the profile's
// narrowest type takes a 32-bit word of its own, so that no two threads write the same word. With explicit layouts, all
// buffers lie in one block, each at its planned offset, and are accessed with any type.
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
    uint32_t width = 0;          // bytes of an element; 0: a block, whose elements have any width
    ScalarType type = ScalarType::F32;
    bool mixed = false; // holds several types of one width, so its elements are integers
    bool isBlock() const { return width == 0; }
  };

  SharedPlan() = default;
  SharedPlan(std::vector<Buffer> buffers, const Profile &profile);

  /// The storage in which the buffer lies.
  const Storage &storageOf(const Buffer &buffer) const;
  /// The bytes of all storages together.
  uint32_t bytes() const;
  /// The bytes of the narrowest element that does not take a whole 32-bit word in shared memory.
  uint32_t narrowest() const { return narrowest_; }
  static uint32_t narrowestOf(const Profile &profile);

private:
  std::vector<Storage> storages_;
  uint32_t narrowest_ = 1;
};

} // namespace tegula::vulkan
