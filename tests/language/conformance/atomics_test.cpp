// Atomics: what many programs do to the same cells, in whatever order.
#include "Conformance.h"

#include <algorithm>

namespace tegula::conformance {

namespace {

const std::string kAtomicsFile = "atomics.py";
constexpr int64_t kPrograms = 50, kCells = 16;

Array cells(DType type, Number value) {
  Array array{type, {kCells}, std::vector<Number>(kCells, rounded(type, value))};
  return array;
}

TEST(Atomics, add) {
  for (DType type : {DType::I32, DType::U32, DType::I64, DType::F32, DType::F64, DType::F16, DType::BF16}) {
    bool is16 = byteSize(type) == 2;
    Array x = random(type, {kPrograms, kCells}, is16 ? 0 : -9, 9), y = cells(type, 0);
    if (is16) // small whole numbers, so that the order of additions cannot show
      for (Number &v : x.values)
        v = std::floor(v) / 3 >= 2 ? 1 : 0;
    else
      for (Number &v : x.values)
        v = rounded(type, std::round(v));
    if (type == DType::U32)
      for (Number &v : x.values)
        v = std::abs(v) > 1000 ? 0 : v;
    run(kAtomicsFile, "add", {&x, &y}, {.constants = {{"N", kCells}}, .grid = {kPrograms}});
    expectEqual(y, [&](int64_t i) {
      Number total = 0;
      for (int64_t p = 0; p < kPrograms; ++p)
        total += x[p * kCells + i];
      return total;
    });
  }
}

TEST(Atomics, add_one_cell) {
  Array y = of(DType::I32, {5});
  run(kAtomicsFile, "add_one_cell", {&y}, {.constants = {{"N", 64}}, .grid = {100}});
  expectEqual(y, [](int64_t) { return 6405; });
}

TEST(Atomics, add_masked) {
  Array y = iota(DType::I32, {16}), old = blank(DType::I32, {16});
  run(kAtomicsFile, "add_masked", {&y, &old, int64_t(10)}, {.constants = {{"N", 16}}});
  expectEqual(y, [](int64_t i) { return i < 10 ? i + 10 : i; });
  expectEqual(old, [](int64_t i) { return i < 10 ? i : 77; });
}

TEST(Atomics, extremes) {
  for (DType type : {DType::I32, DType::U32, DType::I64, DType::F32, DType::F64}) {
    Array x = random(type, {kPrograms, kCells}, type == DType::U32 ? 0 : -1000, 1000), least = cells(type, 10),
          greatest = cells(type, 10);
    run(kAtomicsFile, "extremes", {&x, &least, &greatest}, {.constants = {{"N", kCells}}, .grid = {kPrograms}});
    auto fold = [&](int64_t i, bool isMax) {
      Number value = 10;
      for (int64_t p = 0; p < kPrograms; ++p)
        value = isMax ? std::max(value, x[p * kCells + i]) : std::min(value, x[p * kCells + i]);
      return value;
    };
    expectEqual(least, [&](int64_t i) { return fold(i, false); });
    expectEqual(greatest, [&](int64_t i) { return fold(i, true); });
  }
}

TEST(Atomics, bits) {
  Array x = random(DType::I32, {kPrograms, kCells}, -100000, 100000);
  Array all = cells(DType::I32, -1), any = cells(DType::I32, 0), odd = cells(DType::I32, 12345);
  run(kAtomicsFile, "bits", {&x, &all, &any, &odd}, {.constants = {{"N", kCells}}, .grid = {kPrograms}});
  auto fold = [&](int64_t i, int64_t start, int64_t (*f)(int64_t, int64_t)) {
    for (int64_t p = 0; p < kPrograms; ++p)
      start = f(start, static_cast<int64_t>(x[p * kCells + i]));
    return start;
  };
  expectEqual(all, [&](int64_t i) { return fold(i, -1, [](int64_t a, int64_t b) { return a & b; }); });
  expectEqual(any, [&](int64_t i) { return fold(i, 0, [](int64_t a, int64_t b) { return a | b; }); });
  expectEqual(odd, [&](int64_t i) { return fold(i, 12345, [](int64_t a, int64_t b) { return a ^ b; }); });
}

TEST(Atomics, exchange) {
  for (DType type : {DType::I32, DType::F32, DType::I64}) {
    Array y = iota(type, {32}, 1000), old = blank(type, {32});
    run(kAtomicsFile, "exchange", {&y, &old}, {.constants = {{"N", 32}}});
    expectEqual(y, [](int64_t i) { return 2 * i; });
    expectEqual(old, [](int64_t i) { return 1000 + i; });
  }
}

TEST(Atomics, compare_and_swap) {
  for (DType type : {DType::I32, DType::I64, DType::F32}) {
    Array y = random(type, {32}, 0, 5), old = blank(type, {32});
    for (Number &v : y.values)
      v = std::floor(v);
    Array before = y;
    run(kAtomicsFile, "compare_and_swap", {&y, &old}, {.constants = {{"N", 32}}});
    expectEqual(y, [&](int64_t i) { return before[i] == 3 ? 100 + i : before[i]; });
    expectEqual(old, [&](int64_t i) { return before[i]; });
  }
}

TEST(Atomics, spin_lock) {
  Array lock = of(DType::I32, {0}), total = of(DType::I32, {0});
  run(kAtomicsFile, "spin_lock", {&lock, &total}, {.grid = {40}});
  expectEqual(total, [](int64_t) { return 40; });
  expectEqual(lock, [](int64_t) { return 0; });
}

TEST(Atomics, ticket) { // each program draws its own number
  Array counter = of(DType::I32, {0}), seen = blank(DType::I32, {kPrograms});
  run(kAtomicsFile, "ticket", {&counter, &seen}, {.grid = {kPrograms}});
  std::sort(seen.values.begin(), seen.values.end());
  expectEqual(seen, [](int64_t i) { return i; });
}

} // namespace

} // namespace tegula::conformance
