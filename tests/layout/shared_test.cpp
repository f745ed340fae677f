// Shared-memory layouts against address formulas, padding, and bank conflicts by counting.
#include "core/support/Diagnostic.h"
#include "tests/layout/Random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula::layout::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Shared, RowAndColumnMajor) {
  SharedLayout rows(rowMajor({4, 8, 2})), columns(columnMajor({4, 8, 2}));
  for (uint32_t i = 0; i < 4; ++i)
    for (uint32_t j = 0; j < 8; ++j)
      for (uint32_t k = 0; k < 2; ++k) {
        EXPECT_EQ(rows.addressOf({i, j, k}), (i * 8 + j) * 2 + k);
        EXPECT_EQ(columns.addressOf({i, j, k}), i + 4 * (j + 8 * k));
        EXPECT_EQ(rows.at((i * 8 + j) * 2 + k), (Coordinates{i, j, k}));
      }
  EXPECT_EQ(rows.allocationSize(), 64u);
  EXPECT_EQ(rows.at(64), std::nullopt);
}

TEST(Shared, SwizzleAsItsFormula) {
  for (uint32_t vec : {1u, 2u, 8u})
    for (uint32_t perPhase : {1u, 2u, 4u})
      for (uint32_t maxPhase : {1u, 2u, 4u})
        for (bool rowsFirst : {true, false}) {
          SharedLayout layout(swizzled({{32, 32},
                                        vec,
                                        perPhase,
                                        maxPhase,
                                        rowsFirst ? std::vector<unsigned>{1, 0} : std::vector<unsigned>{0, 1}}));
          for (uint32_t line = 0; line < 32; ++line)
            for (uint32_t p = 0; p < 32; ++p) {
              uint32_t place = (p / vec ^ line / perPhase % maxPhase) * vec + p % vec;
              EXPECT_EQ(layout.addressOf(rowsFirst ? Coordinates{line, p} : Coordinates{p, line}), line * 32 + place);
            }
        }
}

// The hardware's swizzle of byte addresses: chunk bits (from bit 4) ^= the bits from bit 7 up, as many as the span has.
TEST(Shared, SpanSwizzleAsItsFormula) {
  for (uint32_t span : {32u, 64u, 128u})
    for (uint32_t bytes : {1u, 2u, 4u, 8u})
      for (uint32_t lines : {8u, 64u})
        for (uint32_t length : {16u, 64u, 256u})
          for (bool rowsFirst : {true, false}) {
            std::vector<uint32_t> shape =
                rowsFirst ? std::vector<uint32_t>{lines, length} : std::vector<uint32_t>{length, lines};
            SharedLayout layout(spanSwizzled(
                {shape, span, bytes, rowsFirst ? std::vector<unsigned>{1, 0} : std::vector<unsigned>{0, 1}}));
            uint32_t box = std::min(length, span / bytes);
            for (uint32_t line = 0; line < lines; ++line)
              for (uint32_t p = 0; p < length; ++p) {
                uint32_t address = ((p / box * lines + line) * box + p % box) * bytes;
                uint32_t mask = span / 16 - 1;
                address ^= (address >> 7 & mask) << 4;
                EXPECT_EQ(layout.addressOf(rowsFirst ? Coordinates{line, p} : Coordinates{p, line}), address / bytes);
              }
          }
  // As drawn in the header: eight lines of 128 bytes; chunk c of line l is at position c ^ l.
  SharedLayout atom(spanSwizzled({{8, 64}, 128, 2, {1, 0}}));
  for (uint32_t line = 0; line < 8; ++line)
    for (uint32_t chunk = 0; chunk < 8; ++chunk)
      EXPECT_EQ(atom.addressOf({line, chunk * 8}), line * 64 + (chunk ^ line) * 8);
}

TEST(Shared, PaddingComesAfterTheLinearMap) {
  SharedLayout layout(rowMajor({16, 8}), {{8, 2}, {64, 4}});
  std::vector<bool> used(layout.allocationSize());
  for (uint32_t i = 0; i < 16; ++i)
    for (uint32_t j = 0; j < 8; ++j) {
      uint64_t address = i * 10 + j + (i >= 8 ? 4 : 0);
      EXPECT_EQ(layout.addressOf({i, j}), address);
      EXPECT_EQ(layout.at(address), (Coordinates{i, j}));
      used[address] = true;
    }
  for (uint64_t address = 0; address < used.size(); ++address)
    EXPECT_EQ(layout.at(address).has_value(), used[address]);
  EXPECT_TRUE(used.back());
}

TEST(Shared, CopiesAlias) {
  SharedLayout twice(LinearLayout::parse("offset: (1) (0) (2)"));
  EXPECT_EQ(twice.addressesOf({3}), (std::vector<uint64_t>{5, 7}));
  EXPECT_EQ(twice.addressOf({3}), 5u);
  EXPECT_EQ(SharedLayout(rowMajor({4, 4})).addressesOf({1, 1}), (std::vector<uint64_t>{5}));
}

TEST(Shared, WhatIsWrongIsSaid) {
  auto message = [](const char *text) { return ThrowsMessage<Error>(HasSubstr(text)); };
  EXPECT_THAT([] { SharedLayout(LinearLayout::parse("lane: (1)")); }, message("has the input offset, not lane"));
  EXPECT_THAT([] { SharedLayout(LinearLayout::parse("offset: (1) -> [4]")); },
              message("does not hold the whole tensor"));
  EXPECT_THAT([] { SharedLayout(rowMajor({4}), {{3, 1}}); }, message("the interval of a padding is 3"));
  EXPECT_THAT([] { swizzled({{8, 8}, 4, 1, 4, {1, 0}}); },
              message("vec * maxPhase of a swizzle is 16; it must be at most the length of a line, 8"));
  EXPECT_THAT([] { spanSwizzled({{8, 8}, 48, 2, {1, 0}}); }, message("the span of a swizzle is 48 bytes"));
}

/// Byte addresses of an access whose lanes' offsets are those of `access` XORed with `base`, with padding added.
std::vector<std::optional<uint64_t>> addressesOf(const WarpAccess &access, uint64_t base, const SharedLayout *padded) {
  std::vector<std::optional<uint64_t>> result;
  for (uint32_t lane = 0; lane < uint32_t(1) << access.laneOffsets.size(); ++lane) {
    uint64_t offset = base;
    for (size_t bit = 0; bit < access.laneOffsets.size(); ++bit)
      offset ^= lane >> bit & 1 ? access.laneOffsets[bit] : 0;
    if (padded)
      offset = padded->addressOfOffset(offset);
    bool active = (lane & access.idleLaneBits) == 0;
    result.push_back(active ? std::optional(offset * access.elementBytes) : std::nullopt);
  }
  return result;
}

WarpAccess randomAccess(Rng &rng, unsigned offsetBits) {
  WarpAccess access;
  access.elementBytes = 1u << below(rng, 4);
  access.elements = std::min(16u / access.elementBytes, 1u << below(rng, 4));
  unsigned lanes = 3 + below(rng, 4);
  for (unsigned i = 0; i < lanes; ++i) {
    uint64_t offset =
        chance(rng, 60) ? uint64_t(1) << below(rng, offsetBits) : rng() & ((uint64_t(1) << offsetBits) - 1);
    access.laneOffsets.push_back(offset & ~uint64_t(access.elements - 1));
  }
  if (chance(rng, 30))
    access.idleLaneBits = below(rng, 1u << lanes);
  return access;
}

TEST(Conflicts, KnownCases) {
  BankModel model;
  auto count = [&](std::vector<uint64_t> lanes, uint32_t elements, uint32_t bytes) {
    WarpAccess access{lanes, 0, elements, bytes};
    EXPECT_EQ(analyseConflicts(access, model), countConflicts(addressesOf(access, 0, nullptr), access.bytes(), model));
    return analyseConflicts(access, model);
  };
  EXPECT_EQ(count({1, 2, 4, 8, 16}, 1, 4), 0u);         // a row of words
  EXPECT_EQ(count({32, 64, 128, 256, 512}, 1, 4), 31u); // a column of a 32-wide array
  EXPECT_EQ(count({2, 4, 8, 16, 32}, 1, 4), 1u);        // stride 2
  EXPECT_EQ(count({0, 0, 0, 0, 0}, 1, 4), 0u);          // one word for all
  EXPECT_EQ(count({33, 66, 132, 264, 528}, 1, 4), 0u);  // a column under an XOR swizzle
  EXPECT_EQ(count({4, 8, 16, 32, 64}, 4, 4), 0u);       // 16 bytes a lane, four phases
  EXPECT_EQ(count({32, 64, 128, 256, 512}, 4, 4), 28u); // the same in columns: four phases of eight rounds
  EXPECT_EQ(count({1, 2, 4, 8, 16}, 1, 2), 0u);         // pairs of lanes share words
  EXPECT_EQ(count({1, 2, 4, 8, 16, 32}, 1, 4), 0u);     // 64 lanes, two phases
}

TEST(Conflicts, AnalysisIsWhatIsCounted) {
  Rng rng(31);
  int with = 0;
  for (int i = 0; i < 5000; ++i) {
    WarpAccess access = randomAccess(rng, 12);
    BankModel model{chance(rng, 20) ? 64u : 32u, 4};
    uint64_t base = (rng() & 4095) & ~uint64_t(access.elements - 1);
    uint32_t counted = countConflicts(addressesOf(access, base, nullptr), access.bytes(), model);
    EXPECT_EQ(analyseConflicts(access, model), counted);
    with += counted > 0;
  }
  EXPECT_GT(with, 1000);
}

TEST(Conflicts, PaddedAnalysisIsWhatIsCounted) {
  Rng rng(32);
  int known = 0, cured = 0;
  for (int i = 0; i < 20000; ++i) {
    WarpAccess access = randomAccess(rng, 12);
    if (chance(rng, 60)) { // a column of a matrix
      unsigned row = 5 + below(rng, 4);
      for (size_t bit = 0; bit < access.laneOffsets.size(); ++bit)
        access.laneOffsets[bit] = uint64_t(1) << (row + (chance(rng, 90) ? bit : below(rng, 4)));
    }
    Padding padding{uint32_t(1) << (4 + below(rng, 6)), access.elements << below(rng, 2)};
    SharedLayout memory(LinearLayout::identity(1u << 15, kOffset, kDim0), {padding});
    BankModel model;
    std::optional<uint32_t> claim = analyseConflicts(access, std::span(&padding, 1), model);
    if (!claim)
      continue;
    ++known;
    cured += *claim == 0 && analyseConflicts(access, model) > 0;
    for (int b = 0; b < 3; ++b) {
      uint64_t base = (rng() & 16383) & ~uint64_t(access.elements - 1);
      EXPECT_EQ(*claim, countConflicts(addressesOf(access, base, &memory), access.bytes(), model));
    }
  }
  EXPECT_GT(known, 1000);
  EXPECT_GT(cured, 100);
}

} // namespace
} // namespace tegula::layout::test
