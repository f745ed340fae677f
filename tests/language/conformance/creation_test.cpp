// Where tiles come from, and conversions.
#include "Conformance.h"

#include <algorithm>

namespace tegula::conformance {

namespace {

const std::string kCreationFile = "creation.py";

TEST(Creation, arange) {
  for (int64_t n : {1, 2, 64, 4096}) {
    Array y = blank(DType::I32, {n});
    run(kCreationFile, "arange", {&y}, {.constants = {{"N", n}}});
    expectEqual(y, [](int64_t i) { return i; });
  }
}

TEST(Creation, arange_from) {
  Array y = blank(DType::I32, {32});
  run(kCreationFile, "arange_from", {&y}, {.constants = {{"START", 5}, {"END", 37}}});
  expectEqual(y, [](int64_t i) { return i + 5; });
}

TEST(Creation, arange_one_argument) {
  Array y = blank(DType::I32, {32});
  run(kCreationFile, "arange_one_argument", {&y}, {.constants = {{"N", 32}}});
  expectEqual(y, [](int64_t i) { return i; });
}

TEST(Creation, full) {
  Array y = blank(DType::F32, {8, 16});
  run(kCreationFile, "full", {&y}, {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [](int64_t) { return Number(2.5); });
}

TEST(Creation, full_of_scalar) {
  Array x = of(DType::F32, {-6.75}), y = blank(DType::I32, {16});
  run(kCreationFile, "full_of_scalar", {&x, &y}, {.constants = {{"N", 16}}});
  expectEqual(y, [](int64_t) { return -6; });
}

TEST(Creation, zeros) {
  Array y = blank(DType::F32, {8, 16});
  run(kCreationFile, "zeros", {&y}, {.constants = {{"M", 8}, {"N", 16}}});
  expectEqual(y, [](int64_t) { return 0; });
}

TEST(Creation, zeros_like) {
  Array x = random(DType::BF16, {16}), y = blank(DType::BF16, {16});
  run(kCreationFile, "zeros_like", {&x, &y}, {.constants = {{"N", 16}}});
  expectEqual(y, [](int64_t) { return 0; });
}

TEST(Creation, cast_bits) {
  Array x = random(DType::F32, {64}), y = blank(DType::I32, {64});
  run(kCreationFile, "cast_bits", {&x, &y}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return static_cast<Number>(static_cast<int32_t>(encode(DType::F32, x[i]))); });
}

TEST(Creation, to_bits) {
  Array x = random(DType::BF16, {64}), y = blank(DType::U16, {64});
  run(kCreationFile, "to_bits", {&x, &y}, {.constants = {{"N", 64}}});
  expectEqual(y, [&](int64_t i) { return static_cast<Number>(encode(DType::BF16, x[i])); });
}

TEST(Creation, cast_rounding) {
  Array x = random(DType::F32, {256}, -100, 100), even = blank(DType::F16, {256}), zero = blank(DType::F16, {256});
  run(kCreationFile, "cast_rounding", {&x, &even, &zero}, {.constants = {{"N", 256}}});
  expectEqual(even, [&](int64_t i) { return x[i]; });
  expectEqual(zero, [&](int64_t i) {
    Number nearest = rounded(DType::F16, x[i]);
    if (std::abs(nearest) <= std::abs(x[i]))
      return nearest;
    return decode(DType::F16, encode(DType::F16, nearest) - 1); // the next code towards zero
  });
}

TEST(Creation, cat) {
  Array x = random(DType::I32, {32}, 0, 1000), y = random(DType::I32, {32}, 0, 1000, 2), z = blank(DType::I32, {64});
  run(kCreationFile, "cat", {&x, &y, &z}, {.constants = {{"N", 32}}});
  std::vector<Number> all = x.values;
  all.insert(all.end(), y.values.begin(), y.values.end());
  std::sort(all.begin(), all.end());
  expectEqual(z, [&](int64_t i) { return all[static_cast<size_t>(i)]; });
}

TEST(Creation, cat_in_order) {
  Array x = iota(DType::F32, {4, 8}), y = iota(DType::F32, {4, 8}, 32), z = blank(DType::F32, {8, 8});
  run(kCreationFile, "cat_in_order", {&x, &y, &z}, {.constants = {{"M", 4}, {"N", 8}}});
  expectEqual(z, [](int64_t i) { return i; });
}

} // namespace

} // namespace tegula::conformance
