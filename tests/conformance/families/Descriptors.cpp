// Tensor descriptors: blocks inside, across and beyond the tensor's edges.
#include "tests/conformance/families/Families.h"

#include <algorithm>

namespace tegula::conformance {

namespace descriptors_family {

const std::string kFamily = "descriptors", kFile = "descriptors.py";
constexpr DType kTypes[] = {DType::F32, DType::F16, DType::I8, DType::BF16, DType::I32};

struct Tile {
  int64_t m, n, blockM, blockN; // of the tensor and the block; rows are multiples of 16 bytes for every type
  int warps;
};
constexpr Tile kTiles[] = {{64, 64, 32, 32, 4}, {50, 48, 16, 32, 2}, {5, 16, 8, 16, 1}, {100, 80, 64, 16, 8}};

Reference same() {
  return each([](const Inputs &in, int64_t i) { return in(0, i); });
}

void addCopies(Cases &cases) {
  for (DType type : kTypes)
    for (const Tile &t : kTiles) {
      std::string variant = named(type) + "," + by(t.m, t.n) + " by " + by(t.blockM, t.blockN);
      cases.add(kFamily, kFile, "copy", variant)
          .describedIn(type, {t.m, t.n}, {t.blockM, t.blockN}, anyBits())
          .describedOut(type, {t.m, t.n}, {t.blockM, t.blockN}, blank(), exact(), same())
          .with("M", t.blockM)
          .with("N", t.blockN)
          .grid(cdiv(t.m, t.blockM), cdiv(t.n, t.blockN))
          .warps(t.warps);
      // The transpose's rows and blocks must be multiples of 16 bytes too.
      if (t.blockM < 16)
        continue;
      int64_t m = (t.m + 15) / 16 * 16;
      cases.add(kFamily, kFile, "transposing", variant)
          .describedIn(type, {m, t.n}, {t.blockM, t.blockN}, anyBits())
          .describedOut(type, {t.n, m}, {t.blockN, t.blockM}, blank(), exact(),
                        each([m, n = t.n](const Inputs &in, int64_t i) { return in(0, i % m * n + i / m); }))
          .with("M", t.blockM)
          .with("N", t.blockN)
          .grid(cdiv(m, t.blockM), cdiv(t.n, t.blockN))
          .warps(t.warps);
    }
  for (DType type : kTypes)
    for (auto [n, block, warps] : {std::tuple{256, 64, 2}, {1000, 256, 4}, {16, 16, 1}})
      cases.add(kFamily, kFile, "copy_1d", named(type) + ",n=" + std::to_string(n))
          .describedIn(type, {n}, {block}, anyBits())
          .describedOut(type, {n}, {block}, blank(), exact(), same())
          .with("N", block)
          .grid(cdiv(n, block))
          .warps(warps);
  for (DType type : {DType::F32, DType::I8})
    for (auto [a, b, c] : {std::tuple{4, 8, 16}, {5, 3, 48}})
      cases.add(kFamily, kFile, "copy_3d", named(type) + "," + by(a, b) + "x" + std::to_string(c))
          .describedIn(type, {a, b, c}, {2, 4, 16}, anyBits())
          .describedOut(type, {a, b, c}, {2, 4, 16}, blank(), exact(), same())
          .with("A", 2)
          .with("B", 4)
          .with("C", 16)
          .grid(cdiv(a, 2), cdiv(b, 4), cdiv(c, 16))
          .warps(2);
}

void addEdges(Cases &cases) {
  int64_t m = 20, n = 32, bm = 16, bn = 16;
  for (DType type : {DType::F32, DType::F16, DType::I32})
    for (auto [i, j] : {std::pair{0, 0}, {10, 20}, {-5, -3}, {19, 31}, {20, 32}, {-16, 0}, {100, -100}}) {
      std::string variant = named(type) + ",at " + std::to_string(i) + "," + std::to_string(j);
      for (bool nan : {false, true}) {
        if (nan && !isFloat(type))
          continue;
        cases.add(kFamily, kFile, "outside", variant + (nan ? ",nan" : ""))
            .describedIn(type, {m, n}, {bm, bn}, whole(1, 90), nan)
            .out(type, bm * bn, exact(), each([=, i = i, j = j](const Inputs &in, int64_t k) {
                   int64_t row = i + k / bn, column = j + k % bn;
                   bool inside = row >= 0 && row < m && column >= 0 && column < n;
                   return inside ? in(0, row * n + column) : nan ? kNan : 0;
                 }))
            .value(i)
            .value(j)
            .with("M", bm)
            .with("N", bn)
            .warps(2);
      }
      cases.add(kFamily, kFile, "store_outside", variant)
          .in(type, bm * bn, whole(1, 70))
          .describedOut(type, {m, n}, {bm, bn}, blank(), exact(), each([=, i = i, j = j](const Inputs &in, int64_t k) {
                          int64_t row = k / n - i, column = k % n - j;
                          bool covered = row >= 0 && row < bm && column >= 0 && column < bn;
                          return covered ? std::optional(in(0, row * bn + column)) : std::nullopt;
                        }))
          .value(i)
          .value(j)
          .with("M", bm)
          .with("N", bn)
          .warps(2);
    }
}

void addMade(Cases &cases) {
  for (DType type : {DType::F32, DType::F16, DType::I32})
    for (const Tile &t : kTiles)
      cases.add(kFamily, kFile, "made_in_kernel", named(type) + "," + by(t.m, t.n) + " by " + by(t.blockM, t.blockN))
          .in(type, t.m * t.n, whole(-90, 90))
          .out(type, t.m * t.n, exact(), each([](const Inputs &in, int64_t i) { return std::abs(in(0, i)); }))
          .value(t.m)
          .value(t.n)
          .with("M", t.blockM)
          .with("N", t.blockN)
          .grid(cdiv(t.m, t.blockM), cdiv(t.n, t.blockN))
          .warps(t.warps);
  for (DType type : {DType::F32, DType::F16}) {
    int64_t m = 11, n = 13, stride = 24;
    cases.add(kFamily, kFile, "padded_rows", named(type))
        .in(type, m * stride, whole(1, 90))
        .out(type, 16 * 16, exact(), each([=](const Inputs &in, int64_t i) {
               return i / 16 < m && i % 16 < n ? in(0, i / 16 * stride + i % 16) : 0;
             }))
        .value(m)
        .value(n)
        .value(stride)
        .with("M", 16)
        .with("N", 16)
        .warps(1);
    cases.add(kFamily, kFile, "nan_padding", named(type))
        .in(type, 5 * 8, whole(1, 90))
        .out(type, 8 * 16, exact(), each([](const Inputs &in, int64_t i) {
               return i / 16 < 5 && i % 16 < 8 ? in(0, i / 16 * 8 + i % 16) : kNan;
             }))
        .value(5)
        .value(8)
        .with("M", 8)
        .with("N", 16)
        .warps(1);
    cases.add(kFamily, kFile, "functions", named(type))
        .describedIn(type, {16, 32}, {16, 32}, whole(-90, 90))
        .describedOut(type, {16, 32}, {16, 32}, blank(), exactAnyZero(),
                      each([](const Inputs &in, int64_t i) { return in(0, i) + 1; }))
        .with("M", 16)
        .with("N", 32)
        .warps(4);
    for (int64_t k : {16, 64, 80})
      cases.add(kFamily, kFile, "in_loop", named(type) + ",k=" + std::to_string(k))
          .describedIn(type, {10, k}, {16, 32}, whole(-9, 9))
          .out(DType::F32, 16 * 32, exactAnyZero(), each([k](const Inputs &in, int64_t i) {
                 Number total = 0;
                 for (int64_t j = i % 32; j < k && i / 32 < 10; j += 32)
                   total += in(0, i / 32 * k + j);
                 return total;
               }))
          .value(k)
          .with("M", 16)
          .with("N", 32)
          .warps(4);
  }
  cases.add(kFamily, kFile, "attributes", "i32")
      .in(DType::F32, 6 * 8, whole(0, 9))
      .out(DType::I32, 2, exact(), [](const Inputs &, int64_t) -> Expected { return {6008, 8}; })
      .value(6)
      .value(8)
      .with("M", 4)
      .with("N", 8)
      .warps(1);
}

void addRows(Cases &cases) {
  for (DType type : {DType::F32, DType::F16, DType::I32})
    for (auto [column, rows] : {std::pair{0, 8}, {16, 32}, {24, 8}}) {
      std::string variant = named(type) + ",column=" + std::to_string(column) + ",rows=" + std::to_string(rows);
      int64_t m = 40, n = 32, width = 16;
      cases.add(kFamily, kFile, "gather", variant)
          .describedIn(type, {m, n}, {1, width}, whole(1, 90))
          .in(DType::I32, rows, shuffled(m))
          .out(type, rows * width, exact(), each([=, column = column](const Inputs &in, int64_t i) {
                 int64_t at = column + i % width;
                 return at < n ? in(0, static_cast<int64_t>(in(1, i / width)) * n + at) : 0;
               }))
          .value(column)
          .with("ROWS", rows)
          .with("N", width)
          .warps(2);
      cases.add(kFamily, kFile, "scatter", variant)
          .in(type, rows * width, whole(1, 70))
          .in(DType::I32, rows, shuffled(m))
          .describedOut(
              type, {m, n}, {1, width}, blank(), exact(),
              [=, column = column](const Inputs &in, int64_t count) {
                Expected out(static_cast<size_t>(count));
                for (int64_t i = 0; i < rows * width; ++i)
                  if (column + i % width < n)
                    out[static_cast<size_t>(static_cast<int64_t>(in(1, i / width)) * n + column + i % width)] =
                        in(0, i);
                return out;
              })
          .value(column)
          .with("ROWS", rows)
          .with("N", width)
          .warps(2);
    }
}

Reference folded(size_t buffer, int64_t programs, std::function<Number(Number, Number)> f) {
  return each([=](const Inputs &in, int64_t i) {
    // The tensor has 6 rows of 16, the block 8: its last rows fall outside.
    Number value = in(buffer, i);
    for (int64_t p = 0; p < programs; ++p)
      value = f(value, in(0, p * 8 * 16 + i));
    return value;
  });
}

void addAtomicOperations(Cases &cases) {
  constexpr int64_t kPrograms = 5;
  auto bits = [](auto f) {
    return [f](Number a, Number b) { return static_cast<Number>(f(static_cast<int64_t>(a), static_cast<int64_t>(b))); };
  };
  for (DType type : {DType::I32, DType::F32, DType::U32}) {
    Case &made = cases.add(kFamily, kFile, "atomics", named(type))
                     .in(type, kPrograms * 8 * 16, whole(isUnsigned(type) ? 0 : -90, 90));
    if (type == DType::F32) // additions of whole numbers
      made.describedOut(type, {6, 16}, {8, 16}, constant(3), exactAnyZero(),
                        folded(1, kPrograms, [](Number a, Number b) { return a + b; }));
    else
      made.describedOut(type, {6, 16}, {8, 16}, constant(3), exact(),
                        folded(1, kPrograms, [](Number a, Number b) { return a + b; }));
    made.describedOut(type, {6, 16}, {8, 16}, constant(3), exactAnyZero(),
                      folded(2, kPrograms, [](Number a, Number b) { return std::min(a, b); }))
        .describedOut(type, {6, 16}, {8, 16}, constant(3), exactAnyZero(),
                      folded(3, kPrograms, [](Number a, Number b) { return std::max(a, b); }))
        .with("M", 8)
        .with("N", 16)
        .grid(kPrograms)
        .warps(4);
  }
  for (DType type : {DType::I32, DType::U32, DType::I64})
    cases.add(kFamily, kFile, "bit_atomics", named(type))
        .in(type, kPrograms * 8 * 16, whole(0, 1000000))
        .describedOut(type, {6, 16}, {8, 16}, constant(0xfffff), exact(),
                      folded(1, kPrograms, bits([](int64_t a, int64_t b) { return a & b; })))
        .describedOut(type, {6, 16}, {8, 16}, constant(5), exact(),
                      folded(2, kPrograms, bits([](int64_t a, int64_t b) { return a | b; })))
        .describedOut(type, {6, 16}, {8, 16}, constant(5), exact(),
                      folded(3, kPrograms, bits([](int64_t a, int64_t b) { return a ^ b; })))
        .with("M", 8)
        .with("N", 16)
        .grid(kPrograms)
        .warps(2);
}

/// What `decaying` computes of 64 columns, with blocks of 128 keys and the factor 1/2. Scores are whole numbers up to
/// 64, which f16 holds.
Reference decayed(int64_t keys) {
  return [=](const Inputs &in, int64_t count) {
    std::vector<Number> out(static_cast<size_t>(count), 0);
    for (int64_t row = 0; row < count / 64; ++row)
      for (int64_t key = 0; key < keys; ++key) {
        Number *sums = &out[static_cast<size_t>(row * 64)];
        if (key % 128 == 0)
          std::for_each(sums, sums + 64, [](Number &sum) { sum /= 2; });
        Number score = 0;
        for (int64_t i = 0; i < 64; ++i)
          score += in(0, row * 64 + i) * in(1, key * 64 + i);
        for (int64_t i = 0; i < 64; ++i)
          sums[i] += score * in(2, key * 64 + i);
      }
    return Expected(out.begin(), out.end());
  };
}

void addProducts(Cases &cases) {
  for (int warps : {4, 8}) {
    int64_t n = 64, k = 64;
    cases.add(kFamily, kFile, "single_product", "w=" + std::to_string(warps))
        .describedIn(DType::F16, {256, k}, {128, k}, whole(-9, 9))
        .describedIn(DType::F16, {k, n}, {k, n}, whole(-9, 9))
        .describedOut(DType::F32, {256, n}, {128, n}, blank(), exactAnyZero(), each([=](const Inputs &in, int64_t i) {
                        Number total = 2.5L;
                        for (int64_t p = 0; p < k; ++p)
                          total += in(0, i / n * k + p) * in(1, p * n + i % n);
                        return total;
                      }))
        .real(2.5)
        .with("M", 128)
        .with("N", n)
        .grid(2)
        .warps(warps);
    for (int64_t keys : {0, 128, 384})
      cases
          .add(kFamily, kFile, "decaying", "keys=" + std::to_string(keys) + ",w=" + std::to_string(warps))
          // A tensor without elements has no descriptor.
          .describedIn(DType::F16, {128, 64}, {128, 64}, whole(-1, 1))
          .describedIn(DType::F16, {std::max<int64_t>(keys, 1), 64}, {128, 64}, whole(-1, 1))
          .describedIn(DType::F16, {std::max<int64_t>(keys, 1), 64}, {128, 64}, whole(-1, 1))
          .describedOut(DType::F32, {128, 64}, {128, 64}, blank(), exactAnyZero(), decayed(keys))
          .value(keys)
          .real(0.5)
          .with("M", 128)
          .with("N", 128)
          .with("WIDTH", 64)
          .warps(warps);
  }
}

} // namespace descriptors_family

void addDescriptors(Cases &cases) {
  using namespace descriptors_family;
  addCopies(cases);
  addEdges(cases);
  addMade(cases);
  addRows(cases);
  addProducts(cases);
  addAtomicOperations(cases);
}

} // namespace tegula::conformance
