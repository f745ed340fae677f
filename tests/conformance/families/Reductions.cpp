// Reductions: every operation along every axis. Most inputs are whole numbers whose sums are exact in any order.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace reductions_family {

const std::string kFamily = "reduce", kFile = "reduce.py";

using Elements = std::vector<Number>;
using Fold = std::function<Number(const Elements &)>;

struct Operation {
  const char *name;
  Fold fold;
  bool index;    // the result is a position
  bool integers; // of integers only
};

Number foldLeft(const Elements &x, Number (*f)(Number, Number)) {
  Number total = x[0];
  for (size_t i = 1; i < x.size(); ++i)
    total = f(total, x[i]);
  return total;
}

/// The first of the greatest, or of the smallest.
Number position(const Elements &x, int sign) {
  size_t best = 0;
  for (size_t i = 1; i < x.size(); ++i)
    if (sign * x[i] > sign * x[best])
      best = i;
  return static_cast<Number>(best);
}

Number exclusiveOr(Number a, Number b) {
  return static_cast<Number>(static_cast<int64_t>(a) ^ static_cast<int64_t>(b));
}
Number magnitude(Number a, Number b) {
  return std::abs(a) > std::abs(b) ? a : std::abs(a) == std::abs(b) ? std::max(a, b) : b;
}

const std::vector<Operation> &operations() {
  static const std::vector<Operation> all = {
      {"sum", [](const Elements &x) { return foldLeft(x, [](Number a, Number b) { return a + b; }); }, false, false},
      {"max", [](const Elements &x) { return foldLeft(x, [](Number a, Number b) { return std::fmax(a, b); }); }, false,
       false},
      {"min", [](const Elements &x) { return foldLeft(x, [](Number a, Number b) { return std::fmin(a, b); }); }, false,
       false},
      {"argmax", [](const Elements &x) { return position(x, 1); }, true, false},
      {"argmin", [](const Elements &x) { return position(x, -1); }, true, false},
      {"xor", [](const Elements &x) { return foldLeft(x, exclusiveOr); }, false, true},
      {"product", [](const Elements &x) { return foldLeft(x, [](Number a, Number b) { return a * b; }); }, false,
       false},
      {"custom", [](const Elements &x) { return foldLeft(x, magnitude); }, false, false},
  };
  return all;
}

/// Elements of buffer 0 along one axis: `count` of them, `stride` apart, from the first of result element i.
struct Lines {
  int64_t count, stride;
  std::function<int64_t(int64_t)> first;
};
Lines linesOf(std::vector<int64_t> shape, size_t axis) {
  int64_t inner = 1;
  for (size_t k = axis + 1; k < shape.size(); ++k)
    inner *= shape[k];
  int64_t count = shape[axis];
  return {count, inner, [inner, count](int64_t i) { return i / inner * inner * count + i % inner; }};
}
Reference folded(Lines lines, Fold fold) {
  return each([lines, fold = std::move(fold)](const Inputs &in, int64_t i) {
    Elements line;
    for (int64_t k = 0; k < lines.count; ++k)
      line.push_back(in(0, lines.first(i) + k * lines.stride));
    return fold(line);
  });
}

/// Sums and extremes of integers narrower than 32 bits are 32 bits wide.
DType resultOf(const Operation &operation, DType type) {
  if (operation.index)
    return DType::I32;
  std::string name = operation.name;
  bool promotes = name == "sum" || name == "max" || name == "min";
  if (!promotes || isFloat(type) || byteSize(type) >= 4)
    return type;
  return isUnsigned(type) && name == "sum" ? DType::U32 : DType::I32;
}
Fill inputsOf(const Operation &operation, DType type) {
  std::string name = operation.name;
  if (name == "product") // 1, -1 and a few twos, so that nothing overflows
    return listed({1, isUnsigned(type) ? 1.0L : -1.0L, 1, 1, 2, 1, 1, isUnsigned(type) ? 1.0L : -1.0L, 1, 1, 1, 1, 1});
  if (name == "xor")
    return whole(0, 100);
  // Few distinct numbers: ties must go to the first.
  if (operation.index)
    return whole(isUnsigned(type) ? 0 : -5, 5);
  return whole(isUnsigned(type) ? 0 : -20, 20);
}

int64_t product(const std::vector<int64_t> &shape) {
  int64_t total = 1;
  for (int64_t extent : shape)
    total *= extent;
  return total;
}
std::string text(const std::vector<int64_t> &shape) {
  std::string result;
  for (int64_t extent : shape)
    result += (result.empty() ? "" : "x") + std::to_string(extent);
  return result;
}

void addOperation(Cases &cases, const Operation &operation, DType type, const std::vector<int64_t> &shape, size_t axis,
                  int warps) {
  static constexpr const char *kNames[] = {"N", "MN", "ABC"};
  // Of one axis, each of three programs reduces its own vector.
  int64_t programs = shape.size() == 1 ? 3 : 1, count = product(shape) * programs, results = count / shape[axis];
  // A long product of twos would leave the narrow types.
  if (std::string(operation.name) == "product" && shape[axis] > 64 && byteSize(type) < 4)
    return;
  Case &made =
      cases
          .add(kFamily, kFile, std::string(operation.name) + "_" + std::to_string(shape.size()) + "d",
               named(type) + "," + text(shape) + ",axis=" + std::to_string(axis) + ",w=" + std::to_string(warps))
          .in(type, count, inputsOf(operation, type))
          .out(resultOf(operation, type), results, exactAnyZero(), folded(linesOf(shape, axis), operation.fold))
          .grid(programs)
          .warps(warps);
  for (size_t k = 0; k < shape.size(); ++k)
    made.with(std::string(1, kNames[shape.size() - 1][k]), shape[k]);
  if (shape.size() > 1)
    made.with("AXIS", static_cast<int64_t>(axis));
}

void addOperations(Cases &cases) {
  struct Shape {
    std::vector<int64_t> extents;
    int warps;
  };
  const std::vector<Shape> shapes = {{{1}, 1},      {{32}, 1},       {{64}, 4},       {{1024}, 4},     {{4096}, 8},
                                     {{16, 16}, 2}, {{1, 128}, 4},   {{128, 1}, 1},   {{64, 32}, 4},   {{2, 512}, 8},
                                     {{256, 8}, 4}, {{4, 8, 16}, 4}, {{2, 64, 2}, 2}, {{16, 2, 32}, 8}};
  constexpr DType kTypes[] = {DType::F32,  DType::I32, DType::F16, DType::I8,  DType::I64,
                              DType::BF16, DType::U8,  DType::F64, DType::I16, DType::U32};
  size_t turn = 0;
  for (const Operation &operation : operations())
    for (const Shape &shape : shapes)
      for (size_t axis = 0; axis < shape.extents.size(); ++axis) {
        DType type = kTypes[turn++ % std::size(kTypes)];
        while (operation.integers && isFloat(type))
          type = kTypes[turn++ % std::size(kTypes)];
        addOperation(cases, operation, type, shape.extents, axis, shape.warps);
      }
  // Every type once more, along both axes of one shape.
  for (const Operation &operation : operations())
    for (DType type : kAllNumbers)
      for (size_t axis : {0, 1})
        if (!operation.integers || !isFloat(type))
          addOperation(cases, operation, type, {32, 64}, axis, 4);
  // More than 8 warps, which are combined in another way.
  for (const Operation &operation : operations())
    for (const Shape &shape : {Shape{{2048}, 16}, {{2, 1024}, 16}, {{512, 4}, 16}})
      for (size_t axis = 0; axis < shape.extents.size(); ++axis)
        addOperation(cases, operation, operation.integers ? DType::I32 : DType::F32, shape.extents, axis, shape.warps);
}

void addSpecial(Cases &cases) {
  // A NaN loses against every number; infinities and zeros take part.
  for (DType type : kAllFloats)
    for (const char *name : {"max", "min"}) {
      const Operation &operation = operations()[std::string(name) == "max" ? 1 : 2];
      cases.add(kFamily, kFile, std::string(name) + "_2d", named(type) + ",special")
          .in(type, 64 * 16, special())
          .out(type, 64, exactAnyZero(),
               folded(linesOf({64, 16}, 1),
                      [&operation, type](const Elements &x) {
                        Number result = operation.fold(x);
                        return isFp8(type) ? rounded(type, result) : result;
                      }))
          .with("M", 64)
          .with("N", 16)
          .with("AXIS", 1)
          .warps(4);
    }
  // Sums of reals are right within the bound of their length.
  for (auto [type, n, warps] : {std::tuple{DType::F32, 1024, 4},
                                {DType::F32, 4096, 8},
                                {DType::F16, 512, 4},
                                {DType::BF16, 512, 2},
                                {DType::F64, 1024, 4}})
    cases.add(kFamily, kFile, "sum_1d", named(type) + ",reals,n=" + std::to_string(n))
        .in(type, 3 * n, reals(-1, 1))
        .out(type, 3, ofSum(n, 1, type == DType::F64 ? DType::F64 : DType::F32),
             folded(linesOf({3, n}, 1), operations()[0].fold))
        .with("N", n)
        .grid(3)
        .warps(warps);
}

void addWhole(Cases &cases) {
  for (auto [m, n, warps] : {std::tuple{16, 64, 4}, {1, 1, 1}, {128, 8, 8}, {4, 4, 2}, {32, 64, 16}})
    for (DType type : {DType::F32, DType::I32, DType::F16}) {
      std::string variant = named(type) + "," + text({m, n});
      auto add = [&, m = m, n = n, warps = warps](const char *kernel) -> Case & {
        return cases.add(kFamily, kFile, kernel, variant)
            .in(type, m * n, whole(-9, 9))
            .with("M", m)
            .with("N", n)
            .warps(warps);
      };
      add("sum_all").out(type, 1, exactAnyZero(), folded({m * n, 1, [](int64_t) { return 0; }}, operations()[0].fold));
      add("max_all").out(type, 2, exactAnyZero(), [](const Inputs &in, int64_t) -> Expected {
        return {operations()[1].fold(in.all(0)), operations()[2].fold(in.all(0))};
      });
      cases.add(kFamily, kFile, "all_keeping_dims", variant)
          .in(type, m * n, isFloat(type) ? listed({1, -1, 2, 1, 0.5L, -1, 1}) : listed({1, -1, 1, 1, -1, -1, 1}))
          .out(type, m * n, exactAnyZero(),
               each([](const Inputs &in, int64_t i) { return in(0, i) - operations()[0].fold(in.all(0)); }))
          .out(type, 1, exact(), each([](const Inputs &in, int64_t) { return operations()[6].fold(in.all(0)); }))
          .with("M", m)
          .with("N", n)
          .warps(warps);
      for (int axis : {0, 1}) {
        Lines lines = linesOf({m, n}, static_cast<size_t>(axis));
        cases.add(kFamily, kFile, "keep_dims", variant + ",axis=" + std::to_string(axis))
            .in(type, m * n, whole(-9, 9))
            .out(type, m * n, exactAnyZero(), each([m = m, n = n, axis](const Inputs &in, int64_t i) {
                   Number top = -kInf;
                   for (int64_t k = 0; k < (axis ? n : m); ++k)
                     top = std::max(top, axis ? in(0, i / n * n + k) : in(0, k * n + i % n));
                   return in(0, i) - top;
                 }))
            .with("M", m)
            .with("N", n)
            .with("AXIS", axis)
            .warps(warps);
      }
    }
  for (int64_t n : {1, 37, 500, 781, 1000}) {
    int64_t block = nextPowerOf2(n);
    for (const char *kernel : {"masked_sum", "masked_max"}) {
      const Operation &operation = operations()[std::string(kernel) == "masked_sum" ? 0 : 1];
      cases.add(kFamily, kFile, kernel, "n=" + std::to_string(n))
          .in(DType::F32, 3 * n, whole(-20, -1))
          .out(DType::F32, 3, exact(), folded(linesOf({3, n}, 1), operation.fold))
          .value(n)
          .with("BLOCK", block)
          .grid(3)
          .warps(n > 500 ? 8 : 4);
    }
  }
}

Number orOf(Number a, Number b) { return static_cast<Number>(static_cast<int64_t>(a) | static_cast<int64_t>(b)); }

void addOthers(Cases &cases) {
  for (auto [m, n, warps] : {std::tuple{16, 32, 4}, {64, 4, 2}, {2, 256, 8}, {1, 8, 1}, {2, 1024, 16}}) {
    std::string variant = text({m, n});
    auto add = [&, m = m, n = n, warps = warps](const char *kernel) -> Case & {
      return cases.add(kFamily, kFile, kernel, variant).with("M", m).with("N", n).warps(warps);
    };
    Lines alongRows = linesOf({m, n}, 1), alongColumns = linesOf({m, n}, 0);
    for (DType type : {DType::I32, DType::U8})
      cases.add(kFamily, kFile, "or_rows", named(type) + "," + variant)
          .in(type, m * n, whole(0, 3))
          .out(type, m, exact(), folded(alongRows, [](const Elements &x) { return foldLeft(x, orOf); }))
          .with("M", m)
          .with("N", n)
          .warps(warps);
    add("max_with_index")
        .in(DType::F32, m * n, whole(-4, 4))
        .out(DType::F32, m, exact(), folded(alongRows, operations()[1].fold))
        .out(DType::I32, m, exact(), folded(alongRows, operations()[3].fold));
    add("min_with_index")
        .in(DType::F16, m * n, whole(-4, 4))
        .out(DType::F16, n, exact(), folded(alongColumns, operations()[2].fold))
        .out(DType::I32, n, exact(), folded(alongColumns, operations()[4].fold));
    add("reduce_with_branch")
        .in(DType::F32, m * n, whole(-90, 90))
        .out(DType::F32, m, exactAnyZero(), folded(alongRows, operations()[2].fold));
    for (int axis : {0, 1}) {
      Lines lines = axis ? alongRows : alongColumns;
      cases.add(kFamily, kFile, "three_at_once", variant + ",axis=" + std::to_string(axis))
          .in(DType::F32, m * n, whole(-90, 90))
          .out(DType::F32, axis ? m : n, exactAnyZero(), folded(lines, operations()[2].fold))
          .out(DType::F32, axis ? m : n, exactAnyZero(), folded(lines, operations()[1].fold))
          .out(DType::I32, axis ? m : n, exact(),
               folded(lines, [](const Elements &x) { return static_cast<Number>(x.size()); }))
          .with("M", m)
          .with("N", n)
          .with("AXIS", axis)
          .warps(warps);
    }
    add("variance")
        .in(DType::F32, m * n, reals(-2, 2))
        .out(DType::F32, 2 * m, near(2e-6, 2e-6), each([m = m, n = n](const Inputs &in, int64_t i) {
               Number mean = 0, squares = 0;
               for (int64_t k = 0; k < n; ++k)
                 mean += in(0, i % m * n + k) / n;
               for (int64_t k = 0; k < n; ++k)
                 squares += (in(0, i % m * n + k) - mean) * (in(0, i % m * n + k) - mean);
               return i < m ? mean : squares / n;
             }));
    add("in_loop")
        .in(DType::I32, 3 * m * n, whole(-9, 9))
        .out(DType::I32, m, exact(), each([m = m, n = n](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t k = 0; k < 3; ++k) {
                 Number top = -100;
                 for (int64_t j = 0; j < n; ++j) {
                   top = std::max(top, in(0, (k * m + i) * n + j));
                   Number least = 100;
                   for (int64_t r = 0; r < m; ++r)
                     least = std::min(least, in(0, (k * m + r) * n + j));
                   total += least;
                 }
                 total += top * (k + 1);
               }
               return total;
             }))
        .value(3);
    for (int64_t steps : {0, 3})
      cases.add(kFamily, kFile, "running_sums", variant + ",steps=" + std::to_string(steps))
          .in(DType::F32, 3 * m * n, whole(-3, 3))
          .out(DType::F32, m + n, near(0, 1e-6), each([m = m, n = n, steps](const Inputs &in, int64_t i) {
                 Number squares = std::exp2(Number(i % 4)), powers = 1, largest = 0;
                 for (int64_t k = 0; k < steps * (i < m ? n : m); ++k) {
                   Number x = i < m ? in(0, (k / n * m + i) * n + k % n) : in(0, k * n + i - m);
                   squares += x * x;
                   powers += std::exp2(x);
                   largest = std::max(largest, x);
                 }
                 return i < m ? squares : powers / std::exp2(largest);
               }))
          .value(steps)
          .with("M", m)
          .with("N", n)
          .warps(warps);
  }
  for (int64_t n : {64, 1024}) {
    cases.add(kFamily, kFile, "sum_of_truths", "n=" + std::to_string(n))
        .in(DType::F32, n, whole(-3, 3))
        .out(DType::I32, 1, exact(),
             folded({n, 1, [](int64_t) { return 0; }},
                    [](const Elements &x) {
                      Number total = 0;
                      for (Number v : x)
                        total += v > 0;
                      return total;
                    }))
        .with("N", n)
        .warps(4);
    cases.add(kFamily, kFile, "sum_wide", "n=" + std::to_string(n))
        .in(DType::I32, n, whole(2000000000, 2100000000))
        .out(DType::I64, 1, exact(), folded({n, 1, [](int64_t) { return 0; }}, operations()[0].fold))
        .with("N", n)
        .warps(4);
  }
  for (auto [a, b, c] : {std::tuple{4, 8, 16}, {32, 2, 2}, {1, 16, 64}})
    cases.add(kFamily, kFile, "twice", text({a, b, c}))
        .in(DType::I32, a * b * c, whole(-50, 50))
        .out(DType::I32, a, exact(), each([b = b, c = c](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t k = 0; k < c; ++k) {
                 Number top = -100;
                 for (int64_t j = 0; j < b; ++j)
                   top = std::max(top, in(0, (i * b + j) * c + k));
                 total += top;
               }
               return total;
             }))
        .with("A", a)
        .with("B", b)
        .with("C", c)
        .warps(4);
}

void addVectors(Cases &cases) {
  // Sums of integers have at least 32 bits and keep the sign, extremes have at least 32 bits, running sums leave bf16.
  struct Row {
    DType type, sum, max, scan;
  };
  constexpr Row kRows[] = {
      {DType::I8, DType::I32, DType::I32, DType::I32},
      {DType::U8, DType::U32, DType::I32, DType::U32},
      {DType::I16, DType::I32, DType::I32, DType::I32},
      {DType::U16, DType::U32, DType::I32, DType::U32},
      {DType::I64, DType::I64, DType::I64, DType::I64},
      {DType::F16, DType::F16, DType::F32, DType::F16},
      {DType::BF16, DType::BF16, DType::F32, DType::F32},
      {DType::F64, DType::F64, DType::F64, DType::F64},
      {DType::F8E4M3, DType::F8E4M3, DType::F32, DType::F8E4M3},
      {DType::F8E5M2, DType::F8E5M2, DType::F32, DType::F8E5M2},
  };
  const Operation &sum = operations()[0], &max = operations()[1];
  for (const Row &row : kRows)
    for (auto [n, warps] : {std::pair{64, 2}, {16, 1}})
      cases.add(kFamily, kFile, "types_of_results", named(row.type) + ",n=" + std::to_string(n))
          .in(row.type, n, isFloat(row.type) ? whole(0, 3) : whole(100, 120)) // integers leave eight bits
          .out(row.sum, 1, exact(), each([&sum](const Inputs &in, int64_t) { return sum.fold(in.all(0)); }))
          .out(row.max, 1, exact(), each([&max](const Inputs &in, int64_t) { return max.fold(in.all(0)); }))
          .out(row.scan, n, exact(), each([&sum](const Inputs &in, int64_t i) {
                 return sum.fold({in.all(0).begin(), in.all(0).begin() + i + 1});
               }))
          .with("SUM", row.sum)
          .with("MAX", row.max)
          .with("SCAN", row.scan)
          .with("N", n)
          .warps(warps);
  for (DType type : {DType::I32, DType::F32})
    for (auto [n, warps] : {std::pair{64, 2}, {1024, 4}})
      cases.add(kFamily, kFile, "positions_without_ties", named(type) + ",n=" + std::to_string(n))
          .in(type, n, shuffled(n))
          .out(DType::I32, 2, exact(),
               [](const Inputs &in, int64_t) -> Expected { return {position(in.all(0), 1), position(in.all(0), -1)}; })
          .with("N", n)
          .warps(warps);
}

/// Extremes of negated numbers: threads hold `n` of them each, so that an assembler can combine three at once.
void addNegated(Cases &cases) {
  constexpr int64_t kRows = 32;
  for (DType type : {DType::I8, DType::I16, DType::I32, DType::U32, DType::I64})
    for (int64_t n : {4, 8})
      for (bool isLargest : {true, false})
        cases.add(kFamily, kFile, "negated", named(type) + ",n=" + std::to_string(n) + (isLargest ? ",max" : ",min"))
            .in(type, kRows * n, type == DType::U32 ? whole(1, 100) : whole(-100, 100))
            .out(type, kRows, exact(), each([=](const Inputs &in, int64_t i) {
                   auto of = [&](int64_t k) {
                     Number x = -in(0, i * n + k);
                     return type == DType::U32 ? x + Number(int64_t(1) << 32) : x;
                   };
                   Number found = of(0);
                   for (int64_t k = 1; k < n; ++k)
                     found = isLargest ? std::max(found, of(k)) : std::min(found, of(k));
                   return found;
                 }))
            .with("M", kRows)
            .with("N", n)
            .with("LARGEST", isLargest)
            .warps(1);
}

} // namespace reductions_family

void addReductions(Cases &cases) {
  using namespace reductions_family;
  addOperations(cases);
  addSpecial(cases);
  addWhole(cases);
  addOthers(cases);
  addVectors(cases);
  addNegated(cases);
}

} // namespace tegula::conformance
