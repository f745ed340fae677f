// Layout conversions: a table of shapes, types and warps for kernels whose tiles are read one way and written another.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace layouts_family {

const std::string kFamily = "layouts", kFile = "layouts.py";

struct Tile {
  int64_t m, n;
  int warps;
};
/// Smaller than a warp, one element a thread, many; long, tall and square.
constexpr Tile kTiles[] = {{1, 1, 1},  {2, 2, 1},   {1, 64, 2},  {64, 1, 4},  {8, 8, 1},    {16, 16, 4},  {32, 4, 2},
                           {4, 32, 2}, {32, 32, 1}, {32, 32, 8}, {64, 64, 4}, {128, 16, 4}, {16, 128, 8}, {256, 4, 8}};
constexpr DType kWidths[] = {DType::I8, DType::F16, DType::F32, DType::I64};

std::string text(const Tile &t) {
  return std::to_string(t.m) + "x" + std::to_string(t.n) + ",w=" + std::to_string(t.warps);
}
/// Of element i of a row-major M x N tile, its place in column-major order; and back.
int64_t toColumns(const Tile &t, int64_t i) { return i / t.n + i % t.n * t.m; }
int64_t toRows(const Tile &t, int64_t i) { return i % t.m * t.n + i / t.m; }

void addMoves(Cases &cases, const Tile &t, DType type) {
  int64_t count = t.m * t.n;
  auto add = [&](const char *kernel) -> Case & {
    return cases.add(kFamily, kFile, kernel, named(type) + "," + text(t)).with("M", t.m).with("N", t.n).warps(t.warps);
  };
  Reference asColumns = each([t](const Inputs &in, int64_t i) { return in(0, toRows(t, i)); });
  Reference asRows = each([t](const Inputs &in, int64_t i) { return in(0, toColumns(t, i)); });
  add("rows_to_columns").in(type, count, anyBits()).out(type, count, exact(), asColumns);
  add("columns_to_rows").in(type, count, anyBits()).out(type, count, exact(), asRows);
  add("tile_to_vector").in(type, count, anyBits()).out(type, count, exact(), asRows);
  add("vector_to_tile").in(type, count, anyBits()).out(type, count, exact(), asColumns);
}

void addMeetings(Cases &cases, const Tile &t, DType type) {
  int64_t count = t.m * t.n;
  auto add = [&](const char *kernel) -> Case & {
    return cases.add(kFamily, kFile, kernel, named(type) + "," + text(t)).with("M", t.m).with("N", t.n).warps(t.warps);
  };
  add("rows_plus_columns")
      .in(type, count, whole(0, 30))
      .in(type, count, whole(0, 30))
      .out(type, count, exact(),
           each([t](const Inputs &in, int64_t i) { return in(0, i) + 2 * in(1, toColumns(t, i)); }));
  add("both_ways")
      .in(type, count, whole(0, 90))
      .out(type, count, exact(), each([t](const Inputs &in, int64_t i) { return in(0, toRows(t, i)); }))
      .out(type, count, exact(), each([](const Inputs &in, int64_t i) { return in(0, i) + 1; }));
  // Integers narrower than 32 bits reduce to 32, so the result is as wide.
  DType wide = isFloat(type) || byteSize(type) >= 4 ? type : DType::I32;
  add("reduce_and_spread")
      .in(type, count, whole(0, 9))
      .out(wide, count, exact(), each([t](const Inputs &in, int64_t i) {
             Number top = 0, side = 0;
             for (int64_t j = 0; j < t.n; ++j)
               top = std::max(top, in(0, i / t.n * t.n + j));
             for (int64_t j = 0; j < t.m; ++j)
               side = std::max(side, in(0, j * t.n + i % t.n));
             return in(0, i) + 2 * top + 4 * side;
           }));
  add("slices")
      .in(type, count, whole(0, 9))
      .out(DType::I32, t.m, exact(), each([t](const Inputs &in, int64_t i) {
             Number total = 0;
             for (int64_t j = 0; j < t.n; ++j)
               total += in(0, i + j * t.m);
             return total;
           }))
      .out(DType::I32, t.n, exact(), each([t](const Inputs &in, int64_t i) {
             Number total = 0;
             for (int64_t j = 0; j < t.m; ++j)
               total += in(0, i * t.m + j);
             return total;
           }));
  add("carried")
      .in(type, 3 * count, whole(0, 9))
      .out(DType::I32, count, exact(), each([t, count](const Inputs &in, int64_t i) {
             Number total = 0;
             for (int64_t k = 0; k < 3; ++k)
               total += in(0, k * count + toRows(t, i)) + 3 * in(0, k * count + i);
             return total;
           }))
      .value(3);
  if (t.n >= 2)
    add("exchange_by_join").in(type, count, anyBits()).out(type, count, exact(), each([](const Inputs &in, int64_t i) {
                                                             return in(0, i ^ 1);
                                                           }));
  for (int flip : {0, 1})
    cases.add(kFamily, kFile, "branches", named(type) + "," + text(t) + ",flip=" + std::to_string(flip))
        .in(type, count, anyBits())
        .out(type, count, exact(),
             each([t, flip](const Inputs &in, int64_t i) { return in(0, flip ? toColumns(t, i) : i); }))
        .value(flip)
        .with("M", t.m)
        .with("N", t.n)
        .warps(t.warps);
}

} // namespace layouts_family

void addLayouts(Cases &cases) {
  using namespace layouts_family;
  size_t turn = 0;
  for (const Tile &t : kTiles) {
    for (DType type : kWidths)
      addMoves(cases, t, type);
    addMeetings(cases, t, kWidths[turn++ % 4]);
  }
  for (auto [n, warps] : {std::pair{8, 1}, {32, 4}, {64, 8}})
    cases.add(kFamily, kFile, "row_becomes_column", "n=" + std::to_string(n))
        .in(DType::I32, n * n, whole(0, 50))
        .out(DType::I32, n * n, exact(), each([n = n](const Inputs &in, int64_t i) {
               auto side = [&](int64_t column) {
                 Number top = 0;
                 for (int64_t j = 0; j < n; ++j)
                   top = std::max(top, in(0, j * n + column));
                 return top;
               };
               return side(i / n) * 100 + side(i % n);
             }))
        .with("N", n)
        .warps(warps);
  for (auto [n, warps] : {std::pair{16, 1}, {32, 4}, {64, 8}})
    for (DType type : {DType::F16, DType::I32})
      cases.add(kFamily, kFile, "masked_rows", named(type) + ",n=" + std::to_string(n))
          .in(type, n * n, whole(0, 50))
          .in(DType::I32, n, whole(0, 1))
          .inOut(type, n * n, whole(0, 50), exact(), each([n = n](const Inputs &in, int64_t i) {
                   int64_t row = i % n, column = i / n;
                   if (in(1, row) == 0 || column == 0)
                     return in(2, i);
                   return column < n - 1 ? in(0, row * n + column) : Number(7);
                 }))
          .with("N", n)
          .warps(warps);
  for (auto [m, n, group, warps] : {std::tuple{16, 64, 64, 1}, {16, 64, 8, 2}, {64, 128, 32, 4}, {8, 16, 2, 1}})
    for (DType type : {DType::I8, DType::F32}) {
      int64_t rows = m, columns = n, size = group, bound = n / group > 1 ? n / group - 1 : 1;
      cases
          .add(kFamily, kFile, "scales_of_groups",
               named(type) + "," + std::to_string(m) + "x" + std::to_string(n) + ",group=" + std::to_string(group))
          .in(type, rows * columns, whole(0, 9))
          .in(type, columns / size, whole(0, 9))
          .out(type, rows * columns, exact(), each([=](const Inputs &in, int64_t i) {
                 int64_t number = i % columns / size;
                 Number scale = number < bound ? in(1, number) : Number(3);
                 Number ofRow = i / columns < rows - 1 ? scale : Number(3);
                 return in(0, i) * scale + ofRow;
               }))
          .value(bound)
          .with("M", m)
          .with("N", n)
          .with("GROUP", group)
          .warps(warps);
    }
  for (auto [a, b, c, warps] : {std::tuple{4, 8, 16, 4}, {16, 4, 2, 2}, {2, 2, 128, 8}, {8, 8, 8, 1}})
    for (DType type : {DType::I8, DType::F16, DType::F32}) {
      int64_t A = a, B = b, C = c;
      cases
          .add(kFamily, kFile, "middle_axis",
               named(type) + "," + std::to_string(a) + "x" + std::to_string(b) + "x" + std::to_string(c))
          .in(type, A * B * C, anyBits())
          .out(type, A * B * C, exact(),
               each([=](const Inputs &in, int64_t i) { return in(0, (i % A * B + i / A % B) * C + i / (A * B)); }))
          .with("A", A)
          .with("B", B)
          .with("C", C)
          .warps(warps);
    }
}

} // namespace tegula::conformance
