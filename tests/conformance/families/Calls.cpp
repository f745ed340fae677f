// Functions, tuples, names, arguments; and how programs of a grid share work.
#include "tests/conformance/families/Families.h"

#include <algorithm>
#include <cmath>

namespace tegula::conformance {

namespace calls_family {

const std::string kFamily = "calls", kFile = "calls.py", kGrid = "grid.py";

Reference elementwise(std::function<Number(Number)> f) {
  return each([f = std::move(f)](const Inputs &in, int64_t i) { return f(in(0, i)); });
}

void addVectors(Cases &cases) {
  for (auto [n, warps] : {std::pair{32, 1}, {256, 4}, {1024, 8}}) {
    std::string variant = "n=" + std::to_string(n) + ",w=" + std::to_string(warps);
    auto add = [&, n = n, warps = warps](const char *kernel, DType type, Reference expected) {
      cases.add(kFamily, kFile, kernel, variant)
          .in(type, n, whole(-9, 9))
          .out(type, n, exactAnyZero(), std::move(expected))
          .with("N", n)
          .warps(warps);
    };
    add("helpers", DType::F32, elementwise([](Number x) {
          Number relu = std::max<Number>(x, 0);
          return (relu + 1) * 2 + 1 + (relu - 1) * (relu - 1);
        }));
    add("variadic", DType::F32, elementwise([](Number x) { return x + 1 + x + x * x; }));
    add("tuples", DType::I32, elementwise([](Number x) { return x * 3 + 2 + 3 + 90; }));
    add("aggregates", DType::F32, elementwise([](Number x) { return x * x + 4 + x; }));
    add("host_functions", DType::F32, elementwise([](Number x) { return x < 0 ? 0 : x / 8; }));
    add("constructors", DType::I32, each([n = n](const Inputs &in, int64_t i) {
          Number total = in(0, i) < 50 ? in(0, i) * 8 : 0;
          for (int64_t k = 0; k < n; ++k)
            total += in(0, k) < 50 - k / (n / 4) ? in(0, k) : 0;
          return total;
        }));
    add("map_packed", DType::I32, each([](const Inputs &in, int64_t i) { return in(0, i ^ 1); }));
    add("methods", DType::I32, each([n = n](const Inputs &in, int64_t i) {
          Number sum = 0, top = -100;
          for (Number x : in.all(0)) {
            sum += x;
            top = std::max(top, x);
          }
          return std::abs(in(0, i % (n / 4) * 4 + i / (n / 4))) + sum + top + 2 * n;
        }));
    cases.add(kFamily, kFile, "liberties", variant)
        .in(DType::F32, n, whole(-9, 9))
        .out(DType::F32, n, exactAnyZero(),
             each([n = n](const Inputs &in, int64_t i) { return 2 * in(0, i) + 9 + 5 + n / 2; }))
        .value(5)
        .with("N", n)
        .with("TYPE", DType::F32)
        .warps(warps);
    cases.add(kFamily, kFile, "map_elementwise", variant)
        .in(DType::F32, n, whole(-9, 9))
        .in(DType::F32, n, whole(-9, 9))
        .out(DType::F32, n, exactAnyZero(), each([](const Inputs &in, int64_t i) {
               Number x = in(0, i), y = in(1, i);
               return x > y ? x - y : (x + y) * 2;
             }))
        .with("N", n)
        .warps(warps);
    cases.add(kFamily, kFile, "map_to_two", variant)
        .in(DType::I32, n, whole(-9, 9))
        .out(DType::I32, n, exact(), elementwise([](Number x) { return x + 1; }))
        .out(DType::F32, n, exactAnyZero(), elementwise([](Number x) { return x * 2; }))
        .with("N", n)
        .warps(warps);
    cases.add(kFamily, kFile, "hints", variant)
        .in(DType::F32, n, whole(-9, 9))
        .out(DType::F32, n, exactAnyZero(),
             each([n = n](const Inputs &in, int64_t i) { return (i < n / 4 * 3 ? in(0, i) : 0) + i / 4; }))
        .value(n / 4 * 3)
        .with("N", n)
        .warps(warps);
    cases.add(kFamily, kFile, "hints_2d", variant)
        .in(DType::F32, n, anyBits())
        .out(DType::F32, n, exact(), elementwise([](Number x) { return x; }))
        .with("M", 4)
        .with("N", n / 4)
        .warps(warps);
    cases.add(kFamily, kFile, "expect_zero", variant)
        .in(DType::F32, n, byIndex([n = n](int64_t i) { return i < n / 2 ? 0 : i; }))
        .out(DType::F32, n, exact(), elementwise([](Number x) { return x + 1; }))
        .with("N", n)
        .warps(warps);
    int64_t bins = 16, counted = n * 2 / 3;
    cases.add(kFamily, kFile, "more_methods", variant)
        .in(DType::F32, n, listed({1, -1, 4, 1, 0.25L, -1, 1})) // the product of all seven is 1
        .in(DType::I32, n, whole(0, bins - 1))
        .out(DType::F32, n, ofFunction("sqrt", DType::F32),
             elementwise([](Number x) { return std::sqrt(std::abs(x)); }))
        .out(DType::F32, n, exact(), each([n = n](const Inputs &in, int64_t i) {
               Number product = 1;
               for (; i < n; ++i)
                 product *= in(0, i);
               return product;
             }))
        .out(DType::F32, 4 * n, exact(), each([n = n](const Inputs &in, int64_t i) { return in(0, i % n); }))
        .out(DType::I32, bins, exact(), each([counted](const Inputs &in, int64_t bin) {
               return std::count(in.all(1).begin(), in.all(1).begin() + counted, Number(bin));
             }))
        .value(counted)
        .with("N", n)
        .with("BINS", bins)
        .warps(warps);
    for (bool bias : {false, true})
      cases.add(kFamily, kFile, "optional_pointer", variant + (bias ? ",bias" : ""))
          .in(DType::F32, n, whole(-9, 9))
          .in(DType::F32, n, whole(-9, 9))
          .out(DType::F32, n, exactAnyZero(),
               each([bias](const Inputs &in, int64_t i) { return in(0, i) + (bias ? in(1, i) : 0); }))
          .with("N", n)
          .with("HAS_BIAS", bias)
          .warps(warps);
    cases.add(kFamily, kFile, "unannotated_block", variant)
        .in(DType::F16, n, anyBits())
        .out(DType::F16, n, exact(), elementwise([](Number x) { return x; }))
        .with("BLOCK", n)
        .warps(warps);
  }
  for (auto [from, to] :
       {std::pair{DType::F32, DType::F16}, {DType::I32, DType::I64}, {DType::F16, DType::F32}, {DType::I8, DType::F32}})
    cases.add(kFamily, kFile, "type_of_parameter", named(from) + "->" + named(to))
        .in(from, 128, whole(-20, 20))
        .out(to, 128, exactAnyZero(), elementwise([from = from](Number x) { return isFloat(from) ? x * 2 : x + 1; }))
        .with("N", 128)
        .with("TYPE", to)
        .warps(4);
}

void addNames(Cases &cases) {
  cases.add(kFamily, kFile, "definitions", "i32")
      .in(DType::I32, 64, whole(-9, 9))
      .out(DType::I32, 64, exact(), elementwise([](Number x) { return (x + 1) * 2 + 400 + 80 + 5; }))
      .with("N", 64)
      .warps(1);
  cases.add(kFamily, kFile, "quoted_annotations", "u8")
      .in(DType::U8, 64, whole(0, 255))
      .value(200)
      .out(DType::I32, 64, exact(), elementwise([](Number x) { return 44 + std::fmod(x + 100, 256); }))
      .with("N", 64)
      .with("ADD", 100)
      .warps(1);
}

void addSingle(Cases &cases) {
  cases.add(kFamily, kFile, "run_time_return", "8")
      .out(DType::I32, 8, exact(), each([](const Inputs &, int64_t i) { return i > 3 ? 2 * i : i - 1; }))
      .grid(8)
      .warps(1);
  cases.add(kFamily, kFile, "globals_are_constants", "f32")
      .in(DType::F32, 32, whole(-9, 9))
      .out(DType::F32, 32, exact(), elementwise([](Number x) { return std::max<Number>(x, 0) * 3 + 0.5L; }))
      .warps(1);
  cases.add(kFamily, kFile, "python_functions", "i32")
      .out(DType::I32, 1, exact(),
           each([](const Inputs &, int64_t) { return (4 + 7 + 6 + 3) + (3 + 5 + 3 + 64) + (4 + 3 + 1); }))
      .warps(1);
  cases
      .add(kFamily, kFile, "to_tensor", "f32") // an i32 and an f32
      .out(DType::F32, 1, exact(), each([](const Inputs &, int64_t) { return 32 + 32 + 1 + 0.5L; }))
      .warps(1);
  for (auto [i, f, b, big] : {std::tuple{3, 0.25, true, int64_t(7) << 32},
                              {-1, 1.5, false, int64_t(1) << 40},
                              {16, -2.0, true, (int64_t(-3) << 32) + 5}})
    cases.add(kFamily, kFile, "scalar_arguments", "i=" + std::to_string(i))
        .out(DType::F32, 3, exact(),
             [i = i, f = f, b = b, big = big](const Inputs &, int64_t) -> Expected {
               return {Number(i + f), Number(b ? 1 : 2), Number(big >> 32)};
             })
        .value(i)
        .real(f)
        .flag(b)
        .value(big)
        .warps(1);
  for (int64_t n : {32, 512})
    cases.add(kFamily, kFile, "item", "n=" + std::to_string(n))
        .in(DType::F32, n, whole(1, 5))
        .out(DType::F32, 1, exact(), each([](const Inputs &in, int64_t) {
               Number sum = 0;
               for (Number x : in.all(0))
                 sum += x;
               return sum;
             }))
        .with("N", n)
        .warps(4);
}

} // namespace calls_family

void addCalls(Cases &cases) {
  using namespace calls_family;
  for (bool isTuned : {false, true}) { // a function that a call decorates
    Case &made =
        cases.add(kFamily, kFile, isTuned ? "tuned_by_call" : "jit_by_call", "f32")
            .in(DType::F32, 64, whole(-9, 9))
            .out(DType::F32, 64, exactAnyZero(), each([](const Inputs &in, int64_t i) { return 3 * in(0, i); }));
    isTuned ? made.warps(0) : made.with("N", 64).warps(1);
  }
  addVectors(cases);
  addNames(cases);
  addSingle(cases);
}

void addGrids(Cases &cases) {
  using namespace calls_family;
  for (auto [x, y, z] : {std::tuple{1, 1, 1}, {7, 1, 1}, {1, 5, 1}, {1, 1, 3}, {4, 3, 2}, {100, 3, 1}, {2, 50, 3}}) {
    std::string variant = std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
    cases.add("grid", kGrid, "ids", variant)
        .out(DType::I32, x * y * z, exact(), each([x = x, y = y](const Inputs &, int64_t i) {
               return i % x + i / x % y * 1000 + i / (x * y) * 1000000;
             }))
        .grid(x, y, z)
        .warps(x > 4 ? 4 : 1);
    cases.add("grid", kGrid, "counts", variant)
        .out(DType::I32, 3, exact(), [x = x, y = y, z = z](const Inputs &, int64_t) -> Expected { return {x, y, z}; })
        .grid(x, y, z)
        .warps(1);
  }
  for (auto [rows, columns, group] : {std::tuple{6, 4, 3}, {5, 7, 2}, {4, 4, 4}, {7, 3, 3}}) {
    std::string variant = std::to_string(rows) + "x" + std::to_string(columns) + ",group=" + std::to_string(group);
    // Row-major order becomes columns first within bands of `group` rows.
    cases.add("grid", kGrid, "swizzle2d", variant)
        .out(DType::I32, rows * columns, exact(),
             each([rows = rows, columns = columns, group = group](const Inputs &, int64_t i) {
               int64_t band = i / (group * columns), height = std::min<int64_t>(rows - band * group, group),
                       within = i - band * group * columns;
               return (band * group + within % height) * columns + within / height;
             }))
        .value(rows)
        .value(columns)
        .value(group)
        .grid(rows, columns)
        .warps(1);
    cases.add("grid", kGrid, "grouped", variant)
        .out(DType::I32, rows * columns, exact(),
             [rows = rows, columns = columns, group = group](const Inputs &, int64_t count) {
               Expected out(static_cast<size_t>(count));
               for (int64_t i = 0; i < count; ++i) {
                 int64_t band = i / (group * columns), height = std::min<int64_t>(rows - band * group, group),
                         within = i % (group * columns);
                 out[static_cast<size_t>((band * group + within % height) * columns + within / height)] = i;
               }
               return out;
             })
        .value(rows)
        .value(columns)
        .with("GROUP", group)
        .grid(rows * columns)
        .warps(1);
  }
  for (auto [m, n, block] : {std::tuple{64, 64, 16}, {33, 70, 32}, {1, 200, 16}})
    for (DType type : {DType::I8, DType::F32})
      cases.add("grid", kGrid, "transposed_grid", named(type) + "," + std::to_string(m) + "x" + std::to_string(n))
          .in(type, m * n, anyBits())
          .out(type, m * n, exact(),
               each([m = m, n = n](const Inputs &in, int64_t i) { return in(0, i % m * n + i / m); }))
          .value(m)
          .value(n)
          .with("BLOCK", block)
          .grid(cdiv(m, block), cdiv(n, block))
          .warps(4);
  // Beyond the 65,535 groups of an axis that some devices have.
  for (int64_t programs : {1000, 70000})
    cases.add("grid", kGrid, "many", std::to_string(programs))
        .out(DType::I32, programs, exact(), each([](const Inputs &, int64_t i) { return 3 * i; }))
        .value(programs)
        .grid(programs)
        .warps(1);
}

} // namespace tegula::conformance
