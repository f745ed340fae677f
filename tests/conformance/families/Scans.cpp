// Scans along every axis, forwards and backwards, with combinations that commute and that do not.
#include "tests/conformance/families/Families.h"

#include <algorithm>
#include <numeric>

namespace tegula::conformance {

namespace scans_family {

const std::string kFamily = "scan", kFile = "scan.py";

struct Shape {
  std::vector<int64_t> extents;
  int warps;
};

std::string text(const std::vector<int64_t> &shape) {
  std::string result;
  for (int64_t extent : shape)
    result += (result.empty() ? "" : "x") + std::to_string(extent);
  return result;
}

/// The indices of each line along the axis, in scanning order, handed to `scan` with the inputs and the output.
using Scan = std::function<void(const std::vector<int64_t> &line, const Inputs &in, Expected &out)>;
Reference alongLines(std::vector<int64_t> shape, size_t axis, bool reverse, Scan scan) {
  return [=](const Inputs &in, int64_t count) {
    Expected out(static_cast<size_t>(count));
    int64_t inner = 1, extent = shape[axis];
    for (size_t k = axis + 1; k < shape.size(); ++k)
      inner *= shape[k];
    for (int64_t start = 0; start < count / extent; ++start) {
      std::vector<int64_t> line;
      for (int64_t k = 0; k < extent; ++k)
        line.push_back(start / inner * inner * extent + start % inner + k * inner);
      if (reverse)
        std::reverse(line.begin(), line.end());
      scan(line, in, out);
    }
    return out;
  };
}

Scan running(Number (*f)(Number, Number)) {
  return [f](const std::vector<int64_t> &line, const Inputs &in, Expected &out) {
    std::optional<Number> total;
    for (int64_t i : line)
      out[static_cast<size_t>(i)] = total = total ? f(*total, in(0, i)) : in(0, i);
  };
}
Number plus(Number a, Number b) { return a + b; }
Number times(Number a, Number b) { return a * b; }
Number larger(Number a, Number b) { return std::fmax(a, b); }

struct Kernel {
  const char *name; // without _1d ...
  Number (*f)(Number, Number);
  std::vector<size_t> ranks;
};

DType resultOf(const std::string &kernel, DType type) {
  bool promotes = kernel == "cumsum" && !isFloat(type) && byteSize(type) < 4;
  return promotes ? isUnsigned(type) ? DType::U32 : DType::I32 : type;
}

/// 8-bit floats: running sums and products are formed in f32, and each is rounded once.
void addFp8(Cases &cases) {
  for (DType type : kFp8)
    for (bool reverse : {false, true}) {
      auto add = [&](const char *kernel, const std::vector<int64_t> &shape, Fill x, Number (*f)(Number, Number)) {
        int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
        Case &made = cases.add(kFamily, kFile, kernel, named(type) + "," + text(shape) + (reverse ? ",reverse" : ""))
                         .in(type, count, std::move(x))
                         .out(type, count, exactAnyZero(), alongLines(shape, 0, reverse, running(f)))
                         .with("REVERSE", reverse)
                         .warps(4);
        if (shape.size() == 1)
          made.with("N", shape[0]);
        else
          made.with("M", shape[0]).with("N", shape[1]).with("AXIS", 0);
      };
      add("cumsum_1d", {256}, whole(-3, 4), plus);
      add("cumsum_2d", {32, 16}, whole(-3, 4), plus);
      add("cumprod_2d", {16, 32}, listed({1, -1, 2, 1, 0.5L, -1, 1}), times);
      add("running_max_1d", {512}, whole(-90, 90), larger);
    }
}

void addKernels(Cases &cases) {
  const Kernel kernels[] = {{"cumsum", plus, {1, 2, 3}}, {"cumprod", times, {2}}, {"running_max", larger, {1, 2}}};
  const Shape shapes[] = {{{1}, 1},      {{32}, 1},       {{64}, 4},       {{512}, 4},     {{2048}, 8},
                          {{16, 16}, 2}, {{1, 128}, 4},   {{128, 1}, 1},   {{64, 32}, 4},  {{2, 256}, 8},
                          {{256, 4}, 4}, {{4, 8, 16}, 4}, {{2, 32, 2}, 1}, {{8, 2, 32}, 8}};
  constexpr DType kTypes[] = {DType::F32, DType::I32,  DType::F16, DType::I8,
                              DType::I64, DType::BF16, DType::F64, DType::U8};
  static constexpr const char *kNames[] = {"N", "MN", "ABC"};
  size_t turn = 0;
  for (const Kernel &kernel : kernels)
    for (const Shape &shape : shapes) {
      size_t rank = shape.extents.size();
      if (std::find(kernel.ranks.begin(), kernel.ranks.end(), rank) == kernel.ranks.end())
        continue;
      for (size_t axis = 0; axis < rank; ++axis)
        for (bool reverse : {false, true}) {
          DType type = kTypes[turn++ % std::size(kTypes)];
          bool product = kernel.f == times;
          if (product && byteSize(type) == 1)
            type = DType::I16;
          int64_t count = std::accumulate(shape.extents.begin(), shape.extents.end(), int64_t(1), std::multiplies<>());
          Fill x = product            ? listed({1, -1, 2, 1, 0.5L * (isFloat(type) ? 1 : 2), -1, 1})
                   : kernel.f == plus ? whole(0, 3)
                                      : whole(isUnsigned(type) ? 0 : -90, 90);
          if (product && !isFloat(type))
            x = listed({1, -1, 1, 1, 1, -1, 1});
          std::string name = kernel.name;
          Case &made = cases
                           .add(kFamily, kFile, name + "_" + std::to_string(rank) + "d",
                                named(type) + "," + text(shape.extents) + ",axis=" + std::to_string(axis) +
                                    (reverse ? ",reverse" : ""))
                           .in(type, count, x)
                           .out(resultOf(name, type), count, exactAnyZero(),
                                alongLines(shape.extents, axis, reverse, running(kernel.f)))
                           .with("REVERSE", reverse)
                           .warps(shape.warps);
          for (size_t k = 0; k < rank; ++k)
            made.with(std::string(1, kNames[rank - 1][k]), shape.extents[k]);
          if (rank > 1)
            made.with("AXIS", static_cast<int64_t>(axis));
        }
    }
}

void addTuples(Cases &cases) {
  Scan recurrence = [](const std::vector<int64_t> &line, const Inputs &in, Expected &out) {
    Number y = 0;
    for (int64_t i : line)
      out[static_cast<size_t>(i)] = y = in(0, i) * y + in(1, i);
  };
  for (auto [m, n, warps] : {std::tuple{1, 64, 1}, {8, 32, 4}, {64, 16, 8}, {128, 2, 2}})
    for (size_t axis : {0, 1})
      for (bool reverse : {false, true})
        for (DType type : {DType::F32, DType::I32})
          cases
              .add(kFamily, kFile, "linear_recurrence",
                   named(type) + "," + text({m, n}) + ",axis=" + std::to_string(axis) + (reverse ? ",reverse" : ""))
              .in(type, m * n, listed({1, -1, 0, 1, 1, -1, 1, 1, 0, 1, -1}))
              .in(type, m * n, whole(-9, 9))
              .out(type, m * n, exactAnyZero(), alongLines({m, n}, axis, reverse, recurrence))
              .with("M", m)
              .with("N", n)
              .with("AXIS", static_cast<int64_t>(axis))
              .with("REVERSE", reverse)
              .warps(warps);
  Scan last = [](const std::vector<int64_t> &line, const Inputs &in, Expected &out) {
    Number value = in(0, line[0]);
    for (int64_t i : line)
      out[static_cast<size_t>(i)] = value = in(1, i) != 0 ? in(0, i) : value;
  };
  for (auto [n, warps] : {std::pair{32, 1}, {256, 4}, {1024, 8}})
    for (bool reverse : {false, true})
      cases.add(kFamily, kFile, "fill_forward", "n=" + std::to_string(n) + (reverse ? ",reverse" : ""))
          .in(DType::F32, n, iota(100))
          .in(DType::I32, n, listed({0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0}))
          .out(DType::F32, n, exact(), alongLines({n}, 0, reverse, last))
          .with("N", n)
          .with("REVERSE", reverse)
          .warps(warps);
}

void addUses(Cases &cases) {
  for (int64_t n : {1, 50, 300, 781}) {
    cases.add(kFamily, kFile, "masked_cumsum", "n=" + std::to_string(n))
        .in(DType::I32, 3 * n, whole(-50, 50))
        .out(DType::I32, 3 * n, exact(), alongLines({3, n}, 1, false, running(plus)))
        .value(n)
        .with("BLOCK", nextPowerOf2(n))
        .grid(3)
        .warps(n > 200 ? 8 : 2);
    cases.add(kFamily, kFile, "carried", "n=" + std::to_string(n))
        .in(DType::I32, n, whole(-50, 50))
        .out(DType::I32, n, exact(), alongLines({n}, 0, false, running(plus)))
        .value(n)
        .with("BLOCK", 64)
        .warps(2);
  }
  for (auto [n, warps] : {std::pair{32, 1}, {512, 4}})
    cases.add(kFamily, kFile, "compact", "n=" + std::to_string(n))
        .in(DType::I32, n, whole(-9, 9))
        .out(DType::I32, n, exact(),
             [](const Inputs &in, int64_t count) {
               Expected out(static_cast<size_t>(count));
               size_t next = 0;
               for (int64_t i = 0; i < count; ++i)
                 if (in(0, i) > 0)
                   out[next++] = in(0, i);
               return out;
             })
        .out(DType::I32, 1, exact(),
             [](const Inputs &in, int64_t) -> Expected {
               return {static_cast<Number>(
                   std::count_if(in.all(0).begin(), in.all(0).end(), [](Number x) { return x > 0; }))};
             })
        .with("N", n)
        .warps(warps);
}

} // namespace scans_family

void addScans(Cases &cases) {
  using namespace scans_family;
  addKernels(cases);
  addFp8(cases);
  addTuples(cases);
  addUses(cases);
}

} // namespace tegula::conformance
