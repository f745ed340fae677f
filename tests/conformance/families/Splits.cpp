// Loops whose iterations several programs share. Inputs are small whole numbers, so that every sum is exact in any
// order and the results are those of one program.
#include "tests/conformance/families/Families.h"
#include "tests/conformance/families/References.h"

namespace tegula::conformance {

namespace splits_family {

const std::string kFamily = "splits", kFile = "splits.py";

struct Shape {
  int64_t m, n, k;
  std::string text() const { return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k); }
};
struct Block {
  int64_t m, n, k;
  int warps;
};

Fill smallNumbers() { return whole(-4, 4); }
DType sumOf(DType type) { return type == DType::I8 ? DType::I32 : DType::F32; }

Case &add(Cases &cases, const std::string &kernel, const std::string &variant, int64_t splits) {
  return cases.add(kFamily, kFile, kernel, variant + ",by " + std::to_string(splits)).with("depth_splits", splits);
}

Case &blocked(Case &made, const Block &b) { return made.with("M", b.m).with("N", b.n).with("K", b.k).warps(b.warps); }

void addPlain(Cases &cases) {
  const Block kBlocks[] = {{16, 16, 16, 1}, {64, 32, 32, 4}, {128, 64, 64, 8}, {64, 128, 32, 4}};
  const Shape kShapes[] = {{33, 20, 17}, {64, 96, 256}, {129, 65, 500}, {128, 128, 304}, {16, 40, 1000}};
  size_t turn = 0;
  for (const Shape &s : kShapes)
    for (DType type : {DType::F16, DType::BF16, DType::I8, DType::F32})
      for (int64_t splits : {2, 5}) {
        const Block &b = kBlocks[turn % std::size(kBlocks)];
        bool bt = ++turn / 2 % 2;
        int64_t bk = bt ? 1 : s.n, bn = bt ? s.k : 1;
        DType result = type == DType::F16 && turn % 3 == 0 ? DType::F16 : sumOf(type);
        std::string variant = named(type) + "->" + named(result) + "," + s.text() + (bt ? ",B^T" : "");
        Case &made = add(cases, "plain", variant, splits)
                         .in(type, s.m * s.k, smallNumbers())
                         .in(type, s.k * s.n, smallNumbers())
                         .out(result, s.m * s.n, exactAnyZero(), matrixProduct(s.n, s.k, s.k, 1, bk, bn))
                         .with("SUM", sumOf(type))
                         .grid(cdiv(s.m, b.m), cdiv(s.n, b.n));
        for (int64_t value : {s.m, s.n, s.k, bk, bn})
          made.value(value);
        blocked(made, b);
      }
}

/// As many parts as the option takes, more than there are iterations, and no iteration at all.
void addExtremes(Cases &cases) {
  for (auto [k, splits] : {std::pair<int64_t, int64_t>{0, 2}, {16, 3}, {40, 64}, {1100, 64}, {96, 6}, {112, 6}}) {
    Shape s = {20, 24, k};
    Case &made = add(cases, "plain", "f16," + s.text(), splits)
                     .in(DType::F16, std::max<int64_t>(s.m * s.k, 1), smallNumbers())
                     .in(DType::F16, std::max<int64_t>(s.k * s.n, 1), smallNumbers())
                     .out(DType::F32, s.m * s.n, exactAnyZero(), matrixProduct(s.n, s.k, s.k, 1, s.n, 1))
                     .with("SUM", DType::F32)
                     .grid(cdiv(s.m, 16), cdiv(s.n, 16));
    for (int64_t value : {s.m, s.n, s.k, s.n, int64_t(1)})
      made.value(value);
    blocked(made, {16, 16, 16, 2});
  }
}

void addGrouped(Cases &cases) {
  size_t turn = 0;
  for (const Shape &s : {Shape{192, 256, 320}, {200, 136, 120}, {256, 120, 512}})
    for (int64_t splits : {2, 3, 4}) {
      Block b = turn++ % 2 ? Block{64, 64, 32, 4} : Block{128, 64, 64, 8};
      Case &made = add(cases, "grouped", s.text() + "," + by(b.m, b.n), splits)
                       .in(DType::F16, s.m * s.k, smallNumbers())
                       .in(DType::F16, s.k * s.n, smallNumbers())
                       .out(DType::F32, s.m * s.n, exactAnyZero(), matrixProduct(s.n, s.k, s.k, 1, s.n, 1))
                       .value(s.m)
                       .value(s.n)
                       .value(s.k)
                       .with("GROUP", int64_t(2))
                       .grid(cdiv(s.m, b.m) * cdiv(s.n, b.n));
      blocked(made, b);
    }
}

void addGated(Cases &cases) {
  for (DType type : {DType::F16, DType::F32})
    for (int64_t splits : {2, 7}) {
      const Shape s = {40, 50, 150};
      const int64_t entries = 2;
      auto element = [s](const Inputs &in, int64_t at) {
        int64_t entry = at / (s.m * s.n), i = at / s.n % s.m, j = at % s.n;
        Number first = in(3, j), second = 0;
        for (int64_t p = 0; p < s.k; ++p) {
          Number a = in(0, (entry * s.m + i) * s.k + p);
          int64_t place = (entry * s.k + p) * s.n + j;
          first += a * in(1, place);
          second += a * in(2, place);
        }
        return std::max<Number>(first, 0) * second;
      };
      Case &made = add(cases, "gated", named(type), splits)
                       .in(type, entries * s.m * s.k, smallNumbers())
                       .in(type, entries * s.k * s.n, smallNumbers())
                       .in(type, entries * s.k * s.n, smallNumbers())
                       .in(DType::F32, s.n, whole(-20, 20))
                       .out(DType::F32, entries * s.m * s.n, exactAnyZero(), each(element))
                       .value(s.m)
                       .value(s.n)
                       .value(s.k)
                       .grid(cdiv(s.m, 32), cdiv(s.n, 32), entries);
      blocked(made, {32, 32, 32, 4});
    }
}

void addSums(Cases &cases) {
  constexpr int64_t kBlock = 32, kRows = 6;
  for (auto [low, high] : {std::pair<int64_t, int64_t>{0, 40}, {-17, 11}, {5, 5}, {-100, -98}, {9, -9}})
    for (int64_t splits : {2, 4, 11}) {
      int64_t from = low, to = high, steps = std::max<int64_t>(cdiv(to - from, 3), 0), n = 3 * steps + kBlock;
      // Lane b of iteration `step` reads what lies 3 elements on for each iteration: the pointer moves by 2, offsets
      // by 1.
      auto isRead = [=](int64_t step, int64_t b) { return step + b < to - from - 3 * step; };
      auto lane = [=](const Inputs &in, int64_t at) {
        Number sum = 0;
        for (int64_t step = 0; step < steps; ++step)
          if (isRead(step, at % kBlock))
            sum += in(0, at / kBlock * n + 3 * step + at % kBlock) * (3 * step + 1);
        return sum;
      };
      auto end = [=](const Inputs &in, int64_t at) {
        int64_t row = at / 3;
        if (at % 3 == 1)
          return Number(to - from - 3 * steps);
        if (at % 3 == 2)
          return in(0, row * n + 2 * steps + 1);
        Number sum = 0;
        for (int64_t step = 0; step < steps; ++step)
          for (int64_t b = 0; b < kBlock; ++b)
            sum += isRead(step, b) ? in(0, row * n + 3 * step + b) : 0;
        return sum;
      };
      add(cases, "sums", std::to_string(from) + " to " + std::to_string(to), splits)
          .in(DType::I8, kRows * n, smallNumbers())
          .out(DType::F32, kRows * kBlock, exactAnyZero(), each(lane))
          .out(DType::I32, kRows * 3, {}, each(end))
          .value(n)
          .value(from)
          .value(to)
          .with("B", kBlock)
          .warps(2)
          .grid(kRows / 2, 2);
    }
}

/// Sums in the elements' own type, small enough for every float.
void addNarrow(Cases &cases) {
  constexpr int64_t kBlock = 64, kRows = 3, kColumns = 640;
  for (DType type : kAllFloats)
    for (int64_t splits : {2, 5})
      add(cases, "narrow_sums", named(type), splits)
          .in(type, kRows * kColumns, listed({1, -1, 0, 1, 0, -1, 0.5L, 0, 1, -0.5L, -1}))
          .out(type, kRows * kBlock, exactAnyZero(), each([](const Inputs &in, int64_t at) {
                 Number sum = 1;
                 for (int64_t i = at % kBlock; i < kColumns; i += kBlock)
                   sum += in(0, at / kBlock * kColumns + i);
                 return sum;
               }))
          .value(kColumns)
          .with("B", kBlock)
          .warps(2)
          .grid(kRows);
}

void addInPlace(Cases &cases) {
  constexpr int64_t kBlock = 64, kRows = 5;
  for (int64_t n : {70, 100, 500})
    for (int64_t splits : {2, 3}) {
      auto element = [n = n](const Inputs &in, int64_t at) {
        int64_t row = at / n, column = at % n;
        if (column >= kBlock)
          return in(0, at);
        Number sum = 0;
        for (int64_t i = column; i < n; i += kBlock)
          sum += in(0, row * n + i);
        return sum;
      };
      add(cases, "in_place", "n=" + std::to_string(n), splits)
          .inOut(DType::I32, kRows * n, smallNumbers(), {}, each(element))
          .value(n)
          .with("B", kBlock)
          .grid(kRows);
    }
}

void addDescribed(Cases &cases) {
  for (DType type : {DType::F16, DType::BF16})
    for (const Shape &s : {Shape{128, 64, 512}, {100, 72, 208}})
      for (int64_t splits : {2, 4}) {
        Block b = splits == 2 ? Block{64, 32, 32, 4} : Block{128, 64, 64, 8};
        Case &made = add(cases, "described", named(type) + "," + s.text(), splits)
                         .describedIn(type, {s.m, s.k}, {b.m, b.k}, smallNumbers())
                         .describedIn(type, {s.n, s.k}, {b.n, b.k}, smallNumbers())
                         .describedOut(DType::F32, {s.m, s.n}, {b.m, b.n}, blank(), exactAnyZero(),
                                       matrixProduct(s.n, s.k, s.k, 1, 1, s.k))
                         .value(s.k)
                         .grid(cdiv(s.m, b.m), cdiv(s.n, b.n));
        blocked(made, b);
      }
}

} // namespace splits_family

void addSplits(Cases &cases) {
  using namespace splits_family;
  addPlain(cases);
  addExtremes(cases);
  addGrouped(cases);
  addGated(cases);
  addSums(cases);
  addNarrow(cases);
  addInPlace(cases);
  addDescribed(cases);
}

} // namespace tegula::conformance
