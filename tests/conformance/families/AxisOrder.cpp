// Reductions and scans by functions that do not commute, over the layouts that loads and products make, and by
// functions with assertions. Numbers are whole and wrap at 32 bits, so results are exact.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace axis_order_family {

const std::string kReduce = "reduce", kScan = "scan", kFile = "axis_order.py";

using Extents = std::vector<int64_t>;
/// An element of a line, as several whole numbers.
using Element = std::vector<int32_t>;

int32_t multiplied(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
int32_t added(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

Element affine(const Element &x, const Element &y) {
  return {multiplied(x[0], y[0]), added(multiplied(x[1], y[0]), y[1])};
}
Element matrices(const Element &x, const Element &y) {
  auto entry = [&](size_t row, size_t column) {
    return added(multiplied(x[2 * row], y[column]), multiplied(x[2 * row + 1], y[2 + column]));
  };
  return {entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)};
}
Element last(const Element &, const Element &y) { return y; }
Element firstGreatest(const Element &x, const Element &y) { return x[0] >= y[0] ? x : y; }

int64_t elements(const Extents &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}
std::string named(const Extents &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

/// How a tile is reduced: its shape, the axis, whether memory has one column after another, and the warps.
struct Tile {
  Extents shape;
  size_t axis;
  bool columns;
  int warps;

  std::string variant(DType type) const {
    return conformance::named(type) + "," + axis_order_family::named(shape) + ",axis=" + std::to_string(axis) +
           (columns ? ",columns" : "") + ",w=" + std::to_string(warps);
  }
  int64_t results() const { return elements(shape) / shape[axis]; }
  /// The row-major number of element k of the line with result i.
  int64_t number(int64_t i, int64_t k) const {
    int64_t inner = 1;
    for (size_t d = axis + 1; d < shape.size(); ++d)
      inner *= shape[d];
    return (i / inner * shape[axis] + k) * inner + i % inner;
  }
  /// Where it is in memory.
  int64_t place(int64_t number) const { return columns ? number % shape[1] * shape[0] + number / shape[1] : number; }
  Case &add(Cases &cases, const std::string &family, const std::string &kernel, DType type,
            const std::string &suffix = "") const {
    static constexpr const char *kNames[] = {"N", "MN", "ABC"};
    Case &made = cases.add(family, kFile, kernel, variant(type) + suffix).warps(warps);
    for (size_t d = 0; d < shape.size(); ++d)
      made.with(std::string(1, kNames[shape.size() - 1][d]), shape[d]);
    if (shape.size() > 1)
      made.with("AXIS", static_cast<int64_t>(axis));
    if (shape.size() == 2)
      made.with("COLUMNS", columns);
    return made;
  }
};

/// Part `part` of each line's combination, from the first element to the last.
template <class At> Reference combined(Tile tile, Element (*f)(const Element &, const Element &), size_t part, At at) {
  return each([=](const Inputs &in, int64_t i) -> Number {
    Element total = at(in, tile.place(tile.number(i, 0)));
    for (int64_t k = 1; k < tile.shape[tile.axis]; ++k)
      total = f(total, at(in, tile.place(tile.number(i, k))));
    return total[part];
  });
}
Element pairAt(const Inputs &in, int64_t place) {
  return {static_cast<int32_t>(in(0, place)), static_cast<int32_t>(in(1, place))};
}

void addAffine(Cases &cases, const Tile &tile, DType type) {
  int64_t count = elements(tile.shape);
  // Floats stay whole numbers that are exact.
  Fill factors = isFloat(type) ? listed({1, -1, 1, 0, -1, 1, 1}) : listed({1, 3, -1, 5, 7, -3});
  tile.add(cases, kReduce, "affine_" + std::to_string(tile.shape.size()) + "d", type)
      .in(type, count, factors)
      .in(type, count, whole(-9, 9))
      .out(type, tile.results(), exactAnyZero(), combined(tile, affine, 0, pairAt))
      .out(type, tile.results(), exactAnyZero(), combined(tile, affine, 1, pairAt));
}

void addMatrices(Cases &cases, const Tile &tile) {
  auto at = [](const Inputs &in, int64_t place) {
    auto x = static_cast<int32_t>(in(0, place));
    return Element{1, x, x, x * x + 1};
  };
  Reference parts[] = {combined(tile, matrices, 0, at), combined(tile, matrices, 1, at),
                       combined(tile, matrices, 2, at), combined(tile, matrices, 3, at)};
  tile.add(cases, kReduce, "matrices_2d", DType::I32)
      .in(DType::I32, elements(tile.shape), whole(-3, 3))
      .out(DType::I32, 4 * tile.results(), exact(), [=](const Inputs &in, int64_t count) {
        Expected out(static_cast<size_t>(count));
        for (int64_t part = 0; part < 4; ++part)
          for (int64_t i = 0; i < count / 4; ++i)
            out[static_cast<size_t>(4 * i + part)] = parts[part](in, count / 4)[static_cast<size_t>(i)];
        return out;
      });
}

void addChoices(Cases &cases, const Tile &tile) {
  int64_t count = elements(tile.shape);
  tile.add(cases, kReduce, "last_2d", DType::I32)
      .in(DType::I32, count, iota())
      .out(DType::I32, tile.results(), exact(), combined(tile, last, 0, [](const Inputs &in, int64_t place) {
             return Element{static_cast<int32_t>(in(0, place))};
           }));
  tile.add(cases, kReduce, "first_greatest_2d", DType::F32)
      .in(DType::F32, count, whole(-2, 2))
      .out(DType::I32, tile.results(), exact(), combined(tile, firstGreatest, 1, [](const Inputs &in, int64_t place) {
             return Element{static_cast<int32_t>(in(0, place)), static_cast<int32_t>(place)};
           }));
}

/// Each element is its index along the axis; `reverse` counts from the end.
Fill along(const Tile &tile, bool reverse) {
  return byIndex([=](int64_t place) -> Number {
    int64_t m = tile.shape[0], n = tile.shape[1];
    int64_t index = (tile.axis == 0) == tile.columns ? place % tile.shape[tile.axis] : place / (tile.columns ? m : n);
    return static_cast<Number>(reverse ? tile.shape[tile.axis] - 1 - index : index);
  });
}

void addAdjacent(Cases &cases, const Tile &tile) {
  int64_t count = elements(tile.shape), extent = tile.shape[tile.axis];
  tile.add(cases, kReduce, "adjacent_reduce", DType::I32)
      .in(DType::I32, count, along(tile, false))
      .out(DType::I32, tile.results(), exact(),
           each([extent](const Inputs &, int64_t) { return static_cast<Number>(extent - 1); }));
  for (bool reverse : {false, true}) {
    tile.add(cases, kScan, "adjacent_scan", DType::I32, reverse ? ",reverse" : "")
        .in(DType::I32, count, along(tile, reverse))
        .out(DType::I32, count, exact(), each([](const Inputs &in, int64_t i) { return in(0, i); }))
        .with("REVERSE", reverse);
  }
}

void addTiles(Cases &cases) {
  for (auto [n, warps] : {std::pair{1, 1}, {32, 1}, {64, 2}, {1024, 4}, {4096, 8}})
    for (DType type : {DType::I32, DType::F32}) {
      Tile tile{{3, n}, 1, false, warps}; // three programs
      cases.add(kReduce, kFile, "affine_1d", conformance::named(type) + "," + std::to_string(n))
          .in(type, 3 * n, isFloat(type) ? listed({1, -1, 1, 0, -1, 1, 1}) : listed({1, 3, -1, 5, 7, -3}))
          .in(type, 3 * n, whole(-9, 9))
          .out(type, 3, exactAnyZero(), combined(tile, affine, 0, pairAt))
          .out(type, 3, exactAnyZero(), combined(tile, affine, 1, pairAt))
          .with("N", n)
          .grid(3)
          .warps(warps);
    }
  const std::pair<Extents, int> shapes[] = {{{16, 16}, 2}, {{64, 16}, 4}, {{128, 4}, 1},
                                            {{4, 256}, 8}, {{64, 64}, 8}, {{2, 32}, 4}};
  size_t turn = 0;
  for (auto &[shape, warps] : shapes)
    for (size_t axis : {0, 1})
      for (bool columns : {false, true}) {
        Tile tile{shape, axis, columns, warps};
        addAffine(cases, tile, turn++ % 3 == 2 ? DType::F32 : DType::I32);
        addMatrices(cases, tile);
        addChoices(cases, tile);
        addAdjacent(cases, tile);
      }
  for (auto &[shape, warps] : {std::pair<Extents, int>{{4, 8, 16}, 4}, {{2, 64, 2}, 2}, {{16, 2, 32}, 8}})
    for (size_t axis : {0, 1, 2})
      addAffine(cases, {shape, axis, false, warps}, DType::I32);
}

void addWhole(Cases &cases) {
  for (auto [m, n, warps] : {std::tuple{16, 64, 4}, {128, 8, 8}, {1, 1, 1}}) {
    Tile tile{{1, m * n}, 1, false, warps};
    auto at = [m = m, n = n](const Inputs &in, int64_t number) { return pairAt(in, number % n * m + number / n); };
    cases.add(kReduce, kFile, "affine_all", by(m, n))
        .in(DType::I32, m * n, listed({1, 3, -1, 5, 7, -3}))
        .in(DType::I32, m * n, whole(-9, 9))
        .out(DType::I32, 1, exact(), combined(tile, affine, 0, at))
        .out(DType::I32, 1, exact(), combined(tile, affine, 1, at))
        .with("M", m)
        .with("N", n)
        .warps(warps);
  }
}

void addProducts(Cases &cases) {
  for (auto [m, n, k] : {std::tuple{32, 32, 16}, {64, 16, 32}, {16, 128, 16}, {64, 64, 16}})
    for (size_t axis : {0, 1})
      for (int warps : {1, 4, 8}) {
        Tile tile{{m, n}, axis, false, warps};
        auto at = [n = n, k = k](const Inputs &in, int64_t place) {
          int32_t sum = 0;
          for (int64_t j = 0; j < k; ++j)
            sum += static_cast<int32_t>(in(0, place / n * k + j) * in(1, j * n + place % n));
          return Element{(sum & 1) * 2 + 1, sum >> 1};
        };
        cases
            .add(kReduce, kFile, "affine_of_product",
                 by(m, n) + "x" + std::to_string(k) + ",axis=" + std::to_string(axis) + ",w=" + std::to_string(warps))
            .in(DType::F16, m * k, whole(0, 3))
            .in(DType::F16, k * n, whole(-2, 3))
            .out(DType::I32, tile.results(), exact(), combined(tile, affine, 0, at))
            .out(DType::I32, tile.results(), exact(), combined(tile, affine, 1, at))
            .with("M", m)
            .with("N", n)
            .with("K", k)
            .with("AXIS", static_cast<int64_t>(axis))
            .warps(warps);
      }
}

/// The first of two assertions fails for a number that is not positive, the second one for a sum above 1000.
void addAsserts(Cases &cases) {
  struct Input {
    const char *name;
    Number sum;
    int64_t odd; // the index of an element that is not positive, or -1
    const char *fault;
  };
  for (const Input &input : {Input{"holds", 1000, -1, nullptr}, Input{"fails", 1001, -1, "the sum is too large"},
                             Input{"fails_first", 1001, 0, "numbers must be positive"}}) {
    for (auto [n, warps] : {std::pair{64, 1}, {512, 4}}) {
      Fill x = byIndex([=, n = n](int64_t i) -> Number {
        return i == input.odd ? -1 : i == n - 1 ? input.sum - (n - 1) - (input.odd >= 0 ? -2 : 0) : 1;
      });
      auto add = [&, n = n, warps = warps](const std::string &family, const char *kernel, int64_t results,
                                           auto result) {
        Case &made = cases.add(family, kFile, kernel, std::string(input.name) + ",n=" + std::to_string(n))
                         .in(DType::I32, n, x)
                         .out(DType::I32, results, exact(), each(result))
                         .with("N", n)
                         .with("debug", true)
                         .warps(warps);
        if (input.fault)
          made.fault = input.fault;
      };
      add(kReduce, "sum_with_assert", 1, [=](const Inputs &, int64_t) { return input.sum; });
      add(kScan, "scan_with_assert", n, [=, n = n](const Inputs &, int64_t i) -> Number {
        return i == n - 1 ? input.sum : static_cast<Number>(i + 1);
      });
    }
  }
  for (bool holds : {true, false}) {
    Case &made =
        cases.add("shapes", kFile, "map_with_assert", holds ? "holds" : "fails")
            .in(DType::I32, 256, byIndex([=](int64_t i) -> Number { return i == 77 && !holds ? 100 : i % 100; }))
            .out(DType::I32, 256, exact(), each([](const Inputs &in, int64_t i) { return in(0, i) * in(0, i); }))
            .with("N", 256)
            .with("debug", true)
            .warps(4);
    if (!holds)
      made.fault = "the square is too large";
  }
}

} // namespace axis_order_family

void addAxisOrder(Cases &cases) {
  using namespace axis_order_family;
  addTiles(cases);
  addWhole(cases);
  addProducts(cases);
  addAsserts(cases);
}

} // namespace tegula::conformance
