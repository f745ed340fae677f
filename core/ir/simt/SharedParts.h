// The offsets at which the parts of a tile in shared memory begin (`simt.part`), for code generators.
#pragma once

#include "core/ir/simt/Simt.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tegula::simt {

/// The offset of a part, without padding, is linear over GF(2) in the bits of its position in the grid of parts:
/// `bits[dim][bit]` is the contribution of one bit of one dimension.
struct PartOffsets {
  llvm::SmallVector<llvm::SmallVector<int64_t>> bits;
  bool overlap = false; // contributions share bits, so they must be combined by XOR; else a sum does
};

/// None if there is no part at some positions of the grid.
std::optional<PartOffsets> partOffsets(SharedType whole, llvm::ArrayRef<int64_t> extents);

} // namespace tegula::simt
