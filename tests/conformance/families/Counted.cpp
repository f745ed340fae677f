// While loops whose number of iterations is known when they begin (tile-count-loops).
#include "tests/conformance/families/Families.h"
#include "tests/conformance/families/References.h"

#include <limits>

namespace tegula::conformance {

namespace counted_family {

const std::string kFamily = "counted", kFile = "counted.py";

void addNumbers(Cases &cases) {
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();
  struct Counted {
    int64_t n, first, step;
  };
  for (Counted c : {Counted{-7, -20, 4},
                    {5, 5, 4},
                    {6, 1, 4},
                    {100, -3, 8},
                    {kMost, kMost, 1 << 28},
                    {kLeast, 0, 4},
                    {0x70000000, kLeast, 1 << 28}}) {
    Expected expected;
    auto append = [&](int64_t from, auto goesOn, int64_t by) {
      int64_t count = 0, total = 0, last = from;
      for (; goesOn(last); last += by, ++count)
        total += last / c.step; // rounded to zero, like the kernel's quotients
      for (int64_t value : {count, total, last})
        expected.push_back(static_cast<Number>(value));
    };
    append(c.n, [](int64_t left) { return left > 5; }, -c.step);
    append(c.first, [&](int64_t i) { return c.n > i; }, c.step);
    cases.add(kFamily, kFile, "numbers", std::to_string(c.n) + "," + std::to_string(c.first))
        .out(DType::I32, 6, exact(), [expected](const Inputs &, int64_t) { return expected; })
        .value(c.n)
        .value(c.first)
        .with("STEP", c.step)
        .warps(1);
  }
}

/// Loops that no pass may count.
void addOthers(Cases &cases) {
  for (int64_t n : {0, 10, 11})
    for (int64_t flag : {0, 1}) {
      int64_t met = 0, rounds = 0;
      for (int64_t limit = n; met < (flag ? n : limit + 1); ++met)
        --limit;
      for (int64_t x = 7; x < 127; ++rounds)
        x = static_cast<int8_t>(x + 100);
      cases.add(kFamily, kFile, "others", std::to_string(n) + "," + std::to_string(flag))
          .in(DType::I8, 1, whole(7, 7))
          .out(DType::I32, 3, exact(), [=](const Inputs &, int64_t) -> Expected { return {8, met, rounds}; })
          .value(n)
          .value(flag)
          .warps(1);
    }
}

void addTiles(Cases &cases) {
  for (int64_t rows : {0, 1, 9})
    for (int64_t columns : {1, 64, 1000})
      for (int64_t programs : {1, 3, 20})
        cases
            .add(kFamily, kFile, "tiles",
                 std::to_string(rows) + "x" + std::to_string(columns) + ",programs=" + std::to_string(programs))
            .in(DType::I32, std::max<int64_t>(rows * columns, 1), whole(-90, 90))
            .out(DType::I32, columns, exact(), each([=](const Inputs &in, int64_t j) {
                   Number total = 0;
                   for (int64_t row = 0; row < rows; ++row)
                     total += in(0, row * columns + j);
                   return total;
                 }))
            .value(rows)
            .value(columns)
            .with("BLOCK", 64)
            .grid(programs)
            .warps(2);
}

void addProducts(Cases &cases) {
  constexpr int64_t m = 120, n = 136;
  for (DType type : {DType::F16, DType::BF16})
    for (int64_t k : {0, 8, 40, 96, 160})
      for (int warps : {4, 8})
        cases
            .add(kFamily, kFile, "product", named(type) + ",depth " + std::to_string(k) + ",w=" + std::to_string(warps))
            .in(type, std::max<int64_t>(m * k, 1), whole(-2, 2))
            .in(type, std::max<int64_t>(k * n, 1), whole(-2, 2))
            .out(type, m * n, exactAnyZero(), matrixProduct(n, k, k, 1, n, 1))
            .value(m)
            .value(n)
            .value(k)
            .with("M", 64)
            .with("N", 64)
            .with("K", 32)
            .grid(2, 3)
            .warps(warps);
}

} // namespace counted_family

void addCounted(Cases &cases) {
  using namespace counted_family;
  addNumbers(cases);
  addTiles(cases);
  addProducts(cases);
  addOthers(cases);
}

} // namespace tegula::conformance
