// Shared-memory layouts as the hardware's asynchronous units know them: what boxes a tensor copy makes of a tile, and
// how a matrix multiply finds a tile. Both come from the bases of the tile's layout alone. No MLIR here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tegula::cuda {

/// A tile's layout: `bases` holds rank numbers for each bit of the offset in elements, as #layout.shared does; zeros
/// are holes. `extents` slowest first.
struct SharedTile {
  std::span<const int64_t> extents;
  std::span<const int64_t> bases;
  unsigned elementBytes = 0;
  bool padded = false;

  unsigned rank() const { return unsigned(extents.size()); }
  unsigned bits() const { return unsigned(bases.size() / extents.size()); }
};

/// How a tensor copy moves a tile: boxes of `box`, side by side along the last axis, each a permutation of 16-byte
/// pieces of its rows as DescriptorRecipe (core/runtime/Artifact.h) tells.
struct CopyBoxes {
  std::vector<uint32_t> box;
  uint32_t swizzleBytes = 0;
  std::vector<int64_t> offsets; // of each box in elements of storage, along the last axis
};

/// None where the layout is no such arrangement; `problem` says what it is instead.
std::optional<CopyBoxes> copyBoxes(const SharedTile &tile, std::string &problem);

/// A matrix in shared memory as a warp-group matrix multiply takes it (PTX ISA, "matrix descriptor"). With the 16-byte
/// piece as the unit and S the pieces of a span, a row of a K-major operand is `S` pieces, eight rows follow each other
/// and `stride` leads to the next eight:
///
///   K-major, swizzled        (row in 8, row / 8) -> S, stride;      piece of k within the span -> 1
///   K-major, not swizzled    (row in 8, row / 8) -> 1, stride;      piece of k -> leading
///   MN-major, swizzled       (piece of mn in S, spans) -> 1, leading;  (k in 8, k / 8) -> S, stride
///   MN-major, not swizzled   piece of mn -> stride;                 (k in 8, k / 8) -> 1, leading
struct MatrixView {
  bool kMajor = true;
  uint32_t swizzleBytes = 0;
  uint32_t leadingBytes = 0, strideBytes = 0;
  std::vector<uint32_t> kSteps;  // bytes from the matrix's begin to each step of the instruction's k
  std::vector<uint32_t> mnTiles; // bytes to each tile of the instruction's m or n

  /// The fields of the 64-bit descriptor but the address.
  uint64_t fields() const;
};

/// `kDim` is the axis (0 or 1) of the tile that the product sums over. `mnExtent` and `kExtent` are the instruction's.
std::optional<MatrixView> matrixView(const SharedTile &tile, unsigned kDim, unsigned mnExtent, unsigned kExtent,
                                     std::string &problem);

} // namespace tegula::cuda
