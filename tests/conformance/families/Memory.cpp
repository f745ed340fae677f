// Loads and stores. Values move unchanged, so everything is compared bit for bit, and memory around the outputs too.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace memory_family {

const std::string kFamily = "memory", kFile = "memory.py";
constexpr DType kAll[] = {DType::I1,  DType::I8,     DType::I16,    DType::I32,        DType::I64,       DType::U8,
                          DType::U16, DType::U32,    DType::U64,    DType::F16,        DType::BF16,      DType::F32,
                          DType::F64, DType::F8E4M3, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ};
constexpr DType kWidths[] = {DType::I8, DType::F16, DType::F32, DType::I64};

struct Size {
  int64_t n;
  int warps;
  std::string text() const { return "n=" + std::to_string(n) + ",w=" + std::to_string(warps); }
};
constexpr Size kSizes[] = {{64, 1}, {1024, 4}, {16, 2}, {2048, 8}, {1, 1}};

Number element(const Inputs &in, int64_t i) { return in(0, i); }
/// Elements of buffer 0 at places that `index` gives.
Reference moved(std::function<std::optional<int64_t>(int64_t)> index) {
  return each([index = std::move(index)](const Inputs &in, int64_t i) -> std::optional<Number> {
    std::optional<int64_t> from = index(i);
    return from ? std::optional(in(0, *from)) : std::nullopt;
  });
}

void addCopies(Cases &cases) {
  size_t turn = 0;
  for (DType type : kAll)
    for (int programs : {1, 3}) {
      Size s = kSizes[turn++ % 4];
      cases.add(kFamily, kFile, "copy", named(type) + ",programs=" + std::to_string(programs) + "," + s.text())
          .in(type, s.n * programs, anyBits())
          .out(type, s.n * programs, exact(), each(element))
          .with("N", s.n)
          .grid(programs)
          .warps(s.warps);
    }
  for (DType type : {DType::I1, DType::I8, DType::BF16, DType::F32, DType::F64})
    for (size_t shape = 0; shape < 4; ++shape) {
      Extent e = extent(turn++);
      // Neither base is aligned: `lead` elements stand before each.
      int64_t lead = static_cast<int64_t>(shape);
      cases.add(kFamily, kFile, "copy_masked", named(type) + ",lead=" + std::to_string(lead) + "," + e.text())
          .in(type, e.n, anyBits(), lead)
          .out(type, e.n, exact(), each(element), lead == 3 ? 1 : lead)
          .value(e.n)
          .with("BLOCK", e.block)
          .grid(e.programs())
          .warps(e.warps);
    }
}

void addMasks(Cases &cases) {
  for (DType type : kWidths)
    for (Size s : {Size{64, 1}, Size{1024, 4}, Size{256, 8}}) {
      int64_t some = s.n * 3 / 4 + 1;
      std::string variant = named(type) + "," + s.text();
      auto add = [&](const char *kernel, int64_t n, std::function<std::optional<Number>(const Inputs &, int64_t)> f) {
        cases.add(kFamily, kFile, kernel, variant)
            .in(type, s.n, anyBits())
            .out(type, s.n, exact(), each(std::move(f)))
            .value(n)
            .with("N", s.n)
            .warps(s.warps);
      };
      add("masked_reads_zero", some, [some](const Inputs &in, int64_t i) { return i < some ? in(0, i) : 0; });
      add("masked_other", some, [some](const Inputs &in, int64_t i) { return i < some ? in(0, i) : 5; });
      if (isFloat(type))
        add("masked_minus_infinity", some, [some](const Inputs &in, int64_t i) { return i < some ? in(0, i) : -kInf; });
      add("masked_other_tensor", some, [some, type](const Inputs &in, int64_t i) -> std::optional<Number> {
        return i >= some ? std::nullopt : std::optional(i % 3 != 1 ? in(0, i) : rounded(type, static_cast<Number>(i)));
      });
      add("masked_store", some,
          [some](const Inputs &in, int64_t i) { return i < some ? std::optional(in(0, i)) : std::nullopt; });
      int64_t m = 8, n = s.n / m;
      cases.add(kFamily, kFile, "mask_of_rows", variant)
          .in(type, s.n, anyBits())
          .out(type, s.n, exact(), each([n](const Inputs &in, int64_t i) -> std::optional<Number> {
                 return i % n >= n / 2 + 1 ? std::nullopt : std::optional(i / n < 5 ? in(0, i) : 9);
               }))
          .value(5)
          .value(n / 2 + 1)
          .with("M", m)
          .with("N", n)
          .warps(s.warps);
      cases.add(kFamily, kFile, "mask_widens_pointers", variant)
          .in(type, std::max(m, n), anyBits())
          .out(type, 3 * s.n, exact(), each([=](const Inputs &in, int64_t at) {
                 int64_t i = at % s.n / n, j = at % n;
                 bool isColumn = j < n / 2 + 1;
                 switch (at / s.n) {
                 case 0: return i < 5 && isColumn ? in(0, j) : Number(9);
                 case 1: return isColumn ? in(0, j) : Number(i % 4);
                 default: return isColumn ? in(0, i) : Number(i);
                 }
               }))
          .value(5)
          .value(n / 2 + 1)
          .with("M", m)
          .with("N", n)
          .warps(s.warps);
      cases.add(kFamily, kFile, "mask_of_nothing", variant)
          .in(type, s.n, anyBits())
          .out(type, s.n, exact(), each([](const Inputs &, int64_t) { return 3; }))
          .with("N", s.n)
          .warps(s.warps);
      cases.add(kFamily, kFile, "mask_from_memory", variant)
          .in(type, s.n, anyBits())
          .in(DType::I1, s.n, booleans())
          .out(type, s.n, exact(), each([](const Inputs &in, int64_t i) -> std::optional<Number> {
                 bool m = in(1, i) != 0;
                 return m ? std::optional(in(0, i)) : i % 2 == 0 ? std::optional(Number(9)) : std::nullopt;
               }))
          .with("N", s.n)
          .warps(s.warps);
    }
}

void addStrides(Cases &cases) {
  for (DType type : kWidths) {
    for (auto [sx, sy, n, warps] : {std::tuple{2, 1, 256, 4}, {1, 3, 128, 1}, {7, 5, 64, 2}, {16, 16, 512, 8}})
      cases.add(kFamily, kFile, "strided_1d", named(type) + ",sx=" + std::to_string(sx) + ",sy=" + std::to_string(sy))
          .in(type, n * sx, anyBits())
          .out(type, n * sy, exact(), moved([sx = sx, sy = sy](int64_t i) {
                 return i % sy ? std::nullopt : std::optional<int64_t>(i / sy * sx);
               }))
          .value(sx)
          .value(sy)
          .with("N", n)
          .warps(warps);
    struct Tile {
      int64_t m, n, blockM, blockN;
      bool fromColumns, toColumns;
      int warps;
    };
    for (const Tile &t : {Tile{64, 32, 64, 32, false, false, 4}, Tile{33, 17, 16, 32, false, true, 4},
                          Tile{33, 17, 32, 16, true, false, 2}, Tile{100, 7, 32, 8, true, true, 1},
                          Tile{1, 300, 1, 256, false, false, 8}, Tile{300, 1, 256, 1, true, false, 8}}) {
      int64_t xm = t.fromColumns ? 1 : t.n, xn = t.fromColumns ? t.m : 1, ym = t.toColumns ? 1 : t.n,
              yn = t.toColumns ? t.m : 1;
      std::string shape = std::to_string(t.m) + "x" + std::to_string(t.n) + " by " + std::to_string(t.blockM) + "x" +
                          std::to_string(t.blockN);
      cases
          .add(kFamily, kFile, "strided_2d",
               named(type) + "," + shape + (t.fromColumns ? ",columns" : ",rows") +
                   (t.toColumns ? "->columns" : "->rows"))
          .in(type, t.m * t.n, anyBits())
          .out(type, t.m * t.n, exact(), moved([=](int64_t i) -> std::optional<int64_t> {
                 int64_t row = t.toColumns ? i % t.m : i / t.n, column = t.toColumns ? i / t.m : i % t.n;
                 return row * xm + column * xn;
               }))
          .value(t.m)
          .value(t.n)
          .value(xm)
          .value(xn)
          .value(ym)
          .value(yn)
          .with("M", t.blockM)
          .with("N", t.blockN)
          .grid(cdiv(t.m, t.blockM), cdiv(t.n, t.blockN))
          .warps(t.warps);
    }
    // The strides of all orders of three axes.
    const int64_t a = 4, b = 8, c = 16;
    for (auto [xa, xb, xc, order] : {std::tuple{b * c, c, int64_t(1), "abc"},
                                     {b * c, int64_t(1), b, "acb"},
                                     {c, a * c, int64_t(1), "bac"},
                                     {int64_t(1), a * c, a, "bca"},
                                     {b, int64_t(1), a * b, "cab"},
                                     {int64_t(1), a, a * b, "cba"}})
      cases.add(kFamily, kFile, "strided_3d", named(type) + "," + order)
          .in(type, a * b * c, anyBits())
          .out(type, a * b * c, exact(), moved([=, xa = xa, xb = xb, xc = xc](int64_t i) {
                 return i / (b * c) * xa + i / c % b * xb + i % c * xc;
               }))
          .value(xa)
          .value(xb)
          .value(xc)
          .with("A", a)
          .with("B", b)
          .with("C", c);
  }
}

void addFar(Cases &cases) {
  for (DType type : kWidths) {
    int64_t far = (int64_t(1) << 33) / static_cast<int64_t>(byteSize(type)) + 5;
    for (Size s : {Size{64, 1}, Size{1024, 4}}) {
      std::string variant = named(type) + "," + s.text();
      for (const char *kernel : {"far_base_below", "far_base_above"})
        cases.add(kFamily, kFile, kernel, variant)
            .in(type, s.n, anyBits())
            .out(type, s.n, exact(), each(element))
            .value(far)
            .with("N", s.n)
            .warps(s.warps);
      cases.add(kFamily, kFile, "far_product", variant)
          .in(type, s.n, anyBits())
          .out(type, s.n, exact(), each(element))
          .value(50000)
          .value(60000)
          .with("N", s.n)
          .warps(s.warps);
      int64_t m = 4, n = s.n / 4;
      cases.add(kFamily, kFile, "far_rows", variant)
          .in(type, s.n, anyBits())
          .out(type, s.n, exact(), each(element))
          .value((int64_t(1) << 32) + 3)
          .with("M", m)
          .with("N", n)
          .warps(s.warps);
      int64_t some = s.n - 5;
      cases.add(kFamily, kFile, "negative_offsets", variant)
          .in(type, some, anyBits())
          .out(type, s.n, exact(),
               moved([some](int64_t i) { return i < some ? std::optional(some - 1 - i) : std::nullopt; }))
          .value(some)
          .with("N", s.n)
          .warps(s.warps);
    }
  }
}

void addScalars(Cases &cases) {
  for (DType type : kAll) {
    cases.add(kFamily, kFile, "scalars", named(type))
        .in(type, 8, anyBits())
        .out(type, 9, exact(), moved([](int64_t i) { return i < 8 ? i : 3; }))
        .value(8)
        .grid(8)
        .warps(1);
    if (type == DType::I1 || isFp8(type))
      continue;
    cases.add(kFamily, kFile, "scalar_masked", named(type))
        .in(type, 5, anyBits())
        .out(type, 9, exact(), each([](const Inputs &in, int64_t i) { return i < 5 ? in(0, i) : 5; }))
        .value(5)
        .grid(9)
        .warps(2);
    cases.add(kFamily, kFile, "scalar_broadcast", named(type))
        .in(type, 1, constant(11))
        .out(type, 256, exact(), each([](const Inputs &, int64_t i) { return i < 128 ? 11 : 3; }))
        .with("N", 128)
        .warps(4);
  }
}

void addIndirect(Cases &cases) {
  for (DType type : kWidths)
    for (Size s : kSizes) {
      std::string variant = named(type) + "," + s.text();
      cases.add(kFamily, kFile, "gather_load", variant)
          .in(type, s.n, anyBits())
          .in(DType::I32, s.n, shuffled(s.n))
          .out(type, s.n, exact(),
               each([](const Inputs &in, int64_t i) { return in(0, static_cast<int64_t>(in(1, i))); }))
          .with("N", s.n)
          .warps(s.warps);
      cases.add(kFamily, kFile, "scatter_store", variant)
          .in(type, s.n, anyBits())
          .in(DType::I64, s.n, shuffled(s.n))
          .out(type, s.n, exact(),
               [](const Inputs &in, int64_t count) {
                 Expected out(static_cast<size_t>(count));
                 for (int64_t i = 0; i < count; ++i)
                   out[static_cast<size_t>(in(1, i))] = in(0, i);
                 return out;
               })
          .with("N", s.n)
          .warps(s.warps);
      cases.add(kFamily, kFile, "wrap_around", variant)
          .in(type, 37, anyBits())
          .out(type, 2 * s.n, exact(), moved([](int64_t i) { return i % 37; }))
          .value(37)
          .with("N", s.n)
          .grid(2)
          .warps(s.warps);
      if (s.n >= 16)
        cases.add(kFamily, kFile, "pass_through_memory", variant)
            .in(type, s.n, anyBits())
            .out(type, s.n, exact(), moved([s](int64_t i) { return s.n - 1 - i; }))
            .with("N", s.n)
            .warps(s.warps);
    }
}

void addBlockPointers(Cases &cases) {
  for (DType type : kWidths)
    for (bool columns : {false, true}) {
      int64_t m = 50, n = 37, xm = columns ? 1 : n, xn = columns ? m : 1;
      cases.add(kFamily, kFile, "block_pointer", named(type) + (columns ? ",columns" : ",rows"))
          .in(type, m * n, anyBits())
          .out(type, m * n, exact(), moved([=](int64_t i) { return i / n * xm + i % n * xn; }))
          .value(m)
          .value(n)
          .value(xm)
          .value(xn)
          .with("M", 32)
          .with("N", 16)
          .grid(2, 3)
          .warps(columns ? 2 : 4);
      cases.add(kFamily, kFile, "block_pointer_zero", named(type) + (columns ? ",columns" : ",rows"))
          .in(type, 10 * 13, anyBits())
          .out(type, 16 * 8, exact(), each([columns](const Inputs &in, int64_t i) {
                 int64_t row = i / 8 + 1, column = i % 8 + 2;
                 return row < 10 && column < 9 ? in(0, columns ? column * 10 + row : row * 13 + column) : 0;
               }))
          .value(10)
          .value(9)
          .value(columns ? 1 : 13)
          .value(columns ? 10 : 1)
          .with("M", 16)
          .with("N", 8)
          .warps(1);
    }
  for (DType type : kFloats)
    cases.add(kFamily, kFile, "block_pointer_nan", named(type))
        .in(type, 50, reals(-1, 1))
        .out(type, 64, exact(), each([](const Inputs &in, int64_t i) { return i < 50 ? in(0, i) : kNan; }))
        .value(50)
        .with("N", 64)
        .warps(2);
  for (int64_t k : {64, 50, 16})
    cases.add(kFamily, kFile, "block_pointer_advance", "k=" + std::to_string(k))
        .in(DType::F32, 8 * k, whole(-9, 9))
        .out(DType::F32, 8 * 16, exactAnyZero(), each([k](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t j = i % 16; j < k; j += 16)
                 total += in(0, i / 16 * k + j);
               return total;
             }))
        .value(k)
        .with("M", 8)
        .with("K", 16)
        .warps(1);
}

void addOthers(Cases &cases) {
  for (DType type : kWidths)
    for (Size s : {Size{128, 4}, Size{1024, 8}}) {
      std::string variant = named(type) + "," + s.text();
      cases.add(kFamily, kFile, "repeated_rows", variant)
          .in(type, s.n / 8, anyBits())
          .out(type, s.n, exact(), moved([s](int64_t i) { return i % (s.n / 8); }))
          .with("M", 8)
          .with("N", s.n / 8)
          .warps(s.warps);
      cases.add(kFamily, kFile, "advancing", variant)
          .in(type, 5 * s.n, anyBits())
          .out(type, 6 * s.n, exact(), moved([s](int64_t i) { return i < 5 * s.n ? std::optional(i) : std::nullopt; }))
          .value(5)
          .with("N", s.n)
          .warps(s.warps);
      cases.add(kFamily, kFile, "hints", variant)
          .in(type, s.n, whole(0, 20))
          .out(type, 2 * s.n, exact(), each([s](const Inputs &in, int64_t i) { return 4 * in(0, i % s.n); }))
          .with("N", s.n)
          .warps(s.warps);
      cases.add(kFamily, kFile, "pointer_arithmetic", variant)
          .in(type, s.n + 21, whole(0, 20))
          .out(type, s.n, exact(), each([](const Inputs &in, int64_t i) { return 2 * in(0, 20 + i); }))
          .value(20)
          .with("N", s.n)
          .warps(s.warps);
      cases.add(kFamily, kFile, "in_place", variant)
          .inOut(type, s.n - 3, whole(0, 20), exact(), each([](const Inputs &in, int64_t i) { return 2 * in(0, i); }))
          .value(s.n - 3)
          .with("BLOCK", 64)
          .grid(cdiv(s.n - 3, 64))
          .warps(2);
      cases.add(kFamily, kFile, "aliased", variant)
          .inOut(type, s.n, whole(0, 20), exact(), each([](const Inputs &in, int64_t i) { return 2 * in(0, i) + 2; }))
          .same(0)
          .with("N", s.n)
          .warps(s.warps);
    }
  for (DType offset : {DType::I8, DType::I16, DType::U8, DType::I32})
    cases.add(kFamily, kFile, "narrow_offsets", named(offset))
        .in(DType::F32, 512, anyBits())
        .in(offset, 6, isUnsigned(offset) ? whole(0, 255) : whole(-64, 100))
        .out(DType::F32, 6 * 32, exact(),
             each([](const Inputs &in, int64_t i) { return in(0, 64 + static_cast<int64_t>(in(1, i / 32)) + i % 32); }))
        .with("N", 32)
        .grid(6)
        .warps(1);
}

/// Launches in which no column is negative, so that accesses of several elements are right, and others: more programs
/// than tiles, or a negative argument.
void addWrapped(Cases &cases) {
  struct Launch {
    std::string name;
    int64_t rows, columns, programs;
  };
  constexpr int64_t block = 256, group = 2; // several elements for each thread of a warp
  for (DType type : {DType::I8, DType::F16, DType::F32})
    for (int64_t n : {128, 72, 100, 37})
      for (const Launch &launch :
           {Launch{"inside", 3, 4, 12}, Launch{"more programs", 3, 4, 24}, Launch{"less than no rows", -3, 4, 12}}) {
        auto source = [=](int64_t i) {
          int64_t program = i / block, first = program / (launch.columns * group) * group;
          int64_t column = program % (launch.columns * group) / std::min(launch.rows - first, group);
          return std::optional(n + (column * block + i % block) % n);
        };
        Case &made =
            cases.add(kFamily, kFile, "wrapped_columns", named(type) + "," + std::to_string(n) + "," + launch.name)
                .in(type, 2 * n, anyBits())
                .out(type, launch.programs * block, exact(), moved(source));
        for (int64_t value : {launch.rows, launch.columns, n})
          made.value(value);
        made.with("BLOCK", block).with("GROUP", group).grid(launch.programs).warps(1);
      }
}

} // namespace memory_family

void addMemory(Cases &cases) {
  using namespace memory_family;
  addCopies(cases);
  addMasks(cases);
  addStrides(cases);
  addFar(cases);
  addScalars(cases);
  addIndirect(cases);
  addBlockPointers(cases);
  addOthers(cases);
  addWrapped(cases);
}

} // namespace tegula::conformance
