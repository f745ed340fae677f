// Matrix products of whole problems. Inputs are small whole numbers, so that every sum is exact in any order.
#include "tests/conformance/families/Families.h"
#include "tests/conformance/families/References.h"

namespace tegula::conformance {

namespace matmul_family {

const std::string kFamily = "matmul", kFile = "matmul.py";

struct Shape {
  int64_t m, n, k;
  int64_t volume() const { return m * n * k; }
  std::string text() const { return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k); }
};

/// Cubes below, at and above powers of two; lines; everything long and thin; two large ones.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (int64_t size :
       {1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 96, 100, 127, 128, 129, 200, 255, 256, 257, 320, 1000})
    all.push_back({size, size, size});
  for (auto [a, b] : {std::pair<int64_t, int64_t>{1, 64}, {100, 1}})
    for (Shape shape : {Shape{a, a, b}, {a, b, a}, {b, a, a}})
      all.push_back(shape);
  for (auto [a, b, c] : {std::tuple<int64_t, int64_t, int64_t>{16, 16, 1000},
                         {3, 200, 50},
                         {33, 65, 129},
                         {7, 500, 9},
                         {64, 128, 32},
                         {15, 17, 16},
                         {1, 257, 31},
                         {40, 72, 24},
                         {20, 60, 300}})
    for (Shape shape : {Shape{a, b, c}, {b, c, a}, {c, a, b}})
      if (all.size() < 58)
        all.push_back(shape);
  all.push_back({4096, 16, 64});
  all.push_back({512, 512, 64});
  return all;
}

struct Block {
  int64_t m, n, k;
  int warps;
};
Block blockFor(const Shape &shape, size_t turn) {
  constexpr Block kSmall[] = {{16, 16, 16, 1}, {32, 16, 32, 2}, {16, 32, 64, 4}};
  constexpr Block kLarge[] = {{64, 64, 32, 4}, {32, 64, 16, 4}, {128, 32, 32, 8}, {64, 32, 64, 2}};
  return shape.volume() < 32 * 32 * 32 ? kSmall[turn % 3] : kLarge[turn % 4];
}

Fill smallNumbers() { return whole(-4, 4); }

/// Sums in 64-bit integers: a(i, p) is element i * am + p * ak of buffer 0, b(p, j) element p * bk + j * bn of
/// buffer 1.
std::vector<int64_t> sumsOf(const Inputs &in, const Shape &s, int64_t am, int64_t ak, int64_t bk, int64_t bn) {
  std::vector<int32_t> a(static_cast<size_t>(s.m * s.k)), b(static_cast<size_t>(s.k * s.n));
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t p = 0; p < s.k; ++p)
      a[static_cast<size_t>(i * s.k + p)] = static_cast<int32_t>(in(0, i * am + p * ak));
  for (int64_t p = 0; p < s.k; ++p)
    for (int64_t j = 0; j < s.n; ++j)
      b[static_cast<size_t>(p * s.n + j)] = static_cast<int32_t>(in(1, p * bk + j * bn));
  std::vector<int64_t> sums(static_cast<size_t>(s.m * s.n));
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t p = 0; p < s.k; ++p)
      for (int64_t j = 0; j < s.n; ++j)
        sums[static_cast<size_t>(i * s.n + j)] +=
            int64_t(a[static_cast<size_t>(i * s.k + p)]) * b[static_cast<size_t>(p * s.n + j)];
  return sums;
}

/// `then` makes the element at (i, j) of its sum.
Reference of(const Shape &s, std::function<Number(const Inputs &, int64_t, int64_t, Number)> then) {
  return [s, then = std::move(then)](const Inputs &in, int64_t) {
    std::vector<int64_t> sums = sumsOf(in, s, s.k, 1, s.n, 1);
    Expected out;
    for (int64_t i = 0; i < s.m; ++i)
      for (int64_t j = 0; j < s.n; ++j)
        out.push_back(then(in, i, j, static_cast<Number>(sums[static_cast<size_t>(i * s.n + j)])));
    return out;
  };
}

Case &blocked(Case &made, const Shape &s, const Block &b, int64_t entries = 1) {
  return made.with("M", b.m).with("N", b.n).with("K", b.k).warps(b.warps).grid(cdiv(s.m, b.m), cdiv(s.n, b.n), entries);
}

DType sumOf(DType type) { return type == DType::I8 ? DType::I32 : DType::F32; }

void addShaped(Cases &cases) {
  constexpr DType kTypes[] = {DType::F16, DType::BF16, DType::I8, DType::F32};
  size_t turn = 0;
  for (const Shape &s : shapes()) {
    ++turn;
    for (size_t which = 0; which < 4; ++which) {
      DType type = kTypes[which];
      // Every type has the small shapes; of the larger ones each in its turn, of the largest the first.
      bool isChosen =
          which == 0 || s.volume() <= 33 * 33 * 33 || (s.volume() <= 257 * 257 * 257 && turn % 3 == which % 3);
      if (!isChosen)
        continue;
      bool ta = turn & 1, tb = turn & 2;
      DType result = type != DType::I8 && (turn + which) % 3 == 0 ? DType::F16 : sumOf(type);
      int64_t am = ta ? 1 : s.k, ak = ta ? s.m : 1, bk = tb ? 1 : s.n, bn = tb ? s.k : 1;
      std::string variant =
          named(type) + "->" + named(result) + "," + s.text() + (ta ? ",A^T" : "") + (tb ? ",B^T" : "");
      Case &made = cases.add(kFamily, kFile, "matmul", variant)
                       .in(type, s.m * s.k, smallNumbers())
                       .in(type, s.k * s.n, smallNumbers())
                       .out(result, s.m * s.n, exactAnyZero(), [=](const Inputs &in, int64_t) {
                         std::vector<int64_t> sums = sumsOf(in, s, am, ak, bk, bn);
                         return Expected(sums.begin(), sums.end());
                       });
      for (int64_t value : {s.m, s.n, s.k, am, ak, bk, bn})
        made.value(value);
      blocked(made, s, blockFor(s, turn)).with("SUM", sumOf(type));
    }
  }
}

void addEpilogues(Cases &cases) {
  const Shape s = {70, 50, 90};
  for (DType type : {DType::F16, DType::BF16, DType::F32})
    for (DType result : {DType::F32, DType::F16, DType::BF16})
      for (const char *activation : {"none", "relu", "leaky"}) {
        std::string which = activation;
        Case &made = cases.add(kFamily, kFile, "epilogue", named(type) + "->" + named(result) + "," + which)
                         .in(type, s.m * s.k, smallNumbers())
                         .in(type, s.k * s.n, smallNumbers())
                         .in(DType::F32, s.n, whole(-20, 20))
                         .out(result, s.m * s.n, exactAnyZero(),
                              of(s, [which](const Inputs &in, int64_t, int64_t j, Number value) {
                                value += in(2, j);
                                if (value < 0 && which != "none")
                                  value = which == "relu" ? 0 : value / 2;
                                return value;
                              }));
        blocked(made.value(s.m).value(s.n).value(s.k), s, {32, 32, 32, 4}).with("ACTIVATION", which);
      }
}

void addScaled(Cases &cases) {
  for (DType type : {DType::F16, DType::BF16, DType::F32})
    for (auto [s, b] : {std::pair<Shape, Block>{{40, 70, 48}, {32, 32, 16, 4}},
                        {{16, 16, 64}, {16, 16, 16, 4}},
                        {{100, 60, 64}, {64, 64, 32, 8}}}) {
      Shape shape = s;
      Block block = b;
      Case &made = cases.add(kFamily, kFile, "scaled", named(type) + "," + s.text())
                       .in(type, s.m * s.k, smallNumbers())
                       .in(type, s.k * s.n, smallNumbers())
                       .in(DType::F32, s.m, whole(-1, 2))
                       .in(DType::F32, s.n, whole(-8, 8))
                       .out(DType::F32, s.m * s.n, exactAnyZero(), [shape, block](const Inputs &in, int64_t) {
                         Expected out;
                         for (int64_t i = 0; i < shape.m; ++i)
                           for (int64_t j = 0; j < shape.n; ++j) {
                             Number total = 0;
                             for (int64_t start = 0; start < shape.k; start += block.k) {
                               total = (total * in(2, i) + in(3, j)) / 2;
                               for (int64_t p = start; p < std::min(start + block.k, shape.k); ++p)
                                 total += in(0, i * shape.k + p) * in(1, p * shape.n + j);
                               total -= start == 0;
                             }
                             out.push_back(total);
                           }
                         return out;
                       });
      blocked(made.value(s.m).value(s.n).value(s.k), s, b);
    }
}

void addDivided(Cases &cases) {
  for (DType type : {DType::F16, DType::BF16, DType::I8, DType::F32}) {
    const Shape s = {33, 40, 50};
    const int64_t entries = 3;
    Case &made = cases.add(kFamily, kFile, "batched", named(type))
                     .in(type, entries * s.m * s.k, smallNumbers())
                     .in(type, entries * s.k * s.n, smallNumbers())
                     .out(sumOf(type), entries * s.m * s.n, exactAnyZero(), each([s](const Inputs &in, int64_t at) {
                            int64_t entry = at / (s.m * s.n), i = at / s.n % s.m, j = at % s.n;
                            Number total = 0;
                            for (int64_t p = 0; p < s.k; ++p)
                              total += in(0, (entry * s.m + i) * s.k + p) * in(1, (entry * s.k + p) * s.n + j);
                            return total;
                          }));
    blocked(made.value(s.m).value(s.n).value(s.k), s, {32, 32, 16, 4}, entries).with("SUM", sumOf(type));
  }
  for (DType type : {DType::F16, DType::BF16, DType::F32})
    for (auto [s, splits] : {std::pair<Shape, int64_t>{{64, 32, 256}, 4}, {{17, 33, 200}, 3}}) {
      Shape shape = s;
      int64_t share = cdiv(cdiv(s.k, splits), 32) * 32;
      Case &made = cases.add(kFamily, kFile, "split_k", named(type) + "," + s.text() + " by " + std::to_string(splits))
                       .in(type, s.m * s.k, smallNumbers())
                       .in(type, s.k * s.n, smallNumbers())
                       .inOut(DType::F32, s.m * s.n, whole(-9, 9), exactAnyZero(),
                              of(shape, [shape](const Inputs &in, int64_t i, int64_t j, Number value) {
                                return value + in(2, i * shape.n + j);
                              }));
      blocked(made.value(s.m).value(s.n).value(s.k).value(share), s, {32, 32, 32, 4}, splits);
    }
}

/// Flash attention: head sizes from 16 to 256, lengths that no block divides.
void addAttentions(Cases &cases) {
  for (auto [n, d, block, warps] :
       {std::tuple{37, 16, 16, 1}, {70, 32, 32, 4}, {100, 64, 32, 4}, {65, 128, 32, 4}, {45, 256, 16, 4}})
    for (DType type : {DType::F16, DType::BF16})
      for (bool causal : {false, true}) {
        double error = type == DType::F16 ? 4e-3 : 3e-2; // the weights are rounded to the type
        addAttention(cases, kFamily, type, {n, d, block, warps, causal, 1 / std::sqrt(double(d))}, error);
      }
}

/// A loop over described blocks whose copies one thread may start.
void addDescribedOnce(Cases &cases, DType type, int warps, int stages, int64_t depth) {
  Shape s = {100, 72, depth};
  int64_t m = warps * 16, n = 32, k = 32;
  cases
      .add(kFamily, kFile, "described_once",
           named(type) + "," + s.text() + ",w=" + std::to_string(warps) + ",stages=" + std::to_string(stages))
      .describedIn(type, {s.m, s.k}, {m, k}, smallNumbers())
      .describedIn(type, {s.n, s.k}, {n, k}, smallNumbers())
      .describedOut(sumOf(type), {s.m, s.n}, {m, n}, blank(), exactAnyZero(),
                    [=](const Inputs &in, int64_t) {
                      std::vector<int64_t> sums = sumsOf(in, s, s.k, 1, 1, s.k);
                      return Expected(sums.begin(), sums.end());
                    })
      .value(s.k)
      .with("M", m)
      .with("N", n)
      .with("K", k)
      .with("SUM", sumOf(type))
      .warps(warps)
      .with("STAGES", stages)
      .grid(cdiv(s.m, m), cdiv(s.n, n));
}

/// Operands of 8 bits, and of f32 rounded to tf32, in each order of storage. Instructions that read shared memory want
/// lines along the depth.
void addBytesAndWords(Cases &cases) {
  for (DType type : {DType::I8, DType::F8E4M3, DType::F8E5M2, DType::F32}) {
    for (auto [s, b] : {std::pair<Shape, Block>{{128, 64, 96}, {64, 32, 32, 4}},
                        {{100, 48, 208}, {64, 16, 64, 4}},
                        {{256, 64, 144}, {128, 64, 64, 8}},
                        {{130, 256, 320}, {128, 128, 128, 8}}})
      for (int orders = 0; orders < 4; ++orders) {
        Shape shape = s;
        bool ta = orders & 1, tb = orders & 2;
        int64_t am = ta ? 1 : s.k, ak = ta ? s.m : 1, bk = tb ? 1 : s.n, bn = tb ? s.k : 1;
        Case &made = cases
                         .add(kFamily, kFile, "matmul",
                              (type == DType::F32 ? "words," : "bytes,") + named(type) + "," + s.text() +
                                  (ta ? ",A^T" : "") + (tb ? ",B^T" : ""))
                         .in(type, s.m * s.k, smallNumbers())
                         .in(type, s.k * s.n, smallNumbers())
                         .out(sumOf(type), s.m * s.n, exactAnyZero(), [=](const Inputs &in, int64_t) {
                           std::vector<int64_t> sums = sumsOf(in, shape, am, ak, bk, bn);
                           return Expected(sums.begin(), sums.end());
                         });
        for (int64_t value : {s.m, s.n, s.k, am, ak, bk, bn})
          made.value(value);
        blocked(made, s, b).with("SUM", sumOf(type));
      }
    addDescribedOnce(cases, type, 4, 3, 208);
    addDescribedOnce(cases, type, 8, 4, 96);
  }
}

/// A product through descriptors of the host; B is stored n x k if `bt`.
void addDescribedProduct(Cases &cases, DType type, const Shape &s, const Block &b, bool bt, int64_t programs) {
  int64_t bk = bt ? 1 : s.n, bn = bt ? s.k : 1;
  std::vector<int64_t> shapeB = {s.k, s.n}, blockB = {b.k, b.n};
  if (bt) {
    std::swap(shapeB[0], shapeB[1]);
    std::swap(blockB[0], blockB[1]);
  }
  std::string variant = named(type) + "," + s.text() + (bt ? ",B^T" : "") + (programs == 2 ? ",persistent" : "");
  cases.add(kFamily, kFile, "described", variant)
      .describedIn(type, {s.m, s.k}, {b.m, b.k}, smallNumbers())
      .describedIn(type, shapeB, blockB, smallNumbers())
      .describedOut(DType::F32, {s.m, s.n}, {b.m, b.n}, blank(), exactAnyZero(),
                    [=](const Inputs &in, int64_t) {
                      std::vector<int64_t> sums = sumsOf(in, s, s.k, 1, bk, bn);
                      return Expected(sums.begin(), sums.end());
                    })
      .value(s.m)
      .value(s.n)
      .value(s.k)
      .with("M", b.m)
      .with("N", b.n)
      .with("K", b.k)
      .with("BT", bt)
      .warps(b.warps)
      .grid(programs == 2 ? 2 : cdiv(s.m, b.m) * cdiv(s.n, b.n));
}

/// Operands of 8 and of 32 bits, with B's lines across the depth.
void addDescribedAcross(Cases &cases) {
  for (DType type : {DType::F8E4M3, DType::F32})
    for (int64_t programs : {100, 2}) {
      addDescribedProduct(cases, type, {128, 64, 96}, {64, 64, 32, 4}, /*bt=*/false, programs);
      addDescribedProduct(cases, type, {100, 144, 208}, {128, 128, 32, 8}, /*bt=*/false, programs);
    }
}

/// Through descriptors of the host; rows are multiples of 16 bytes.
void addDescribed(Cases &cases) {
  const Block kBlocks[] = {{64, 32, 16, 4}, {64, 16, 32, 4}, {128, 16, 16, 8}};
  size_t turn = 0;
  for (const Shape &s : {Shape{128, 32, 96}, {100, 40, 72}, {65, 8, 200}})
    for (bool bt : {false, true})
      for (int64_t programs : {100, 2}) {
        DType type = turn % 4 ? DType::F16 : DType::BF16;
        const Block &b = kBlocks[turn++ % std::size(kBlocks)];
        addDescribedProduct(cases, type, s, b, bt, programs);
      }
  for (auto [warps, stages, depth] :
       {std::tuple{4, 2, 200}, {4, 3, 16}, {8, 2, 96}, {8, 3, 104}, {8, 4, 304}, {8, 5, 40}})
    addDescribedOnce(cases, DType::F16, warps, stages, depth);
  // A loop without iterations; then products with both operands through one descriptor, and with one operand through
  // pointers.
  cases.add(kFamily, kFile, "described", "f16,no depth")
      .describedIn(DType::F16, {64, 16}, {64, 16}, smallNumbers())
      .describedIn(DType::F16, {16, 64}, {16, 64}, smallNumbers())
      .describedOut(DType::F32, {64, 64}, {64, 64}, blank(), exactAnyZero(),
                    each([](const Inputs &, int64_t) { return 0; }))
      .value(64)
      .value(64)
      .value(0)
      .with("M", 64)
      .with("N", 64)
      .with("K", 16)
      .with("BT", false)
      .warps(4);
  const int64_t n = 128, block = 64;
  for (int warps : {4, 8}) {
    cases.add(kFamily, kFile, "described_twice", "f16,w=" + std::to_string(warps))
        .describedIn(DType::F16, {n, n}, {block, block}, smallNumbers())
        .describedIn(DType::F16, {n, n}, {block, block}, smallNumbers())
        .out(DType::F32, n * n, exactAnyZero(), each([](const Inputs &in, int64_t at) {
               Number total = 0;
               for (int64_t k = 0, i = at / n, j = at % n; k < n; ++k)
                 total += in(0, i * n + k) * in(0, k * n + j) + in(1, i * n + k) * in(1, j * n + k);
               return total;
             }))
        .value(n)
        .with("N", block)
        .warps(warps)
        .grid(n / block, n / block);
    auto product = [](const Inputs &in, int64_t row, int64_t column) {
      Number total = 0;
      for (int64_t k = 0; k < block; ++k)
        total += in(0, row * n + k) * in(1, k * n + column);
      return total;
    };
    cases.add(kFamily, kFile, "described_first", "f16,w=" + std::to_string(warps))
        .describedIn(DType::F16, {n, n}, {block, block}, smallNumbers())
        .describedIn(DType::F16, {n, n}, {block, block}, smallNumbers())
        .in(DType::F32, block * block, smallNumbers())
        .describedOut(DType::F32, {block, block}, {block, block}, blank(), exactAnyZero(),
                      each([product](const Inputs &in, int64_t at) {
                        int64_t i = at / block, j = at % block;
                        return product(in, i, j) + in(2, at) + in(2, j * block + i);
                      }))
        .with("N", block)
        .warps(warps);
    cases.add(kFamily, kFile, "loaded_behind", "f16,w=" + std::to_string(warps))
        .describedIn(DType::F16, {n, n}, {block, block}, smallNumbers())
        .describedIn(DType::F16, {n, n}, {block, block}, smallNumbers())
        .out(DType::F32, block * block, exactAnyZero(), each([product](const Inputs &in, int64_t at) {
               Number total = product(in, at / block, at % block);
               for (int64_t k = 0; k < block; ++k)
                 total += in(0, (block + at / block) * n + k) * in(0, at % block * n + block + k);
               return total;
             }))
        .with("N", block)
        .warps(warps);
    cases.add(kFamily, kFile, "described_beside", "f16,w=" + std::to_string(warps))
        .in(DType::F16, n * n, smallNumbers())
        .describedIn(DType::F16, {n, n}, {block, block}, smallNumbers())
        .describedOut(DType::F32, {n, n}, {block, block}, blank(), exactAnyZero(),
                      each([](const Inputs &in, int64_t at) {
                        Number total = 0;
                        for (int64_t k = 0, i = at / n, j = at % n; k < n; ++k)
                          total += 2 * in(0, i * n + k) * in(1, k * n + j);
                        return total;
                      }))
        .value(n)
        .with("N", block)
        .warps(warps)
        .grid(n / block, n / block);
  }
  for (DType type : {DType::F16, DType::BF16})
    for (auto [n, d, block, warps] : {std::tuple{200, 32, 64, 4}, {64, 16, 64, 4}, {300, 64, 128, 8}})
      cases.add(kFamily, kFile, "described_attention", named(type) + "," + by(n, d))
          .describedIn(type, {n, d}, {block, d}, reals(-1, 1))
          .describedIn(type, {n, d}, {block, d}, reals(-1, 1))
          .describedIn(type, {n, d}, {block, d}, reals(-1, 1))
          .describedOut(DType::F32, {n, d}, {block, d}, blank(), near(type == DType::F16 ? 4e-3 : 3e-2),
                        attentionOf(n, n, d, 1 / std::sqrt(double(d)), /*causal=*/false))
          .value(n)
          .real(1 / std::sqrt(double(d)))
          .with("D", d)
          .with("BLOCK", block)
          .warps(warps)
          .grid(cdiv(n, block));
  for (auto [n, d, queries, keys, warps, scale] : {std::tuple{130, 32, 64, 32, 4, 0.125},
                                                   {130, 32, 64, 64, 4, -0.5},
                                                   {130, 32, 64, 32, 4, 0.0},
                                                   {256, 64, 128, 64, 8, 0.125},
                                                   {256, 64, 128, 128, 8, 0.125}})
    cases
        .add(kFamily, kFile, "described_causal", by(n, d) + "," + by(queries, keys) + ",times " + std::to_string(scale))
        .describedIn(DType::F16, {n, d}, {queries, d}, reals(-1, 1))
        .describedIn(DType::F16, {n, d}, {keys, d}, reals(-1, 1))
        .describedIn(DType::F16, {n, d}, {keys, d}, reals(-1, 1))
        .describedOut(DType::F32, {n, d}, {queries, d}, blank(), near(4e-3),
                      attentionOf(n, n, d, scale, /*causal=*/true))
        .real(scale)
        .with("D", d)
        .with("QUERIES", queries)
        .with("KEYS", keys)
        .warps(warps)
        .grid(cdiv(n, queries));
}

} // namespace matmul_family

void addMatmul(Cases &cases) {
  using namespace matmul_family;
  addShaped(cases);
  addEpilogues(cases);
  addScaled(cases);
  addDivided(cases);
  addAttentions(cases);
  addDescribed(cases);
  addDescribedAcross(cases);
  addBytesAndWords(cases);
}

} // namespace tegula::conformance
