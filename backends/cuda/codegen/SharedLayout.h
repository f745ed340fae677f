// Shared-memory layouts in the terms of NVIDIA's asynchronous units: the boxes of a tensor copy, and the fields of a
// wgmma matrix descriptor. Both are derived from the bases of the tile's layout alone. This file uses no MLIR.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tegula::cuda {

/// A tile's layout in shared memory. As in #layout.shared, `bases` holds `rank` numbers for each bit of the element
/// offset; they are all zero for a bit that holds no element bit (padding). `extents`: slowest axis first.
struct SharedTile {
  std::span<const int64_t> extents;
  std::span<const int64_t> bases;
  unsigned elementBytes = 0;
  bool padded = false;

  unsigned rank() const { return unsigned(extents.size()); }
  unsigned bits() const { return unsigned(bases.size() / extents.size()); }
};

/// The boxes of a tile's tensor copy: each has extents `box`, and they lie side by side along the last axis. Within a
/// box the 16-byte pieces are permuted as DescriptorRecipe (core/contracts/Artifact.h) describes.
struct CopyBoxes {
  std::vector<uint32_t> box;
  uint32_t swizzleBytes = 0;
  std::vector<int64_t> offsets; // element offset in storage of each box, in order along the last axis
};

/// The boxes of the tile; nothing if boxes cannot express its layout. `problem` then describes the property of the
/// layout that prevents it.
std::optional<CopyBoxes> copyBoxes(const SharedTile &tile, std::string &problem);

/// A matrix in shared memory as wgmma reads it (PTX ISA, "matrix descriptor"). Units: a piece is 16 bytes; a span is
/// the swizzle's width (32, 64 or 128 bytes; without swizzle one piece); S is the number of pieces in a span. `row` is
/// an index along m or n. Each entry of the table maps coordinates to steps in pieces; `stride` and `leading` are the
/// fields strideBytes and leadingBytes:
///
///   K-major, swizzled        (row in 8, row / 8) -> S, stride;      piece of k within the span -> 1
///   K-major, not swizzled    (row in 8, row / 8) -> 1, stride;      piece of k -> leading
///   MN-major, swizzled       (piece of mn in S, spans) -> 1, leading;  (k in 8, k / 8) -> S, stride
///   MN-major, not swizzled   piece of mn -> stride;                 (k in 8, k / 8) -> 1, leading
struct MatrixView {
  bool kMajor = true;
  uint32_t swizzleBytes = 0;
  uint32_t leadingBytes = 0, strideBytes = 0;
  std::vector<uint32_t> kSteps;  // byte offset of each step of the instruction's k
  std::vector<uint32_t> mnTiles; // byte offset of each tile of the instruction's m or n

  /// All fields of the 64-bit descriptor except the address.
  uint64_t fields() const;
};

/// The view through which wgmma reads a tile as an operand. `kDim`: the axis (0 or 1) of the tile that the product sums
/// over. `mnExtent`, `kExtent`: the instruction's extents. Nothing if no matrix descriptor expresses the tile's layout;
/// `problem` then says why.
std::optional<MatrixView> matrixView(const SharedTile &tile, unsigned kDim, unsigned mnExtent, unsigned kExtent,
                                     std::string &problem);

} // namespace tegula::cuda
