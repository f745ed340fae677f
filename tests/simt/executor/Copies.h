// Iterates over the elements of a block of a described tensor.
#pragma once

#include "Machine.h"

namespace tegula::simt_test {

template <class Visit> void TileTransfer::forElements(Visit visit) const {
  std::span<const int64_t> block = layout->shape();
  std::vector<int64_t> at(block.size(), 0);
  at.back() = firstColumn;
  for (bool more = true; more;) {
    bool inside = true;
    int64_t offset = 0;
    for (size_t dim = 0; dim < block.size(); ++dim) {
      int64_t index = position[dim] + at[dim];
      inside &= index >= 0 && index < shape[dim];
      offset += index * strides[dim];
    }
    visit(tile + static_cast<uint64_t>(layout->place(at) * layout->elementBytes()),
          inside ? address + static_cast<uint64_t>(offset * layout->elementBytes()) : 0);
    more = false;
    for (size_t dim = block.size(); dim-- > 0 && !more;) {
      bool isLast = dim + 1 == block.size();
      more = ++at[dim] < (isLast ? firstColumn + columns : block[dim]);
      if (!more)
        at[dim] = isLast ? firstColumn : 0;
    }
  }
}

} // namespace tegula::simt_test
