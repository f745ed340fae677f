// Shared layouts against the address formulas of the hardware's asynchronous units, element by element.
#include "backends/cuda/codegen/SharedLayout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>

namespace tegula::test {
namespace {

using namespace tegula::cuda;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A tile and the storage of its bases.
struct Tile {
  std::vector<int64_t> extents, bases;
  unsigned bytes = 2;
  SharedTile shared() const { return {extents, bases, bytes, false}; }

  /// Coordinate -> offset in elements, by enumeration of all offsets without hole bits.
  std::map<std::vector<int64_t>, int64_t> places() const {
    std::map<std::vector<int64_t>, int64_t> found;
    size_t rank = extents.size(), bits = bases.size() / rank;
    for (int64_t offset = 0; offset < int64_t(1) << bits; ++offset) {
      std::vector<int64_t> at(rank, 0);
      for (size_t bit = 0; bit < bits; ++bit)
        if (offset >> bit & 1)
          for (size_t d = 0; d < rank; ++d)
            at[d] ^= bases[bit * rank + d];
      found.emplace(at, offset); // the first offset, without hole bits, is kept
    }
    return found;
  }
};

/// The hardware's permutation of a byte address, as in DescriptorRecipe.
uint32_t permuted(uint32_t address, uint32_t swizzleBytes) {
  uint32_t mask = swizzleBytes == 128 ? 7 : swizzleBytes == 64 ? 3 : swizzleBytes == 32 ? 1 : 0;
  return address ^ ((address >> 7 & mask) << 4);
}

/// A tile of `rows` x `columns`: spans of `swizzle` bytes of the columns one after another, permuted.
Tile rowsOfSpans(int64_t rows, int64_t columns, unsigned bytes, uint32_t swizzle) {
  Tile tile{{rows, columns}, {}, bytes};
  int64_t span = swizzle ? std::min<int64_t>(columns, swizzle / bytes) : columns;
  size_t bits = size_t(std::countr_zero(uint64_t(rows * columns)));
  for (size_t bit = 0; bit < bits; ++bit) {
    int64_t offset = permuted((uint32_t(1) << bit) * bytes, swizzle) / bytes; // the permutation is its own inverse
    tile.bases.push_back(offset / span % rows);
    tile.bases.push_back(offset / (span * rows) * span + offset % span);
  }
  return tile;
}

Tile transposed(Tile tile) {
  std::swap(tile.extents[0], tile.extents[1]);
  for (size_t i = 0; i < tile.bases.size(); i += 2)
    std::swap(tile.bases[i], tile.bases[i + 1]);
  return tile;
}

TEST(SharedLayout, BoxesPutEachElementWhereTheLayoutHasIt) {
  for (uint32_t swizzle : {0u, 32u, 64u, 128u})
    for (unsigned bytes : {1u, 2u, 4u})
      for (int64_t rows : {8, 64, 256})
        for (int64_t columns : {32, 64, 128, 256}) {
          SCOPED_TRACE(testing::Message() << swizzle << " " << bytes << " " << rows << "x" << columns);
          if (columns * bytes < 16 || rows * columns * bytes < 1024)
            continue;
          Tile tile = rowsOfSpans(rows, columns, bytes, swizzle);
          std::string problem;
          std::optional<CopyBoxes> boxes = copyBoxes(tile.shared(), problem);
          ASSERT_TRUE(boxes) << problem;
          int64_t width = boxes->box[1];
          EXPECT_LE(width * bytes, boxes->swizzleBytes ? boxes->swizzleBytes : 1u << 20);
          for (const auto &[at, offset] : tile.places()) {
            int64_t box = at[1] / width, within = at[0] * width + at[1] % width;
            uint32_t address = uint32_t((boxes->offsets.at(size_t(box)) + within) * bytes);
            ASSERT_EQ(permuted(address, boxes->swizzleBytes), uint32_t(offset * bytes)) << at[0] << "," << at[1];
          }
        }
}

TEST(SharedLayout, ABoxMayStepOverAHole) {
  // A tile of 64 rows, part of one of 128, in two boxes: the second box's offset is that of the whole tile.
  Tile tile = rowsOfSpans(64, 64, 2, 128);
  tile.extents[1] = 128;
  tile.bases.insert(tile.bases.end(), {0, 0, 0, 64});
  std::string problem;
  std::optional<CopyBoxes> boxes = copyBoxes(tile.shared(), problem);
  ASSERT_TRUE(boxes) << problem;
  EXPECT_THAT(boxes->box, ElementsAre(64, 64));
  EXPECT_THAT(boxes->offsets, ElementsAre(0, 8192));
}

TEST(SharedLayout, ThreeDimensionsHaveRowsThatFollowEachOther) {
  Tile tile{{4, 8, 32}, {}, 2};
  for (int64_t bit = 0; bit < 10; ++bit) {
    int64_t offset = int64_t(1) << bit;
    tile.bases.insert(tile.bases.end(), {offset / 256, offset / 32 % 8, offset % 32});
  }
  std::string problem;
  std::optional<CopyBoxes> boxes = copyBoxes(tile.shared(), problem);
  ASSERT_TRUE(boxes) << problem;
  EXPECT_THAT(boxes->box, ElementsAre(4, 8, 32));
  EXPECT_EQ(boxes->swizzleBytes, 0u);
}

TEST(SharedLayout, WhatNoCopyMakesIsRefused) {
  std::string problem;
  Tile columns = transposed(rowsOfSpans(64, 64, 2, 0));
  EXPECT_FALSE(copyBoxes(columns.shared(), problem));
  EXPECT_THAT(problem, HasSubstr("multiple of 16 bytes, this one has 2"));
  Tile wide = rowsOfSpans(512, 64, 2, 128);
  EXPECT_FALSE(copyBoxes(wide.shared(), problem));
  EXPECT_THAT(problem, HasSubstr("at most 256 elements along each axis, this one is 512x64"));
  Tile narrow = rowsOfSpans(64, 4, 2, 0);
  EXPECT_FALSE(copyBoxes(narrow.shared(), problem));
  EXPECT_THAT(problem, HasSubstr("multiple of 16 bytes, this one has 8"));
  Tile twisted = rowsOfSpans(64, 64, 2, 128);
  twisted.bases[2 * 9 + 1] ^= 16; // row 8 is permuted as the hardware permutes row 4
  EXPECT_FALSE(copyBoxes(twisted.shared(), problem));
  EXPECT_THAT(problem, HasSubstr("rows that follow each other"));
  SharedTile padded = narrow.shared();
  padded.padded = true;
  EXPECT_FALSE(copyBoxes(padded, problem));
  EXPECT_THAT(problem, HasSubstr("no padding"));
}

/// The address of element (mn, k) of one instruction in a warp-group matrix instruction: the canonical layouts of the
/// PTX manual in pieces of 16 bytes, then the permutation.
uint32_t instructionAddress(const MatrixView &view, uint32_t start, int64_t mn, int64_t k, unsigned bytes) {
  int64_t each = 16 / bytes, span = view.swizzleBytes ? view.swizzleBytes / 16 : 1; // pieces
  int64_t leading = view.leadingBytes, stride = view.strideBytes, address = 0;
  if (view.kMajor && view.swizzleBytes)
    address = mn % 8 * span * 16 + mn / 8 * stride + k * bytes;
  else if (view.kMajor)
    address = mn % 8 * 16 + mn / 8 * stride + k / each * leading + k % each * bytes;
  else if (view.swizzleBytes)
    address = mn % (span * each) * bytes + mn / (span * each) * leading + k % 8 * span * 16 + k / 8 * stride;
  else
    address = mn % each * bytes + mn / each * stride + k % 8 * 16 + k / 8 * leading;
  return permuted(start + uint32_t(address), view.swizzleBytes);
}

void expectReads(const Tile &tile, unsigned kDim, unsigned mnExtent, bool kMajor) {
  constexpr unsigned kStep = 16;
  std::string problem;
  std::optional<MatrixView> view = matrixView(tile.shared(), kDim, mnExtent, kStep, problem);
  ASSERT_TRUE(view) << problem;
  EXPECT_EQ(view->kMajor, kMajor);
  ASSERT_EQ(view->kSteps.size(), size_t(tile.extents[kDim] / kStep));
  ASSERT_EQ(view->mnTiles.size(), size_t(tile.extents[1 - kDim] / mnExtent));
  for (const auto &[at, offset] : tile.places()) {
    int64_t k = at[kDim], mn = at[1 - kDim];
    uint32_t start = view->kSteps[size_t(k / kStep)] + view->mnTiles[size_t(mn / mnExtent)];
    ASSERT_EQ(instructionAddress(*view, start, mn % mnExtent, k % kStep, 2), uint32_t(offset * 2)) << mn << "," << k;
  }
}

TEST(SharedLayout, ProductsReadEachElementWhereTheLayoutHasIt) {
  for (uint32_t swizzle : {32u, 64u, 128u})
    for (int64_t mn : {64, 128, 256})
      for (int64_t k : {64, 128}) {
        SCOPED_TRACE(testing::Message() << swizzle << " " << mn << "x" << k);
        Tile kMajor = rowsOfSpans(mn, k, 2, swizzle); // (mn, k)
        expectReads(kMajor, 1, 64, true);
        expectReads(transposed(kMajor), 0, unsigned(mn), true);
        Tile mnMajor = rowsOfSpans(k, mn, 2, swizzle); // (k, mn)
        expectReads(mnMajor, 0, unsigned(mn), false);
        expectReads(transposed(mnMajor), 1, 64, false);
      }
}

TEST(SharedLayout, ProductsReadPiecesWithoutSwizzle) {
  // Eight rows of 16 bytes, then the next piece of k (or of mn), then the next eight rows.
  auto pieces = [](int64_t rows, int64_t columns) {
    Tile tile{{rows, columns}, {}, 2};
    for (int64_t step = 1; step < 8; step *= 2)
      tile.bases.insert(tile.bases.end(), {0, step});
    for (int64_t step = 1; step < 8; step *= 2)
      tile.bases.insert(tile.bases.end(), {step, 0});
    for (int64_t step = 8; step < columns; step *= 2)
      tile.bases.insert(tile.bases.end(), {0, step});
    for (int64_t step = 8; step < rows; step *= 2)
      tile.bases.insert(tile.bases.end(), {step, 0});
    return tile;
  };
  expectReads(pieces(64, 32), 1, 64, true);
  expectReads(transposed(pieces(128, 64)), 0, 128, true);
  expectReads(pieces(64, 128), 0, 128, false);
}

TEST(SharedLayout, WhatNoProductReadsIsRefused) {
  std::string problem;
  Tile rows = rowsOfSpans(64, 64, 2, 0); // rows of 128 bytes without a permutation
  EXPECT_FALSE(matrixView(rows.shared(), 1, 64, 16, problem));
  EXPECT_THAT(problem, HasSubstr("rows of eight by 16 bytes"));
  Tile small = rowsOfSpans(32, 64, 2, 128);
  EXPECT_FALSE(matrixView(small.shared(), 1, 64, 16, problem));
  EXPECT_THAT(problem, HasSubstr("no multiples of the instruction's, 64 by k of 16"));
  Tile bytes = transposed(rowsOfSpans(64, 128, 1, 128)); // 8-bit operands are only K-major
  EXPECT_FALSE(matrixView(bytes.shared(), 1, 64, 32, problem));
}

TEST(SharedLayout, DescriptorFields) {
  MatrixView view;
  view.swizzleBytes = 128;
  view.leadingBytes = 16384;
  view.strideBytes = 1024;
  EXPECT_EQ(view.fields(), uint64_t(1) << 62 | uint64_t(64) << 32 | uint64_t(1024) << 16);
  view.swizzleBytes = 64;
  EXPECT_EQ(view.fields() >> 62, 2u);
  view.swizzleBytes = 32;
  EXPECT_EQ(view.fields() >> 62, 3u);
}

} // namespace
} // namespace tegula::test
