// Shared-memory layouts in the terms of NVIDIA's asynchronous units: the boxes of a tensor copy, and the fields of a
// wgmma matrix descriptor. Both are derived from the bases of the tile's layout alone. This file uses no MLIR.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tegula::cuda {

/// A tile's layout in shared memory. As in #layout.shared, `bases` holds `rank` numbers for each bit of the offset in
/// elements: by XOR, what a set bit contributes to each coordinate. All are zero for a bit that selects no element
/// (padding). `extents`: slowest axis first.
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

/// A matrix in shared memory as wgmma reads it (PTX ISA, "matrix descriptor"). `mn` is an index along m (operand A) or
/// n (operand B), `k` along the depth. The fast axis is k if K-major, mn if MN-major. Distances are counted in pieces
/// of 16 bytes: an element with index i along the fast axis lies in piece p = i * elementBytes / 16 of its line. A span
/// is the swizzle's width (32, 64 or 128 bytes; without swizzle one piece); S is the number of pieces in a span.
///
/// In the table, `x -> d` means: two elements whose x differs by 1 are d pieces apart. `stride` and `leading` are
/// strideBytes / 16 and leadingBytes / 16:
///
///   K-major, swizzled        p -> 1 (within one span)        mn % 8 -> S,  mn / 8 -> stride
///   K-major, not swizzled    p -> leading                    mn % 8 -> 1,  mn / 8 -> stride
///   MN-major, swizzled       p % S -> 1,  p / S -> leading   k % 8 -> S,   k / 8 -> stride
///   MN-major, not swizzled   p -> stride                     k % 8 -> 1,   k / 8 -> leading
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
