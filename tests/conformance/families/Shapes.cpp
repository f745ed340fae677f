// Changes of shape: each output element is an input element, at an index written down here.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace shapes_family {

const std::string kFamily = "shapes", kFile = "shapes.py";
constexpr DType kWidths[] = {DType::I8, DType::F16, DType::F32, DType::I64};

Reference moved(std::function<int64_t(int64_t)> index, Number plus = 0) {
  return each([index = std::move(index), plus](const Inputs &in, int64_t i) {
    Number element = in(0, index(i));
    return plus == 0 ? element : element + plus; // -0 + 0 is 0
  });
}

struct Tile {
  int64_t m, n;
  int warps;
};
constexpr Tile kTiles[] = {{32, 32, 4}, {1, 64, 1}, {64, 1, 2}, {8, 128, 8}, {128, 4, 4}, {2, 2, 1}};

void addTiles(Cases &cases) {
  size_t turn = 0;
  for (const Tile &t : kTiles) {
    auto [m, n, warps] = t;
    int64_t count = m * n;
    DType type = kWidths[turn++ % 4];
    std::string variant = named(type) + "," + by(m, n) + ",w=" + std::to_string(warps);
    auto add = [&](const char *kernel) -> Case & {
      return cases.add(kFamily, kFile, kernel, variant).with("M", m).with("N", n).warps(warps);
    };
    add("expand_rows").in(type, m, anyBits()).out(type, count, exact(), moved([n = n](int64_t i) { return i / n; }));
    add("expand_columns").in(type, n, anyBits()).out(type, count, exact(), moved([n = n](int64_t i) { return i % n; }));
    add("broadcast_pair")
        .in(type, m, anyBits())
        .in(type, n, anyBits())
        .out(type, count, exact(), moved([n = n](int64_t i) { return i / n; }))
        .out(type, count, exact(), each([n = n](const Inputs &in, int64_t i) { return in(1, i % n); }));
    add("outer_sum")
        .in(type, m, whole(0, 9))
        .in(type, n, whole(0, 9))
        .out(type, count, exact(),
             each([n = n](const Inputs &in, int64_t i) { return in(0, i / n) * 3 + in(1, i % n); }));
    add("where_rows")
        .in(type, n, anyBits())
        .out(type, count, exact(),
             each([m = m, n = n](const Inputs &in, int64_t i) { return i / n < (m + 1) / 2 ? in(0, i % n) : 0; }))
        .value((m + 1) / 2);
    add("ravel").in(type, count, anyBits()).out(type, count, exact(), moved([](int64_t i) { return i; }));
    add("view_any_order").in(type, count, iota()).out(type, count, multiset(), moved([](int64_t i) { return i; }));
    add("transpose_orders")
        .in(type, count, whole(0, 60))
        .out(type, count, exact(), each([](const Inputs &in, int64_t i) { return 2 * in(0, i); }));
    add("full").out(type, count, exact(), each([](const Inputs &, int64_t) { return 42; }));
    add("full_of_loaded")
        .in(DType::F32, 1, constant(-6.75L))
        .out(type, count, exact(), each([type](const Inputs &, int64_t) { return isFloat(type) ? -6.75L : -6; }));
    add("zeros").out(type, count, exact(), each([](const Inputs &, int64_t) { return 0; }));
    add("zeros_like").in(type, count, anyBits()).out(type, count, exact(), each([](const Inputs &, int64_t) {
                                                       return 0;
                                                     }));
    add("cat")
        .in(type, count, anyBits())
        .in(type, count, anyBits())
        .out(type, 2 * count, exact(),
             each([count](const Inputs &in, int64_t i) { return in(i < count ? 0 : 1, i % count); }));
    add("subscripts").in(type, count, whole(0, 20)).out(type, count, exact(), each([](const Inputs &in, int64_t i) {
                                                          return 2 * in(0, i);
                                                        }));
    add("join_2d")
        .in(type, count, anyBits())
        .in(type, count, anyBits())
        .out(type, 2 * count, exact(),
             each([](const Inputs &in, int64_t i) { return in(static_cast<size_t>(i % 2), i / 2); }));
    add("split_3d")
        .in(type, 2 * count, anyBits())
        .out(type, count, exact(), moved([](int64_t i) { return 2 * i; }))
        .out(type, count, exact(), moved([](int64_t i) { return 2 * i + 1; }));
    for (DType each : kWidths) {
      std::string text = named(each) + "," + by(m, n) + ",w=" + std::to_string(warps);
      for (bool twice : {false, true}) {
        if (twice && turn % 2)
          continue;
        cases.add(kFamily, kFile, twice ? "transpose_twice" : "transpose", text)
            .in(each, count, whole(0, 90))
            .out(each, count, exact(),
                 moved([m = m, n = n, twice](int64_t i) { return twice ? i : i % m * n + i / m; }, twice))
            .with("M", m)
            .with("N", n)
            .warps(warps);
      }
    }
  }
}

void addReshapes(Cases &cases) {
  struct Pair {
    int64_t m, n, p, q;
    int warps;
  };
  size_t turn = 0;
  for (const Pair &s : {Pair{32, 32, 16, 64, 4}, Pair{64, 8, 8, 64, 4}, Pair{1, 256, 256, 1, 2}, Pair{128, 2, 4, 64, 1},
                        Pair{16, 16, 2, 128, 8}, Pair{4, 4, 16, 1, 1}})
    for (DType type : {kWidths[turn % 4], kWidths[(turn + 2) % 4]}) {
      ++turn;
      std::string variant = named(type) + "," + by(s.m, s.n) + "->" + by(s.p, s.q);
      int64_t count = s.m * s.n;
      auto add = [&](const char *kernel, Reference expected) {
        cases.add(kFamily, kFile, kernel, variant)
            .in(type, count, whole(0, 100))
            .out(type, count, exact(), std::move(expected))
            .with("M", s.m)
            .with("N", s.n)
            .with("P", s.p)
            .with("Q", s.q)
            .warps(s.warps);
      };
      add("reshape_2d", moved([](int64_t i) { return i; }, 1));
      add("reshape_columns", moved([s](int64_t i) { return i / s.n + i % s.n * s.m; }));
    }
}

void addThreeAxes(Cases &cases) {
  struct Box {
    int64_t a, b, c;
    int warps;
  };
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  size_t turn = 0;
  for (const Box &box : {Box{4, 8, 16, 4}, Box{2, 32, 4, 2}, Box{16, 1, 8, 1}}) {
    int64_t extents[3] = {box.a, box.b, box.c}, strides[3] = {box.b * box.c, box.c, 1}, count = box.a * box.b * box.c;
    std::string text = std::to_string(box.a) + "x" + by(box.b, box.c);
    for (const int *o : orders) {
      DType type = kWidths[turn++ % 4];
      int64_t n1 = extents[o[1]], n2 = extents[o[2]], s0 = strides[o[0]], s1 = strides[o[1]], s2 = strides[o[2]];
      cases
          .add(kFamily, kFile, "permute_3d",
               named(type) + "," + text + "," + std::to_string(o[0]) + std::to_string(o[1]) + std::to_string(o[2]))
          .in(type, count, anyBits())
          .out(type, count, exact(),
               moved([=](int64_t i) { return i / (n1 * n2) * s0 + i / n2 % n1 * s1 + i % n2 * s2; }))
          .with("A", box.a)
          .with("B", box.b)
          .with("C", box.c)
          .with("I", o[0])
          .with("J", o[1])
          .with("K", o[2])
          .warps(box.warps);
    }
    DType type = kWidths[turn % 4];
    auto add = [&](const char *kernel, int64_t inputs, Reference expected) {
      cases.add(kFamily, kFile, kernel, named(type) + "," + text)
          .in(type, inputs, anyBits())
          .out(type, count, exact(), std::move(expected))
          .with("A", box.a)
          .with("B", box.b)
          .with("C", box.c)
          .warps(box.warps);
    };
    add("expand_middle", box.a * box.c, moved([box](int64_t i) { return i / (box.b * box.c) * box.c + i % box.c; }));
    add("fold", count, moved([](int64_t i) { return i; }));
  }
  for (auto [a, b, c, d] : {std::tuple{2, 4, 8, 4}, {4, 2, 2, 16}, {1, 8, 16, 2}})
    for (DType type : {DType::F16, DType::I32}) {
      int64_t A = a, B = b, C = c, D = d;
      cases.add(kFamily, kFile, "permute_4d", named(type) + "," + by(a, b) + "x" + by(c, d))
          .in(type, A * B * C * D, anyBits())
          .out(type, A * B * C * D, exact(), moved([=](int64_t i) { // (c, a, d, b)
                 int64_t ib = i % B, id = i / B % D, ia = i / (B * D) % A, ic = i / (B * D * A);
                 return ((ia * B + ib) * C + ic) * D + id;
               }))
          .with("A", A)
          .with("B", B)
          .with("C", C)
          .with("D", D)
          .warps(2);
    }
}

void addVectors(Cases &cases) {
  for (auto [n, warps] : {std::pair{64, 1}, {512, 4}, {2, 2}, {1024, 8}})
    for (DType type : {DType::I8, DType::F16, DType::F32, DType::I64}) {
      std::string variant = named(type) + ",n=" + std::to_string(n);
      auto add = [&, n = n, warps = warps](const char *kernel) -> Case & {
        return cases.add(kFamily, kFile, kernel, variant).with("N", n).warps(warps);
      };
      Reference mixed = each([](const Inputs &in, int64_t i) { return in(static_cast<size_t>(i % 2), i / 2); });
      add("join").in(type, n, anyBits()).in(type, n, anyBits()).out(type, 2 * n, exact(), mixed);
      add("interleave").in(type, n, anyBits()).in(type, n, anyBits()).out(type, 2 * n, exact(), mixed);
      add("split")
          .in(type, 2 * n, anyBits())
          .out(type, n, exact(), moved([](int64_t i) { return 2 * i; }))
          .out(type, n, exact(), moved([](int64_t i) { return 2 * i + 1; }));
      add("swap_halves").in(type, 2 * n, anyBits()).out(type, 2 * n, exact(), moved([n = n](int64_t i) {
                                                          return (i + n) % (2 * n);
                                                        }));
      add("cat_any_order")
          .in(type, n, whole(0, 50))
          .in(type, n, whole(51, 100))
          .out(type, 2 * n, multiset(),
               each([n = n](const Inputs &in, int64_t i) { return in(i < n ? 0 : 1, i % n); }));
      Reference behind = each([n = n](const Inputs &in, int64_t i) { return in(i < n ? 0 : 1, i % n); });
      add("join_pointers").in(type, n, anyBits()).in(type, n, anyBits()).out(type, 2 * n, exact(), mixed);
      add("split_pointers")
          .in(type, 2 * n, anyBits())
          .out(type, n, exact(), moved([](int64_t i) { return 2 * i; }))
          .out(type, n, exact(), moved([](int64_t i) { return 2 * i + 1; }));
      add("cat_pointers").in(type, n, anyBits()).in(type, n, anyBits()).out(type, 2 * n, exact(), behind);
      add("gather_pointers").in(type, n, anyBits()).out(type, n, exact(), moved([n = n](int64_t i) {
                                                          return n - 1 - i;
                                                        }));
      add("pointer_of_two").in(type, n, anyBits()).in(type, n, anyBits()).out(type, 2 * n, exact(), behind);
      add("expand_both_ends").in(type, n, whole(0, 60)).out(type, n, exact(), each([](const Inputs &in, int64_t i) {
                                                              return 2 * in(0, i);
                                                            }));
      add("squeeze").in(type, n, whole(0, 90)).out(type, n, exact(), moved([](int64_t i) { return i; }, 1));
    }
  for (auto [start, end] : {std::pair{0, 1}, {0, 16}, {5, 69}, {0, 4096}, {1000, 2024}})
    cases.add(kFamily, kFile, "arange_from", std::to_string(start) + ".." + std::to_string(end))
        .out(DType::I32, end - start, exact(), each([start = start](const Inputs &, int64_t i) { return start + i; }))
        .with("START", start)
        .with("END", end)
        .warps(2);
  for (DType type : kWidths) {
    cases.add(kFamily, kFile, "scalar_pair", named(type))
        .in(type, 2, listed({9, 4}))
        .out(type, 2, exact(), moved([](int64_t i) { return i; }))
        .out(type, 1, exact(), each([](const Inputs &in, int64_t) { return in(0, 0) - in(0, 1); }))
        .warps(1);
    cases.add(kFamily, kFile, "to_scalar", named(type))
        .in(type, 5, whole(0, 90))
        .out(type, 5, exact(), moved([](int64_t i) { return i; }, 1))
        .grid(5)
        .warps(1);
  }
}

} // namespace shapes_family

void addShapes(Cases &cases) {
  using namespace shapes_family;
  addTiles(cases);
  addReshapes(cases);
  addThreeAxes(cases);
  addVectors(cases);
}

} // namespace tegula::conformance
