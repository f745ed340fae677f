// A layout of shared memory, ready to be asked where an element is.
#pragma once

#include "core/ir/Simt.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tegula::simt_test {

/// The type of a view, read from the other side than it is written: the type says which element is at a place in storage,
/// this which place an element has. Made by Gaussian elimination over GF(2) from the attribute's bases alone.
class SharedLayout {
public:
  /// Throws where some element of the tile has no place.
  explicit SharedLayout(simt::SharedType type);

  std::span<const int64_t> shape() const { return shape_; }
  int64_t elementBytes() const { return elementBytes_; }
  /// Elements from the first to the last place of a stage, padding included.
  int64_t storageElements() const { return storageElements_; }
  int64_t stages() const { return stages_; }
  int64_t stageBytes() const { return storageElements_ * elementBytes_; }
  int64_t bytes() const { return stages_ * stageBytes(); }
  /// Where the element is, in elements from the beginning of its stage.
  int64_t place(std::span<const int64_t> coordinates) const;
  int64_t place(int64_t row, int64_t column) const {
    const int64_t coordinates[] = {row, column};
    return place(coordinates);
  }

private:
  std::vector<int64_t> shape_;
  std::vector<std::vector<int64_t>> inverse_; // for each dimension, for each bit of the coordinate: its offset
  std::vector<std::pair<int64_t, int64_t>> padding_; // (interval, amount)
  int64_t elementBytes_, storageElements_, stages_;
};

} // namespace tegula::simt_test
