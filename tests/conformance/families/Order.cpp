// Sorting, gathering, flipping and counting.
#include "tests/conformance/families/Families.h"

#include <algorithm>

namespace tegula::conformance {

namespace order_family {

const std::string kFamily = "order", kFile = "order.py";

/// Rows of n sorted, the first k of each kept.
Reference sortedRows(int64_t n, bool descending, int64_t k) {
  return [=](const Inputs &in, int64_t count) {
    Expected out;
    for (int64_t row = 0; row < count / k; ++row) {
      std::vector<Number> line;
      for (int64_t i = 0; i < n; ++i)
        line.push_back(in(0, row * n + i));
      std::sort(line.begin(), line.end());
      if (descending)
        std::reverse(line.begin(), line.end());
      out.insert(out.end(), line.begin(), line.begin() + k);
    }
    return out;
  };
}

void addSorts(Cases &cases) {
  size_t turn = 0;
  for (DType type : kAllNumbers)
    for (bool descending : {false, true}) {
      constexpr std::pair<int64_t, int> kSizes[] = {{2, 1},    {64, 2},   {512, 4}, {32, 1},
                                                    {1024, 8}, {2048, 1}, {4096, 4}};
      auto [n, warps] = kSizes[turn++ % std::size(kSizes)];
      std::string tail = descending ? ",descending" : "";
      cases.add(kFamily, kFile, "sort_1d", named(type) + ",n=" + std::to_string(n) + tail)
          .in(type, n, orderedSpecial())
          .out(type, n, exactAnyZero(), sortedRows(n, descending, n))
          .with("N", n)
          .with("DESCENDING", descending)
          .warps(warps);
    }
  for (auto [m, n, warps] : {std::tuple{4, 32, 4}, {32, 4, 2}, {1, 256, 8}, {64, 2, 1}, {16, 128, 1}})
    for (DType type : {DType::F32, DType::I32, DType::F16, DType::U8, DType::F8E4M3}) {
      if (type == DType::F8E4M3 && n != 32)
        continue;
      std::string variant = named(type) + "," + by(m, n);
      for (bool descending : {false, true}) {
        cases.add(kFamily, kFile, "sort_rows", variant + (descending ? ",descending" : ""))
            .in(type, m * n, whole(type == DType::U8 ? 0 : -100, 100))
            .out(type, m * n, exactAnyZero(), sortedRows(n, descending, n))
            .with("M", m)
            .with("N", n)
            .with("DESCENDING", descending)
            .warps(warps);
        // What a merge takes: each row rises and then falls.
        cases.add(kFamily, kFile, "bitonic_merge", variant + (descending ? ",descending" : ""))
            .in(type, m * n, byIndex([n = n](int64_t i) { return i % n < n / 2 ? 2 * (i % n) : 2 * (n - i % n) - 1; }))
            .out(type, m * n, exactAnyZero(), sortedRows(n, descending, n))
            .with("M", m)
            .with("N", n)
            .with("DESCENDING", descending)
            .warps(warps);
      }
      cases.add(kFamily, kFile, "last_axis", variant)
          .in(type, m * n, whole(0, 100))
          .out(type, m * n, exact(), sortedRows(n, false, n))
          .out(type, m * n, exact(),
               each([n = n](const Inputs &in, int64_t i) { return in(0, i / n * n + n - 1 - i % n); }))
          .with("M", m)
          .with("N", n)
          .warps(warps);
      for (int64_t k : {int64_t(1), std::max<int64_t>(2, n / 2)})
        cases.add(kFamily, kFile, "topk", variant + ",k=" + std::to_string(k))
            .in(type, m * n, whole(type == DType::U8 ? 0 : -100, 100))
            .out(type, m * k, exactAnyZero(), sortedRows(n, true, k))
            .with("M", m)
            .with("N", n)
            .with("K", k)
            .warps(warps);
    }
}

void addMoves(Cases &cases) {
  constexpr DType kWidths[] = {DType::I8, DType::F16, DType::F32, DType::I64};
  for (DType type : kWidths) {
    for (auto [n, warps] : {std::pair{2, 1}, {64, 2}, {1024, 4}}) {
      cases.add(kFamily, kFile, "flip_1d", named(type) + ",n=" + std::to_string(n))
          .in(type, n, anyBits())
          .out(type, n, exact(), each([n = n](const Inputs &in, int64_t i) { return in(0, n - 1 - i); }))
          .with("N", n)
          .warps(warps);
      int64_t count = n / 2;
      for (DType index : {DType::I32, DType::I64, DType::U8, DType::U16, DType::U32})
        cases.add(kFamily, kFile, "gather_1d", named(type) + "[" + named(index) + "],n=" + std::to_string(n))
            .in(type, n, anyBits())
            .in(index, count, index == DType::U8 ? whole(0, std::min(n - 1, 255)) : shuffled(n))
            .out(type, count, exact(),
                 each([](const Inputs &in, int64_t i) { return in(0, static_cast<int64_t>(in(1, i))); }))
            .with("N", n)
            .with("COUNT", count)
            .warps(warps);
    }
    for (auto [m, n, warps] : {std::tuple{16, 32, 4}, {64, 2, 1}, {1, 128, 8}})
      for (int axis : {0, 1}) {
        std::string variant = named(type) + "," + by(m, n) + ",axis=" + std::to_string(axis);
        cases.add(kFamily, kFile, "flip_2d", variant)
            .in(type, m * n, anyBits())
            .out(type, m * n, exact(), each([m = m, n = n, axis](const Inputs &in, int64_t i) {
                   return axis ? in(0, i / n * n + n - 1 - i % n) : in(0, (m - 1 - i / n) * n + i % n);
                 }))
            .with("M", m)
            .with("N", n)
            .with("AXIS", axis)
            .warps(warps);
        // More indices along the axis than elements, so that some are read twice.
        int64_t p = axis ? m : 2 * m, q = axis ? 2 * n : n, extent = axis ? n : m;
        cases.add(kFamily, kFile, "gather_2d", variant)
            .in(type, m * n, anyBits())
            .in(DType::I32, p * q, whole(0, extent - 1))
            .out(type, p * q, exact(), each([n = n, q, axis](const Inputs &in, int64_t i) {
                   int64_t index = static_cast<int64_t>(in(1, i));
                   return axis ? in(0, i / q * n + index) : in(0, index * n + i % q);
                 }))
            .with("M", m)
            .with("N", n)
            .with("P", p)
            .with("Q", q)
            .with("AXIS", axis)
            .warps(warps);
      }
  }
}

void addCounts(Cases &cases) {
  for (auto [n, bins, warps] : {std::tuple{64, 8, 1}, {1024, 16, 4}, {2048, 256, 8}, {32, 128, 2}, {256, 2, 4}}) {
    auto counts = [](int64_t considered) {
      return [considered](const Inputs &in, int64_t count) {
        std::vector<Number> bin(static_cast<size_t>(count), 0);
        for (int64_t i = 0; i < considered; ++i)
          ++bin[static_cast<size_t>(in(0, i))];
        return Expected(bin.begin(), bin.end());
      };
    };
    std::string variant = "n=" + std::to_string(n) + ",bins=" + std::to_string(bins);
    for (bool crowded : {false, true})
      cases.add(kFamily, kFile, "histogram", variant + (crowded ? ",crowded" : ""))
          .in(DType::I32, n, crowded ? constant(1) : whole(0, bins - 1))
          .out(DType::I32, bins, exact(), counts(n))
          .with("N", n)
          .with("BINS", bins)
          .warps(warps);
    for (DType type : {DType::U8, DType::U16, DType::U32})
      cases.add(kFamily, kFile, "histogram", named(type) + "," + variant)
          .in(type, n, whole(0, bins - 1))
          .out(DType::I32, bins, exact(), counts(n))
          .with("N", n)
          .with("BINS", bins)
          .warps(warps);
    cases.add(kFamily, kFile, "histogram_masked", variant)
        .in(DType::I32, n, whole(0, bins - 1))
        .out(DType::I32, bins, exact(), counts(n * 2 / 3))
        .value(n * 2 / 3)
        .with("N", n)
        .with("BINS", bins)
        .warps(warps);
  }
  for (auto [n, warps] : {std::pair{16, 1}, {64, 4}, {128, 8}})
    cases.add(kFamily, kFile, "rank_of_each", "n=" + std::to_string(n))
        .in(DType::F32, n, whole(-20, 20))
        .out(DType::I32, n, exact(), each([](const Inputs &in, int64_t i) {
               return static_cast<Number>(
                   std::count_if(in.all(0).begin(), in.all(0).end(), [&](Number x) { return x < in(0, i); }));
             }))
        .with("N", n)
        .warps(warps);
}

} // namespace order_family

void addOrder(Cases &cases) {
  using namespace order_family;
  addSorts(cases);
  addMoves(cases);
  addCounts(cases);
}

} // namespace tegula::conformance
