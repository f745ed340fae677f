// Where buffers of shared memory are among variables. SPIR-V's workgroup variables are typed arrays that do not
// overlap. A profile with explicit layouts has blocks that do: there all buffers lie in one storage, each at its
// planned place, read and written as whatever the access needs. Elsewhere buffers of one width that overlap share an
// array, and buffers of different widths share nothing, whatever their planned places. There an element that is
// narrower than the profile's narrowest takes a word of its own, so that no two threads write to one word.
#pragma once

#include "backends/vulkan/Profiles.h"
#include "core/support/ScalarType.h"

#include <cstdint>
#include <vector>

namespace tegula::vulkan {

class SharedPlan {
public:
  struct Buffer {
    uint32_t at = 0, bytes = 0; // as planned
    ScalarType type = ScalarType::F32;
  };
  struct Storage {
    uint32_t begin = 0, end = 0; // of the planned places, in bytes
    uint32_t width = 0;          // bytes of an element; 0: a block, of any
    ScalarType type = ScalarType::F32;
    bool mixed = false; // elements of several types of one width: held as integers
    bool isBlock() const { return width == 0; }
  };

  SharedPlan() = default;
  SharedPlan(std::vector<Buffer> buffers, const Profile &profile);

  /// The storage of one of the buffers.
  const Storage &storageOf(const Buffer &buffer) const;
  /// What all storages take together.
  uint32_t bytes() const;
  /// Bytes of the narrowest elements that are held as they are.
  uint32_t narrowest() const { return narrowest_; }
  static uint32_t narrowestOf(const Profile &profile);

private:
  std::vector<Storage> storages_;
  uint32_t narrowest_ = 1;
};

} // namespace tegula::vulkan
