// Where buffers of shared memory are among variables. SPIR-V's workgroup variables are typed arrays that do not
// overlap. A profile with explicit layouts has blocks that do: there all buffers lie in one storage, each at its
// planned place, read and written as whatever the access needs. Elsewhere buffers of one width that overlap share an
// array, and buffers of different widths share nothing, whatever their planned places.
#pragma once

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
    uint32_t bytes() const { return end - begin; }
  };

  SharedPlan() = default;
  SharedPlan(std::vector<Buffer> buffers, bool explicitLayout);

  /// The storage of one of the buffers.
  const Storage &storageOf(const Buffer &buffer) const;
  /// What all storages take together.
  uint32_t bytes() const;

private:
  std::vector<Storage> storages_;
};

} // namespace tegula::vulkan
