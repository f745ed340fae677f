// The inverse of a shared-memory layout: from an element to its offset.
#pragma once

#include "core/ir/simt/Simt.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tegula::simt_test {

/// A view's type maps offsets to elements; this class maps elements to offsets. Computed by Gaussian elimination over
/// GF(2) from the attribute's bases alone.
class SharedLayout {
public:
  /// Throws where an element of the tile has no offset.
  explicit SharedLayout(simt::SharedType type);

  std::span<const int64_t> shape() const { return shape_; }
  int64_t elementBytes() const { return elementBytes_; }
  /// Elements of storage of one stage, padding included.
  int64_t storageElements() const { return storageElements_; }
  int64_t stages() const { return stages_; }
  int64_t stageBytes() const { return storageElements_ * elementBytes_; }
  int64_t bytes() const { return stages_ * stageBytes(); }
  /// The element's offset, in elements from the beginning of its stage.
  int64_t place(std::span<const int64_t> coordinates) const;
  int64_t place(int64_t row, int64_t column) const {
    const int64_t coordinates[] = {row, column};
    return place(coordinates);
  }

private:
  std::vector<int64_t> shape_;
  std::vector<std::vector<int64_t>> inverse_;        // [dimension][bit of the coordinate] -> offset
  std::vector<std::pair<int64_t, int64_t>> padding_; // (interval, amount)
  int64_t elementBytes_, storageElements_, stages_;
};

} // namespace tegula::simt_test
