// Products in loops whose loads may be issued an iteration ahead: loops that run never, once and often, up to the ends
// of their type; and loops where an early load would read what is not there yet.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace ahead_family {

const std::string kFamily = "dot", kFile = "ahead.py";
constexpr int64_t kSide = 16, kTile = kSide * kSide;

Fill smallNumbers() { return whole(-4, 4); }

/// Element i of A B, whose tiles begin at elements a and b of the buffers.
Number product(const Inputs &in, int64_t i, int64_t a, int64_t b, size_t bufferA = 0, size_t bufferB = 1) {
  Number total = 0;
  for (int64_t p = 0; p < kSide; ++p)
    total += in(bufferA, a + i / kSide * kSide + p) * in(bufferB, b + p * kSide + i % kSide);
  return total;
}

/// Few elements are not zero, so that powers stay whole numbers that f16 has.
Fill sparse() { return listed({1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0}); }

/// A, A B, A B B ... of `count` elements in all.
Expected powers(const Inputs &in, int64_t count) {
  Expected all;
  for (int64_t i = 0; i < kTile; ++i)
    all.push_back(in(0, i));
  for (int64_t i = kTile; i < count; ++i) {
    Number total = 0;
    for (int64_t p = 0; p < kSide; ++p)
      total += *all[i / kSide * kSide - kTile + p] * in(1, p * kSide + i % kSide);
    all.push_back(total);
  }
  return all;
}

void addTrips(Cases &cases) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max(), kLeast = std::numeric_limits<int32_t>::min();
  struct Bounds {
    int64_t lower, upper, step;
  };
  for (auto [lower, upper, step] : {Bounds{0, 0, 1},
                                    {3, -3, 2},
                                    {0, 1, 1},
                                    {0, 5, 1},
                                    {-4, 7, 3},
                                    {kMost - 3, kMost, 1},
                                    {0, kMost, kMost},
                                    {kLeast, kLeast + 3, 1}})
    for (int64_t stages : {1, 2, 4}) {
      int64_t count = upper > lower ? cdiv(upper - lower, step) : 0;
      for (DType type : {DType::F16, DType::F32})
        cases
            .add(kFamily, kFile, "trips",
                 named(type) + "," + std::to_string(lower) + ".." + std::to_string(upper) + " by " +
                     std::to_string(step) + ",stages=" + std::to_string(stages))
            .in(type, std::max<int64_t>(count, 1) * kTile, smallNumbers())
            .in(type, std::max<int64_t>(count, 1) * kTile, smallNumbers())
            .out(DType::F32, kTile, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
                   Number total = 0;
                   for (int64_t trip = 0; trip < count; ++trip)
                     total += product(in, i, trip * kTile, trip * kTile);
                   return total;
                 }))
            .value(lower)
            .value(upper)
            .value(step)
            .with("N", kSide)
            .with("STAGES", stages);
    }
}

void addConverted(Cases &cases) {
  for (DType type : {DType::I8, DType::F8E5M2, DType::F32})
    for (int64_t n : {1, 16, 41, 64})
      cases.add(kFamily, kFile, "converted", named(type) + ",n=" + std::to_string(n))
          .in(type, kSide * n, smallNumbers())
          .in(type, kSide * n, smallNumbers())
          .in(DType::F16, cdiv(n, kSide), listed({1, 2, -1, 3}))
          .out(DType::F32, kTile, exactAnyZero(), each([n](const Inputs &in, int64_t i) {
                 Number total = 0;
                 for (int64_t p = 0; p < n; ++p)
                   total += in(0, i / kSide * n + p) * in(2, p / kSide) * in(1, i % kSide * n + p);
                 return total;
               }))
          .value(n)
          .with("N", kSide);
}

void addMoving(Cases &cases) {
  for (int64_t n : {0, 1, 2, 5}) {
    std::string variant = "n=" + std::to_string(n);
    int64_t tiles = std::max<int64_t>(n, 1);
    cases.add(kFamily, kFile, "changing_places", variant)
        .in(DType::F16, (n / 2 + 1) * kTile, smallNumbers())
        .in(DType::F16, (n / 2 + 1) * kTile, smallNumbers())
        .out(DType::F32, kTile, exactAnyZero(), each([n](const Inputs &in, int64_t i) {
               Number total = 0;
               int64_t first = 0, second = 0;
               for (int64_t trip = 0; trip < n; ++trip) {
                 total += product(in, i, first, second, trip % 2, 1 - trip % 2);
                 std::tie(first, second) = std::pair(second + kTile, first);
               }
               return total;
             }))
        .value(n)
        .with("N", kSide);
    cases.add(kFamily, kFile, "nested", variant)
        .in(DType::F16, kTile + n * kSide, smallNumbers())
        .in(DType::F16, kTile + n * kSide, smallNumbers())
        .out(DType::F32, kTile, exactAnyZero(), each([n](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t outer = 0; outer < n; ++outer) {
                 for (int64_t inner = 0; inner < outer; ++inner)
                   total += product(in, i, (outer - inner) * kSide, inner * kSide);
                 total -= outer;
               }
               return total;
             }))
        .value(n)
        .with("N", kSide);
    cases.add(kFamily, kFile, "divided", variant)
        .in(DType::F16, 2 * kTile, smallNumbers())
        .in(DType::F16, 2 * kTile, smallNumbers())
        .out(DType::F32, kTile, exactAnyZero(), each([n](const Inputs &in, int64_t i) {
               Number total = n == 0 ? 7 : 0;
               for (int64_t trip = 0; trip < n; ++trip)
                 total += product(in, i, trip * 2 / n * kTile, trip * 2 / n * kTile);
               return total;
             }))
        .value(n)
        .with("N", kSide);
    cases.add(kFamily, kFile, "branch", variant)
        .in(DType::F16, tiles * kTile, smallNumbers())
        .in(DType::F16, tiles * kTile, smallNumbers())
        .out(DType::F32, kTile, exactAnyZero(), each([n](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t trip = 0; trip < n; ++trip)
                 total += trip % 3 == 1 ? 0 : product(in, i, trip * kTile, trip * kTile);
               return total;
             }))
        .value(n)
        .with("N", kSide);
  }
}

void addOrdered(Cases &cases) {
  for (DType type : {DType::F16, DType::F32})
    for (int64_t n : {1, 2, 4}) {
      std::string variant = named(type) + ",n=" + std::to_string(n);
      cases.add(kFamily, kFile, "stores_elsewhere", variant)
          .in(type, n * kTile, smallNumbers())
          .in(type, kTile, smallNumbers())
          .out(DType::F32, n * kTile, exactAnyZero(),
               each([](const Inputs &in, int64_t i) { return product(in, i % kTile, i / kTile * kTile, 0); }))
          .value(n)
          .with("N", kSide);
      cases.add(kFamily, kFile, "chain", variant)
          .in(type, kTile, whole(-2, 2))
          .in(type, kTile, sparse())
          .out(type, (n + 1) * kTile, exactAnyZero(), powers)
          .value(n)
          .with("N", kSide);
      cases.add(kFamily, kFile, "in_place", variant)
          .inOut(type, kTile, whole(-2, 2), exactAnyZero(),
                 [n](const Inputs &in, int64_t count) {
                   Expected all = powers(in, (n + 1) * count);
                   return Expected(all.end() - count, all.end());
                 })
          .in(type, kTile, sparse())
          .same(0)
          .value(n)
          .with("N", kSide);
      // The same kernel with two arrays, where loads may pass the stores: all products are of what x holds.
      cases.add(kFamily, kFile, "in_place", variant + ",apart")
          .in(type, kTile, whole(-2, 2))
          .in(type, kTile, sparse())
          .out(type, kTile, exactAnyZero(),
               [n](const Inputs &in, int64_t count) {
                 Expected all;
                 for (int64_t i = 0; i < count; ++i)
                   all.push_back(n ? std::optional<Number>(product(in, i, 0, 0)) : std::nullopt);
                 return all;
               })
          .value(n)
          .with("N", kSide);
      cases.add(kFamily, kFile, "paged", variant)
          .in(DType::I32, 4, listed({2, 0, 3, 1}))
          .in(type, 4 * kTile, smallNumbers())
          .in(type, n * kTile, smallNumbers())
          .out(DType::F32, kTile, exactAnyZero(), each([n](const Inputs &in, int64_t i) {
                 Number total = 0;
                 for (int64_t trip = 0; trip < n; ++trip)
                   total += product(in, i, int64_t(in(0, trip)) * kTile, trip * kTile, 1, 2);
                 return total;
               }))
          .value(n)
          .with("N", kSide);
    }
}

/// Loops whose operands are written right before them and right after them, by other threads than those that copy them;
/// and two loops, one after the other.
void addAround(Cases &cases) {
  for (int64_t n : {1, 2, 5}) {
    std::string variant = "n=" + std::to_string(n);
    auto square = [n](const Inputs &in, int64_t i, size_t bufferA, size_t bufferB) {
      Number total = 0;
      for (int64_t trip = 0; trip < n; ++trip)
        total += product(in, i, trip * kTile, trip * kTile, bufferA, bufferB);
      return total;
    };
    cases.add(kFamily, kFile, "written_around", variant)
        .inOut(DType::F16, n * kTile, smallNumbers(), exactAnyZero(), each([](const Inputs &, int64_t) { return -1; }))
        .in(DType::F16, n * kTile, smallNumbers())
        .out(DType::F32, kTile, exactAnyZero(),
             each([square](const Inputs &in, int64_t i) { return square(in, i, 1, 1); }))
        .value(n)
        .with("N", kSide);
    cases.add(kFamily, kFile, "one_after_the_other", variant)
        .in(DType::F16, n * kTile, smallNumbers())
        .in(DType::F16, n * kTile, smallNumbers())
        .out(DType::F32, kTile, exactAnyZero(),
             each([square](const Inputs &in, int64_t i) { return square(in, i, 0, 1) + square(in, i, 1, 0); }))
        .value(n)
        .with("N", kSide);
  }
}

/// Loops that read where to read: in `next`, page p + 1 follows page p, and the first follows the last.
void addPages(Cases &cases) {
  for (int64_t n : {0, 1, 3, 4}) {
    std::string variant = "n=" + std::to_string(n);
    cases.add(kFamily, kFile, "paged_both", variant)
        .in(DType::I32, std::max<int64_t>(n, 1), listed({2, 0, 3, 1}))
        .in(DType::F16, 4 * kTile, smallNumbers())
        .in(DType::F16, 4 * kTile, smallNumbers())
        .out(DType::F32, kTile, exactAnyZero(), each([n](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t trip = 0; trip < n; ++trip)
                 total += product(in, i, int64_t(in(0, trip)) * kTile, int64_t(in(0, trip)) * kTile, 1, 2);
               return total;
             }))
        .value(n)
        .with("N", kSide);
    cases.add(kFamily, kFile, "linked", variant)
        .in(DType::I32, 4, listed({1, 2, 3, 0}))
        .in(DType::F16, 4 * kTile, smallNumbers())
        .in(DType::F16, std::max<int64_t>(n, 1) * kTile, smallNumbers())
        .out(DType::F32, kTile, exactAnyZero(), each([n](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t trip = 0; trip < n; ++trip)
                 total += product(in, i, trip % 4 * kTile, trip * kTile, 1, 2);
               return total;
             }))
        .value(n)
        .with("N", kSide);
  }
}

/// Loops whose tiles are large enough for threads' copies: by numbers that the loop reads, and through ops.
void addIndexed(Cases &cases) {
  constexpr int64_t kWide = 32, kWhole = kWide * kWide, kPages = 4;
  auto dotOf = [](const Inputs &in, int64_t i, auto &&left, auto &&right) {
    Number total = 0;
    for (int64_t p = 0; p < kWide; ++p)
      total += left(in, i / kWide, p) * right(in, p, i % kWide);
    return total;
  };
  auto pageOf = [](size_t buffer, int64_t page) {
    return
        [=](const Inputs &in, int64_t row, int64_t column) { return in(buffer, page * kWhole + row * kWide + column); };
  };
  auto sum = [](int64_t n, auto &&term) {
    return each([=](const Inputs &in, int64_t i) {
      Number total = 0;
      for (int64_t trip = 0; trip < n; ++trip)
        total += term(in, i, trip);
      return total;
    });
  };
  for (int64_t n : {0, 1, 2, 3, 6}) {
    std::string variant = "wide,n=" + std::to_string(n);
    int64_t tiles = std::max<int64_t>(n, 1);
    auto add = [&](const char *kernel) -> Case & {
      return cases.add(kFamily, kFile, kernel, variant).with("N", kWide);
    };
    add("paged")
        .in(DType::I32, tiles, listed({2, 0, 3, 1}))
        .in(DType::F16, kPages * kWhole, smallNumbers())
        .in(DType::F16, tiles * kWhole, smallNumbers())
        .out(DType::F32, kWhole, exactAnyZero(),
             sum(n, [=](const Inputs &in, int64_t i,
                        int64_t trip) { return dotOf(in, i, pageOf(1, int64_t(in(0, trip))), pageOf(2, trip)); }))
        .value(n);
    add("linked")
        .in(DType::I32, kPages, listed({1, 2, 3, 0}))
        .in(DType::F16, kPages * kWhole, smallNumbers())
        .in(DType::F16, tiles * kWhole, smallNumbers())
        .out(DType::F32, kWhole, exactAnyZero(),
             sum(n, [=](const Inputs &in, int64_t i,
                        int64_t trip) { return dotOf(in, i, pageOf(1, trip % kPages), pageOf(2, trip)); }))
        .value(n);
    add("gathered")
        .in(DType::I32, tiles * kWide, whole(-1, kPages * kWide - 1))
        .in(DType::F16, kPages * kWhole, smallNumbers())
        .in(DType::F16, tiles * kWhole, smallNumbers())
        .out(DType::F32, kWhole, exactAnyZero(),
             sum(n,
                 [=](const Inputs &in, int64_t i, int64_t trip) {
                   auto rowOf = [=](const Inputs &from, int64_t row, int64_t column) {
                     int64_t number = int64_t(from(0, trip * kWide + row));
                     return number < 0 ? Number(0) : from(1, number * kWide + column);
                   };
                   return dotOf(in, i, rowOf, pageOf(2, trip));
                 }))
        .value(n);
    if (n > 0)
      add("gathered_chosen")
          .in(DType::I32, n * kWide, whole(0, kPages * kWide - 1))
          .in(DType::F16, kPages * kWhole, smallNumbers())
          .in(DType::F16, n * kWhole, smallNumbers())
          .out(DType::F32, kWhole, exactAnyZero(),
               sum(n,
                   [=](const Inputs &in, int64_t i, int64_t trip) {
                     auto rowOf = [=](const Inputs &from, int64_t row, int64_t column) {
                       int64_t number = int64_t(from(0, trip * kWide + row));
                       return number < 2 * kWide ? from(1, number * kWide + column) : Number(0);
                     };
                     return dotOf(in, i, rowOf, pageOf(2, trip));
                   }))
          .out(DType::F32, n, exact(), each([](const Inputs &, int64_t i) { return Number(i) / 2; }))
          .value(n);
    // One expert more than iterations: llvmpipe of Mesa 26.1 executes the loads of uniform addresses once more after
    // the last iteration, without a mask, and what they read is the next load's address.
    add("two_steps")
        .in(DType::I32, tiles + 1, listed({3, 1, 0, 2, 1}))
        .in(DType::I32, kPages, listed({2, 0, 3, 1}))
        .in(DType::F16, kPages * kWhole, smallNumbers())
        .in(DType::F16, kPages * kWhole, smallNumbers())
        .out(DType::F32, kWhole, exactAnyZero(),
             sum(n,
                 [=](const Inputs &in, int64_t i, int64_t trip) {
                   int64_t page = int64_t(in(1, int64_t(in(0, trip))));
                   return dotOf(in, i, pageOf(2, page), pageOf(3, 12 / (page + 1) % 4));
                 }))
        .value(n);
    add("scaled_blocks")
        .in(DType::F16, tiles * kWhole, smallNumbers())
        .in(DType::F16, tiles * kWide / 8, listed({1, 2, -1, 3}))
        .in(DType::F16, tiles * kWhole, smallNumbers())
        .out(DType::F32, kWhole, exactAnyZero(),
             sum(n,
                 [=](const Inputs &in, int64_t i, int64_t trip) {
                   auto left = [=](const Inputs &from, int64_t row, int64_t p) {
                     return 2 * from(0, trip * kWhole + row * kWide + p) * from(1, (trip * kWide + p) / 8);
                   };
                   return dotOf(in, i, left, pageOf(2, trip));
                 }))
        .value(n);
    add("paged_by_sixteens")
        .in(DType::I32, tiles, listed({64, 0, 1024, 16}))
        .in(DType::F16, 2 * kWhole + 64, smallNumbers())
        .in(DType::F16, tiles * kWhole, smallNumbers())
        .out(DType::F32, kWhole, exactAnyZero(),
             sum(n,
                 [=](const Inputs &in, int64_t i, int64_t trip) {
                   auto left = [=](const Inputs &from, int64_t row, int64_t p) {
                     return from(1, int64_t(from(0, trip)) + row * kWide + p);
                   };
                   return dotOf(in, i, left, pageOf(2, trip));
                 }))
        .value(n);
    for (DType type : {DType::F8E4M3, DType::F16, DType::F32})
      cases.add(kFamily, kFile, "cast_and_summed", named(type) + "," + variant)
          .in(type, tiles * kWhole, smallNumbers())
          .in(DType::F16, tiles * kWhole, smallNumbers())
          .out(DType::F32, kWhole, exactAnyZero(),
               sum(n,
                   [=](const Inputs &in, int64_t i, int64_t trip) {
                     auto kept = [=](const Inputs &from, int64_t row, int64_t column) {
                       Number a = from(0, trip * kWhole + row * kWide + column);
                       return a > 0 ? 2 * a : a;
                     };
                     return dotOf(in, i, kept, pageOf(1, trip));
                   }))
          .out(DType::F32, kWide, exactAnyZero(),
               sum(n,
                   [=](const Inputs &in, int64_t i, int64_t trip) {
                     Number total = 0;
                     for (int64_t p = 0; p < kWide; ++p)
                       total += in(0, trip * kWhole + i * kWide + p);
                     return total;
                   }))
          .value(n)
          .with("N", kWide);
  }
}

void addGatheredDepth(Cases &cases) {
  constexpr int64_t kWide = 32, kDepth = 80;
  for (int64_t n : {0, 1, 2, 5})
    cases.add(kFamily, kFile, "gathered_depth", "wide,n=" + std::to_string(n))
        .in(DType::F16, kWide * kDepth, smallNumbers())
        .in(DType::F16, kDepth * kWide, smallNumbers())
        .in(DType::I32, std::max<int64_t>(n, 1) * kWide, whole(0, kDepth - 1))
        .out(DType::F32, kWide * kWide, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t p = 0; p < n * kWide; ++p)
                 total += in(0, i / kWide * kDepth + int64_t(in(2, p))) * in(1, int64_t(in(2, p)) * kWide + i % kWide);
               return total;
             }))
        .value(n)
        .value(kDepth)
        .with("N", kWide);
}

void addDecayed(Cases &cases) {
  constexpr int64_t kWide = 32, kWhole = kWide * kWide;
  for (int64_t n : {0, 1, 2, 5})
    cases.add(kFamily, kFile, "decayed", "wide,n=" + std::to_string(n))
        .in(DType::F16, kWhole, whole(-2, 2))
        .in(DType::F16, std::max<int64_t>(n, 1) * kWhole, whole(-2, 2))
        .in(DType::F32, std::max<int64_t>(n, 1) * kWide, whole(-1, 1))
        .out(DType::F32, kWhole, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
               int64_t row = i / kWide, column = i % kWide;
               Number total = 0;
               for (int64_t k = 0; k < n; ++k) {
                 total *= in(2, k * kWide + row);
                 for (int64_t q = 0; q < kWide; ++q) {
                   Number score = 0;
                   for (int64_t p = 0; p < kWide; ++p)
                     score += in(0, row * kWide + p) * in(1, k * kWhole + p * kWide + q);
                   total += score * in(1, k * kWhole + q * kWide + column);
                 }
               }
               return total;
             }))
        .value(n)
        .with("N", kWide);
}

/// One loop over all steps of all tiles. Past its end, the divisor of a tile's number is zero if `rows` is even.
void addFlattened(Cases &cases) {
  constexpr int64_t kWide = 32, kWhole = kWide * kWide;
  struct Tiles {
    int64_t rows, columns, depth;
  };
  for (auto [rows, columns, depth] : {Tiles{1, 1, 1}, {2, 1, 3}, {4, 3, 1}, {3, 2, 2}, {4, 2, 3}})
    cases
        .add(kFamily, kFile, "flattened",
             std::to_string(rows) + "x" + std::to_string(columns) + "x" + std::to_string(depth))
        .in(DType::F16, rows * depth * kWhole, smallNumbers())
        .in(DType::F16, columns * depth * kWhole, smallNumbers())
        .out(DType::F32, rows * columns * kWhole, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
               int64_t tile = i / kWhole, row = i % kWhole / kWide, column = i % kWide;
               int64_t left = tile / columns * depth, right = tile % columns * depth;
               Number total = 0;
               for (int64_t p = 0; p < depth * kWide; ++p)
                 total += in(0, (left + p / kWide) * kWhole + row * kWide + p % kWide) *
                          in(1, (right + p / kWide) * kWhole + p % kWide * kWide + column);
               return total;
             }))
        .value(rows)
        .value(columns)
        .value(depth)
        .with("N", kWide);
}

} // namespace ahead_family

void addAhead(Cases &cases) {
  using namespace ahead_family;
  Cases all;
  addTrips(all);
  addConverted(all);
  addMoving(all);
  addOrdered(all);
  addAround(all);
  addPages(all);
  addIndexed(all);
  addGatheredDepth(all);
  addDecayed(all);
  addFlattened(all);
  // A tile of 512 bytes has one piece of 16 bytes for each thread of one warp: then its load becomes an asynchronous
  // copy (tile-pipeline-copies). With four warps it stays a load.
  for (const Case &made : all.all())
    for (int warps : {made.numWarps, 1}) {
      std::string variant = made.name.substr(made.name.find('/', made.name.find('/') + 1) + 1);
      Case &added = cases.add(kFamily, kFile, made.kernel, variant + (warps == 1 ? ",w=1" : ""));
      std::string name = added.name;
      added = made;
      added.name = name;
      added.warps(warps);
    }
}

} // namespace tegula::conformance
