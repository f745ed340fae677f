// Choosing and ordering elements.
#include "Conformance.h"

#include <algorithm>

namespace tegula::conformance {

namespace {

const std::string kIndexingFile = "indexing.py";

TEST(Indexing, where) {
  Array x = random(DType::F32, {64}), y = random(DType::F32, {64}, -4, 4, 2), z = blank(DType::F32, {64});
  run(kIndexingFile, "where", {&x, &y, &z}, {.constants = {{"N", 64}}});
  expectEqual(z, [&](int64_t i) { return x[i] > y[i] ? x[i] : Number(-1); });
}

TEST(Indexing, where_broadcast) {
  Array x = random(DType::F32, {16}), z = blank(DType::F32, {8, 16});
  run(kIndexingFile, "where_broadcast", {&x, &z, int64_t(5)}, {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(z, [&](int64_t i) { return i / 16 < 5 ? x[i % 16] : 0; });
}

TEST(Indexing, gather) {
  Array x = random(DType::F32, {64}), index = random(DType::I32, {128}, 0, 63), y = blank(DType::F32, {128});
  run(kIndexingFile, "gather", {&x, &index, &y}, {.constants = {{"N", 64}, {"COUNT", 128}}});
  expectEqual(y, [&](int64_t i) { return x[static_cast<int64_t>(index[i])]; });
}

TEST(Indexing, gather_columns) {
  Array x = random(DType::F16, {8, 32}), index = random(DType::I32, {8, 16}, 0, 31), y = blank(DType::F16, {8, 16});
  run(kIndexingFile, "gather_columns", {&x, &index, &y}, {.constants = {{"M", 8}, {"N", 32}, {"COUNT", 16}}});
  expectEqual(y, [&](int64_t i) { return x[i / 16 * 32 + static_cast<int64_t>(index[i])]; });
}

TEST(Indexing, flip) {
  Array x = random(DType::F32, {8, 32}), y = blank(DType::F32, {8, 32}), z = y;
  run(kIndexingFile, "flip", {&x, &y, &z}, {.constants = {{"M", 8}, {"N", 32}}});
  expectEqual(y, [&](int64_t i) { return x[i / 32 * 32 + 31 - i % 32]; });
  expectEqual(z, [&](int64_t i) { return x[(7 - i / 32) * 32 + i % 32]; });
}

TEST(Indexing, swizzle2d) {
  Array y = blank(DType::I32, {4, 4}), ragged = blank(DType::I32, {5, 3});
  run(kIndexingFile, "swizzle2d", {&y, int64_t(4), int64_t(4), int64_t(2)}, {.grid = {4, 4}});
  run(kIndexingFile, "swizzle2d", {&ragged, int64_t(5), int64_t(3), int64_t(2)}, {.grid = {5, 3}});
  // Two rows at a time, column by column: program k of the first eight gets row k % 2, column k / 2.
  expectEqual(y, [](int64_t i) { return (i / 8 * 2 + i % 8 % 2) * 4 + i % 8 / 2; });
  std::vector<bool> taken(15);
  for (Number v : ragged.values) {
    ASSERT_TRUE(v >= 0 && v < 15);
    EXPECT_FALSE(taken[static_cast<size_t>(v)]) << "two programs take tile " << static_cast<int>(v);
    taken[static_cast<size_t>(v)] = true;
  }
}

TEST(Indexing, sort) {
  for (DType type : {DType::F32, DType::I32, DType::U8, DType::F16}) {
    Array x = random(type, {4, 64}, type == DType::U8 ? 0 : -100, 200), y = blank(type, {4, 64}), z = y;
    run(kIndexingFile, "sort", {&x, &y, &z}, {.constants = {{"M", 4}, {"N", 64}}});
    Array expected = x;
    for (int64_t row = 0; row < 4; ++row)
      std::sort(expected.values.begin() + row * 64, expected.values.begin() + row * 64 + 64);
    expectEqual(y, [&](int64_t i) { return expected[i]; });
    expectEqual(z, [&](int64_t i) { return expected[i / 64 * 64 + 63 - i % 64]; });
  }
}

TEST(Indexing, topk) {
  Array x = random(DType::F32, {4, 64}, -100, 100), y = blank(DType::F32, {4, 8});
  run(kIndexingFile, "topk", {&x, &y}, {.constants = {{"M", 4}, {"N", 64}, {"K", 8}}});
  for (int64_t row = 0; row < 4; ++row)
    std::sort(x.values.begin() + row * 64, x.values.begin() + row * 64 + 64, std::greater<>());
  expectEqual(y, [&](int64_t i) { return x[i / 8 * 64 + i % 8]; });
}

TEST(Indexing, bitonic_merge) { // rows that rise and then fall
  Array x = random(DType::I32, {4, 32}, -100, 100), y = blank(DType::I32, {4, 32}), z = y;
  for (int64_t row = 0; row < 4; ++row) {
    auto begin = x.values.begin() + row * 32;
    std::sort(begin, begin + 16);
    std::sort(begin + 16, begin + 32, std::greater<>());
  }
  run(kIndexingFile, "bitonic_merge", {&x, &y, &z}, {.constants = {{"M", 4}, {"N", 32}}});
  for (int64_t row = 0; row < 4; ++row)
    std::sort(x.values.begin() + row * 32, x.values.begin() + row * 32 + 32);
  expectEqual(y, [&](int64_t i) { return x[i]; });
  expectEqual(z, [&](int64_t i) { return x[i / 32 * 32 + 31 - i % 32]; });
}

} // namespace

} // namespace tegula::conformance
