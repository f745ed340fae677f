// Computes the offsets of the parts of a tile in shared memory (`simt.part`), for code generators.
#pragma once

#include "core/ir/simt/Simt.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tegula::simt {

/// The offset of a part, without padding. It is linear over GF(2) in the bits of the part's position in the grid of
/// parts: `bits[dim][bit]` is the contribution of one bit along one dimension.
struct PartOffsets {
  llvm::SmallVector<llvm::SmallVector<int64_t>> bits;
  bool overlap = false; // contributions have bits in common, so they are combined by XOR; otherwise a sum suffices
};

/// Nothing if some positions of the grid have no part.
std::optional<PartOffsets> partOffsets(SharedType whole, llvm::ArrayRef<int64_t> extents);

} // namespace tegula::simt
