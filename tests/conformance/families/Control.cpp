// Control flow: what each kernel does, written down again in C++.
#include "tests/conformance/families/Families.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tegula::conformance {

namespace control_family {

const std::string kFamily = "control", kFile = "control.py";

struct Size {
  int64_t n;
  int warps;
};
constexpr Size kSizes[] = {{32, 1}, {128, 4}, {512, 8}};

std::string text(Size s) { return "n=" + std::to_string(s.n) + ",w=" + std::to_string(s.warps); }
/// One number from no memory.
Reference number(Number value) {
  return each([value](const Inputs &, int64_t) { return value; });
}

void addBranches(Cases &cases) {
  for (DType type : {DType::I32, DType::F32, DType::F16})
    for (Size s : kSizes) {
      int64_t n = s.n, programs = 8;
      auto add = [&](const char *kernel, std::function<Number(Number, int64_t)> f, std::optional<int64_t> scalar = {}) {
        Case &made = cases.add(kFamily, kFile, kernel, named(type) + "," + text(s))
                         .in(type, n * programs, whole(-90, 90))
                         .out(type, n * programs, exactAnyZero(),
                              each([f, n](const Inputs &in, int64_t i) { return f(in(0, i), i / n); }));
        if (scalar)
          made.value(*scalar);
        made.with("N", n).grid(programs).warps(s.warps);
      };
      add("if_scalar", [](Number x, int64_t pid) { return pid == 0 ? x + 1 : pid == 1 ? x * 2 : -x; });
      add("if_without_else", [](Number x, int64_t pid) { return pid < 3 ? x + 100 : x; }, 3);
      add("if_nested", [](Number x, int64_t pid) {
        return pid % 2 ? x - pid : pid % 4 == 0 ? x + 1 : pid > 4 ? x * 3 : x;
      });
      cases.add(kFamily, kFile, "if_on_reduction", named(type) + "," + text(s))
          .in(type, n * programs, byIndex([n](int64_t i) { return i / n % 2 ? 100 - i % 7 : i % 50; }))
          .out(type, n * programs, exactAnyZero(), each([n](const Inputs &in, int64_t i) {
                 int64_t first = i / n * n;
                 auto [low, high] = std::minmax_element(in.all(0).begin() + first, in.all(0).begin() + first + n);
                 return *high > 50 ? in(0, i) - *low : in(0, i);
               }))
          .with("N", n)
          .grid(programs)
          .warps(s.warps);
      cases.add(kFamily, kFile, "if_on_loaded", named(type) + "," + text(s))
          .in(type, n * programs, whole(-90, 90))
          .in(DType::I32, programs, listed({1, 0, 0, 1, 1}))
          .out(type, n * programs, exactAnyZero(), each([n](const Inputs &in, int64_t i) {
                 return in(1, i / n) > 0 ? std::optional(in(0, i) + 1) : std::nullopt;
               }))
          .with("N", n)
          .grid(programs)
          .warps(s.warps);
      for (bool flag : {false, true})
        cases.add(kFamily, kFile, "if_constexpr", named(type) + "," + text(s) + (flag ? ",flag" : ""))
            .in(type, n, whole(-90, 90))
            .out(type, n, exactAnyZero(),
                 each([flag](const Inputs &in, int64_t i) { return flag ? 2 * in(0, i) : -in(0, i); }))
            .with("N", n)
            .with("FLAG", flag)
            .with("NOTHING", nullptr)
            .warps(s.warps);
    }
  for (int64_t n : {-1, 0, 4, 5, 7, 11}) {
    int score = (0 < n && n < 10 && n != 5) + 10 * (n < 0 || n > 3) + 100 * (n != 7) + (n > 5 ? 1000 : 2000);
    cases.add(kFamily, kFile, "conditions", "n=" + std::to_string(n))
        .out(DType::I32, 1, exact(), number(score))
        .value(n)
        .warps(1);
  }
}

/// 8-bit floats in branches, and a sum that a loop rounds in each iteration.
void addFp8(Cases &cases) {
  constexpr Size kSize = {128, 4};
  constexpr int64_t kPrograms = 8;
  for (DType type : kFp8) {
    std::string variant = named(type) + "," + text(kSize);
    auto branch = [&](const char *kernel, std::function<Number(Number, int64_t)> f) -> Case & {
      return cases.add(kFamily, kFile, kernel, variant)
          .in(type, kSize.n * kPrograms, whole(-90, 90))
          .out(type, kSize.n * kPrograms, exactAnyZero(),
               each([f](const Inputs &in, int64_t i) { return f(in(0, i), i / kSize.n); }));
    };
    branch("if_scalar", [](Number x, int64_t pid) { return pid == 0   ? x + 1
                                                           : pid == 1 ? x * 2
                                                                      : -x; })
        .with("N", kSize.n)
        .grid(kPrograms)
        .warps(kSize.warps);
    branch("if_without_else", [type](Number x, int64_t pid) { return pid < 3 ? x + rounded(type, 100) : x; })
        .value(3)
        .with("N", kSize.n)
        .grid(kPrograms)
        .warps(kSize.warps);
  }
  for (int64_t n : {3, 7})
    cases.add(kFamily, kFile, "if_of_scalars", "n=" + std::to_string(n))
        .out(DType::F32, 192, exact(), each([n](const Inputs &, int64_t i) -> std::optional<Number> {
               if (i < 128)
                 return (n > 5) == (i < 64) ? std::optional<Number>(-3) : std::nullopt;
               return n > 5 ? 3 : -1.5;
             }))
        .real(-1.5)
        .real(2)
        .value(n)
        .warps(2);
  for (int64_t warps : {1, 4, 8})
    cases.add(kFamily, kFile, "around_exchanges", "w=" + std::to_string(warps))
        .in(DType::F32, 3 * 256, whole(-3, 3))
        .in(DType::I32, 256, whole(0, 1))
        .out(DType::F32, 256, exactAnyZero(), each([](const Inputs &in, int64_t i) -> std::optional<Number> {
               if (in(1, i) == 0)
                 return std::nullopt;
               auto at = [&](int64_t part, int64_t j) { return in(1, j) != 0 ? in(0, part * 256 + j) : part + 1; };
               Number sum = 0;
               for (int64_t j = 0; j < 256; ++j)
                 sum += at(0, j) + (j <= i ? at(1, j) : 0);
               for (int64_t k = 0; k < 16; ++k)
                 sum += at(2, i / 16 * 16 + k) * at(2, i % 16 * 16 + k);
               return sum;
             }))
        .warps(warps);
  for (DType type : kAllFloats)
    for (int64_t steps : {0, 1, 9})
      cases.add(kFamily, kFile, "for_sum", named(type) + ",steps=" + std::to_string(steps))
          .in(type, std::max<int64_t>(steps, 1) * kSize.n, whole(-9, 20))
          .out(type, kSize.n, exactAnyZero(), each([type, steps](const Inputs &in, int64_t i) {
                 Number total = 1;
                 for (int64_t k = 0; k < steps; ++k)
                   total = rounded(type, total + in(0, k * kSize.n + i));
                 return total;
               }))
          .value(steps)
          .with("N", kSize.n)
          .warps(kSize.warps);
}

void addScalarLoops(Cases &cases) {
  auto scalars = [&](const char *kernel, std::initializer_list<int64_t> values, Number expected) -> Case & {
    std::string variant;
    for (int64_t value : values)
      variant += (variant.empty() ? "" : ",") + std::to_string(value);
    Case &made = cases.add(kFamily, kFile, kernel, variant).out(DType::I32, 1, exact(), number(expected)).warps(2);
    for (int64_t value : values)
      made.value(value);
    return made;
  };
  for (int64_t n : {0, 1, 7, 100})
    scalars("for_range", {n}, static_cast<Number>(n * (n - 1) / 2 * 101));
  for (int64_t n : {-2, 0, 1, 6, 9, 12}) {
    int64_t total = 0;
    for (int64_t i = n; i > 0; --i)
      total = total * 2 + i;
    for (int64_t i = 10; i > n; i -= 3)
      total += i * 1000;
    scalars("for_down", {n}, static_cast<Number>(total));
  }
  // The last ones end where the index and the step exceed 32 bits; totals wrap.
  constexpr int kMost = std::numeric_limits<int>::max();
  for (auto [start, stop, step] : {std::tuple{0, 10, 3},
                                   {2, 20, 5},
                                   {5, 5, 1},
                                   {9, 3, 2},
                                   {-7, 8, 4},
                                   {kMost - 3, kMost, 2},
                                   {kMost - 100, kMost - 1, 64}}) {
    uint32_t total = 0;
    for (int64_t i = start; i < stop; i += step)
      total = total * 3 + static_cast<uint32_t>(i);
    cases
        .add(kFamily, kFile, "for_step",
             std::to_string(start) + ".." + std::to_string(stop) + " by " + std::to_string(step))
        .out(DType::I32, 1, exact(), number(static_cast<Number>(static_cast<int32_t>(total))))
        .value(start)
        .value(stop)
        .with("STEP", step)
        .warps(1);
    int64_t rounds = stop > start ? cdiv(int64_t(stop) - start, int64_t(step)) : 0;
    scalars("for_run_time_step", {start, stop, step}, static_cast<Number>(rounds));
    if (stop > 100)
      continue; // the next kernel counts to each index
    total = static_cast<uint32_t>(std::max(stop, 0));
    for (int i = start; i < stop; i += step)
      for (int j = 0; j < i; ++j)
        total += static_cast<uint32_t>(j);
    for (int i = 0; i < stop; i += 2)
      total += static_cast<uint32_t>(i) * 100;
    scalars("for_hints", {start, stop, step}, static_cast<Number>(total));
  }
  for (auto [n, m] : {std::pair{4, 6}, {0, 3}, {9, 2}}) {
    int64_t total = 0;
    for (int i = 0; i < n; ++i)
      for (int j = i; j < m; ++j)
        total += (i + j) % 3 != 1 ? i * 10 + j : 0;
    scalars("for_nested", {n, m}, static_cast<Number>(total));
  }
  scalars("static_range_constants", {}, 2 + 4 + 8);
  for (int64_t n : {-3, 0, 1, 20})
    scalars("while_condition", {n}, static_cast<Number>(n > 0 ? n * (n - 1) / 2 : 0));
  // 2^40 >> 38 and twice 1.5, or the one and nothing; 8 + 7 + ... + 1; the scalar less 9, halved towards minus
  // infinity.
  scalars("merged_constants", {1}, (4 + 3) + 36 * 1000 + (-8 / 2));
  scalars("merged_constants", {0}, (0 + 0) + 36 * 1000 - 9);
}

void addTensorLoops(Cases &cases) {
  for (Size s : kSizes) {
    int64_t n = s.n;
    for (int64_t steps : {0, 1, 4, 5}) {
      std::string variant = text(s) + ",steps=" + std::to_string(steps);
      int64_t rows = std::max<int64_t>(steps, 1);
      cases.add(kFamily, kFile, "for_tensors", variant)
          .in(DType::I32, rows * n, whole(-90, 90))
          .out(DType::I32, 2 * n, exact(), each([n, steps](const Inputs &in, int64_t i) {
                 Number total = 0, largest = -1000;
                 for (int64_t k = 0; k < steps; ++k) {
                   total += in(0, k * n + i % n) * (k + 1);
                   largest = std::max(largest, in(0, k * n + i % n));
                 }
                 return i < n ? total : largest;
               }))
          .value(steps)
          .with("N", n)
          .warps(s.warps);
      cases.add(kFamily, kFile, "for_pointers", variant)
          .in(DType::I32, rows * (n + 3), whole(-90, 90))
          .out(DType::I32, n, exact(), each([n, steps](const Inputs &in, int64_t i) {
                 Number total = 0;
                 for (int64_t k = 0; k < steps; ++k)
                   total += in(0, k * (n + 3) + i);
                 return total;
               }))
          .value(steps)
          .value(n + 3)
          .with("N", n)
          .warps(s.warps);
      cases.add(kFamily, kFile, "for_rotating", variant)
          .in(DType::I32, n, whole(0, 20))
          .out(DType::I32, n, exact(), each([steps](const Inputs &in, int64_t i) {
                 Number a = in(0, i), b = a + 1, c = a * 2;
                 for (int64_t k = 0; k < steps; ++k) {
                   Number next = a + k;
                   a = b, b = c, c = next;
                 }
                 return a * 10000 + b * 100 + c;
               }))
          .value(steps)
          .with("N", n)
          .warps(s.warps);
      cases.add(kFamily, kFile, "loop_in_branch", variant)
          .in(DType::F32, n, whole(-9, 9))
          .out(DType::F32, n, exactAnyZero(), each([steps](const Inputs &in, int64_t i) {
                 Number total = 0;
                 for (int64_t k = 1; k < steps && steps > 2; k += 2)
                   total += in(0, i) * k;
                 return total;
               }))
          .value(steps)
          .with("N", n)
          .warps(s.warps);
    }
    cases.add(kFamily, kFile, "static_range", text(s))
        .in(DType::I32, n, whole(-9, 9))
        .out(DType::I32, n, exact(), each([](const Inputs &in, int64_t i) { return ((in(0, i)) * 4 + 2) * 16 + 4; }))
        .with("N", n)
        .warps(s.warps);
    cases.add(kFamily, kFile, "while_any", text(s))
        .in(DType::I32, n, byIndex([](int64_t i) { return i % 40; }))
        .out(DType::I32, n, exact(), each([](const Inputs &in, int64_t i) {
               int64_t x = static_cast<int64_t>(in(0, i)), steps = 0;
               for (; x > 1; ++steps)
                 x = x % 2 ? 3 * x + 1 : x / 2;
               return steps;
             }))
        .with("N", n)
        .warps(s.warps);
    cases.add(kFamily, kFile, "newton", text(s))
        .in(DType::I32, n, whole(0, 100000))
        .out(DType::I32, n, exact(), each([](const Inputs &in, int64_t i) { return std::floor(std::sqrt(in(0, i))); }))
        .with("N", n)
        .warps(s.warps);
    for (int64_t table : {1, 37, 1000})
      cases.add(kFamily, kFile, "binary_search", text(s) + ",table=" + std::to_string(table))
          .in(DType::I32, table, iota(0, 3))
          .in(DType::I32, 2 * n, whole(-5, 3 * table + 5))
          .out(DType::I32, 2 * n, exact(), each([](const Inputs &in, int64_t i) {
                 return static_cast<Number>(std::lower_bound(in.all(0).begin(), in.all(0).end(), in(1, i)) -
                                            in.all(0).begin());
               }))
          .value(table)
          .with("N", n)
          .grid(2)
          .warps(s.warps);
    cases.add(kFamily, kFile, "reduction_in_loop_in_branch", text(s))
        .in(DType::I32, 6 * n, whole(-9, 9))
        .out(DType::I32, 6, exact(), each([n](const Inputs &in, int64_t pid) {
               Number sum = 0, top = -1e6L;
               for (int64_t i = 0; i < n; ++i) {
                 sum += in(0, pid * n + i);
                 top = std::max(top, sum);
               }
               return pid % 2 ? top : sum * (pid * (pid + 1) / 2);
             }))
        .with("N", n)
        .grid(6)
        .warps(s.warps);
  }
  for (int64_t n : {4, 16, 32})
    cases.add(kFamily, kFile, "while_mandelbrot", "n=" + std::to_string(n))
        .out(DType::I32, n * n, exact(), each([n](const Inputs &, int64_t i) {
               double cx = static_cast<double>(i % n) / 8 - 2, cy = static_cast<double>(i / n) / 8 - 1, x = 0, y = 0;
               int inside = 0;
               for (int k = 0; k < 3; ++k) {
                 inside += x * x + y * y <= 4;
                 std::tie(x, y) = std::pair{x * x - y * y + cx, 2 * x * y + cy};
               }
               return inside;
             }))
        .with("N", n)
        .warps(n == 32 ? 4 : 1);
}

void addGridsOfBranches(Cases &cases) {
  cases.add(kFamily, kFile, "for_bounds_from_memory", "ragged")
      .in(DType::I32, 30, whole(-9, 9))
      .in(DType::I32, 6, listed({0, 3, 3, 10, 29, 30}))
      .out(DType::I32, 5, exact(), each([](const Inputs &in, int64_t pid) {
             Number total = 0;
             for (int64_t i = static_cast<int64_t>(in(1, pid)); i < in(1, pid + 1); ++i)
               total += in(0, i);
             return total;
           }))
      .grid(5)
      .warps(1);
  for (int warps : {1, 4}) {
    std::string variant = "w=" + std::to_string(warps);
    cases.add(kFamily, kFile, "while_collatz", variant)
        .in(DType::I32, 30, iota(1))
        .out(DType::I32, 30, exact(), each([](const Inputs &, int64_t i) {
               int64_t x = i + 1, steps = 0;
               for (; x > 1; ++steps)
                 x = x % 2 ? 3 * x + 1 : x / 2;
               return steps;
             }))
        .grid(30)
        .warps(warps);
    cases.add(kFamily, kFile, "while_gcd", variant)
        .in(DType::I32, 30, whole(1, 1000))
        .in(DType::I32, 30, whole(0, 1000))
        .out(DType::I32, 30, exact(), each([](const Inputs &in, int64_t i) {
               return static_cast<Number>(std::gcd(static_cast<int64_t>(in(0, i)), static_cast<int64_t>(in(1, i))));
             }))
        .grid(30)
        .warps(warps);
    cases.add(kFamily, kFile, "fibonacci", variant)
        .out(DType::I32, 20, exact(), each([](const Inputs &, int64_t i) {
               int64_t a = 0, b = 1;
               for (; i > 0; --i)
                 std::tie(a, b) = std::pair{b, a + b};
               return a;
             }))
        .grid(20)
        .warps(warps);
    cases.add(kFamily, kFile, "nested_returns", variant)
        .out(DType::I32, 4, exact(), each([](const Inputs &, int64_t i) { return std::min<int64_t>(i, 2); }))
        .grid(4)
        .warps(warps);
    cases.add(kFamily, kFile, "constexpr_loops", variant)
        .out(DType::I32, 3, exact(), each([](const Inputs &, int64_t i) { return std::array{2, 27, 8}[i]; }))
        .warps(warps);
    for (int64_t n : {1, 7, 20})
      cases.add(kFamily, kFile, "unrolled_returns", variant + ",n=" + std::to_string(n))
          .in(DType::I32, 10 * n, whole(-3, 7))
          .out(DType::I32, 3 * 10, exact(), each([n](const Inputs &in, int64_t i) -> Number {
                 int64_t pid = i / 3, kind = i % 3;
                 if (kind == 1)
                   return (pid + 3) * 8 + 3;
                 for (int64_t k = 0; k < n; ++k) {
                   Number x = in(0, pid * n + k);
                   if (kind == 2 ? x < 0 : x > 5)
                     return k;
                   if (kind == 0 && x == 5 && k % 2 == 0)
                     return 100 + k;
                 }
                 return kind == 2 ? n : -1;
               }))
          .with("N", n)
          .grid(10)
          .warps(warps);
    for (int64_t n : {1, 100, 128, 129})
      cases.add(kFamily, kFile, "early_return", variant + ",n=" + std::to_string(n))
          .in(DType::I32, n, whole(-90, 90))
          .out(DType::I32, n, exact(), each([](const Inputs &in, int64_t i) { return in(0, i) + 1; }))
          .value(n)
          .with("BLOCK", 64)
          .grid(5)
          .warps(warps);
    for (int64_t tiles : {0, 3, 10})
      cases.add(kFamily, kFile, "persistent", variant + ",tiles=" + std::to_string(tiles))
          .out(DType::I32, 10 * 64, exact(), each([tiles](const Inputs &, int64_t i) {
                 return i < tiles * 64 ? std::optional<Number>(2 * i) : std::nullopt;
               }))
          .value(tiles)
          .with("PROGRAMS", 3)
          .with("BLOCK", 64)
          .grid(3)
          .warps(warps);
  }
}

/// What random kernels found.
void addFound(Cases &cases) {
  for (Size s : kSizes) {
    cases.add(kFamily, kFile, "for_splat_onto_itself", text(s))
        .out(DType::I32, s.n, exact(), number(7 * 6))
        .value(5)
        .value(7)
        .with("N", s.n)
        .warps(s.warps);
    for (int64_t flag : {3, 4})
      cases.add(kFamily, kFile, "if_forgotten_result", text(s) + ",flag=" + std::to_string(flag))
          .in(DType::I32, s.n, whole(-90, 90))
          .out(DType::I32, s.n, exact(), each([flag](const Inputs &in, int64_t) {
                 return flag > 3 ? std::accumulate(in.all(0).begin(), in.all(0).end(), Number(0)) : Number(flag);
               }))
          .value(flag)
          .with("N", s.n)
          .warps(s.warps);
    cases.add(kFamily, kFile, "while_reduction", text(s))
        .in(DType::I32, 3 * 8 * s.n, whole(-90, 90))
        .out(DType::I32, s.n, exact(), each([n = s.n](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t k = 0; k < 3; ++k) {
                 Number least = in(0, k * 8 * n + i);
                 for (int64_t row = 1; row < 8; ++row)
                   least = std::min(least, in(0, (k * 8 + row) * n + i));
                 total += least;
               }
               return total;
             }))
        .value(3)
        .with("M", 8)
        .with("N", s.n)
        .warps(s.warps);
  }
  for (int64_t n : {-40, -2, 0, 3, 15, 20})
    cases.add(kFamily, kFile, "wide_conditions", "n=" + std::to_string(n))
        .out(DType::I32, 1, exact(), number((n > 15) + 10 * (n < 15) + 100 * (n >= -2) + 1000 * (n <= 0)))
        .value(n)
        .warps(1);
  for (int64_t x : {5, 40})
    cases.add(kFamily, kFile, "known_operands", "x=" + std::to_string(x))
        .out(DType::I32, 6, exact(),
             [x](const Inputs &, int64_t) -> Expected { return {x, x, x, 7, x == 40 ? 7 : 9, 3}; })
        .value(x)
        .with("HAS_BIAS", false)
        .warps(1);
  for (int64_t x : {2, 7})
    cases.add(kFamily, kFile, "single_element", "x=" + std::to_string(x))
        .out(DType::I32, 4, exact(),
             [x](const Inputs &, int64_t) -> Expected {
               Number sum = 0;
               for (int64_t i = x; i < x + 8; ++i)
                 sum += (i > 8 || i == 7) && i != 9 ? i : 0;
               return {x > 3 ? 1 : 2, (x + 1) / 2, x % 2 ? 5 : 6, sum};
             })
        .value(x)
        .warps(1);
}

} // namespace control_family

void addControl(Cases &cases) {
  using namespace control_family;
  addBranches(cases);
  addFp8(cases);
  addScalarLoops(cases);
  addTensorLoops(cases);
  addGridsOfBranches(cases);
  addFound(cases);
}

} // namespace tegula::conformance
