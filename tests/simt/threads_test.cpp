// Ids, register tiles, shuffles, votes, control flow, warp groups, print.
#include "tests/simt/Body.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tegula::simt_test {
namespace {

const std::string kStore = "simt.store %o[%t], %r : !tile.ptr<i32>, i32, i32\n";

TEST(Threads, Ids) {
  auto x = iota(1);
  std::vector<int32_t> out(64 * 2);
  std::string body = R"(
    %s = simt.warp_size : i32
    %p = tile.program_id 1
    %n = tile.num_programs 1
    %a = arith.muli %w, %s : i32
    %b = arith.addi %a, %l : i32
    %c100 = arith.constant 100 : i32
    %c = arith.muli %b, %c100 : i32
    %d = arith.muli %n, %c8 : i32
    %e = arith.addi %c, %d : i32
    %r = arith.addi %e, %p : i32
    %c64 = arith.constant 64 : i32
    %f = arith.muli %p, %c64 : i32
    %at = arith.addi %f, %t : i32
    simt.store %o[%at], %r : !tile.ptr<i32>, i32, i32)";
  BodyShape shape = integers(4, 16);
  shape.grid = {1, 2, 1};
  EXPECT_EQ(runBody(shape, body, x, out).text(), "");
  for (int program = 0; program < 2; ++program)
    for (int thread = 0; thread < 64; ++thread)
      EXPECT_EQ(out[size_t(program * 64 + thread)], thread * 100 + 2 * 8 + program);
}

TEST(Threads, ElectsOneLaneOfEachWarpAndStaysWithIt) {
  auto x = iota(1);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<int32_t> out(64);
    BodyShape shape = integers(4, 16);
    shape.options.seed = seed;
    EXPECT_EQ(runBody(shape,
                      "%e = simt.elect : i1\n%e2 = simt.elect : i1\n%e3 = arith.extui %e : i1 to i32\n"
                      "%e4 = arith.extui %e2 : i1 to i32\n%r = arith.addi %e3, %e4 : i32\n" +
                          kStore,
                      x, out)
                  .text(),
              "");
    for (size_t warp = 0; warp < 4; ++warp) {
      EXPECT_EQ(std::count(&out[warp * 16], &out[warp * 16] + 16, 2), 1);
      EXPECT_EQ(std::count(&out[warp * 16], &out[warp * 16] + 16, 0), 15);
    }
  }
}

TEST(Threads, Shuffles) {
  auto x = iota(32);
  for (std::string mode : {"index", "xor", "up", "down"})
    for (int32_t distance : {0, 1, 5, 7, 8, 13, -1}) {
      std::vector<int32_t> out(64);
      std::string body =
          "%d = arith.constant " + std::to_string(distance) + " : i32\n%d2 = arith.addi %d, %w : i32\n" +
          "%t2 = arith.addi %t, %t : i32\n%v = simt.concat %t, %t2 : i32, i32 -> vector<2xi32>\n%s = simt.shuffle " +
          mode +
          " %v, %d2 : vector<2xi32>\n%at = arith.muli %t, %c2 : i32\n"
          "simt.store %o[%at], %s : !tile.ptr<i32>, i32, vector<2xi32>\n";
      EXPECT_EQ(runBody(integers(4, 8), body, x, out).text(), "");
      for (int32_t thread = 0; thread < 32; ++thread) {
        int32_t lane = thread % 8, warp = thread / 8, by = distance + warp;
        int32_t source = mode == "index" ? by : mode == "xor" ? lane ^ by : mode == "up" ? lane - by : lane + by;
        if (source < 0 || source >= 8)
          source = lane;
        EXPECT_EQ(out[size_t(2 * thread)], warp * 8 + source) << mode << ' ' << distance;
        EXPECT_EQ(out[size_t(2 * thread + 1)], 2 * (warp * 8 + source)) << mode << ' ' << distance;
      }
    }
}

TEST(Threads, Votes) {
  auto x = iota(1);
  for (std::string kind : {"any", "all"}) {
    std::vector<int32_t> out(32);
    std::string body =
        "%p = arith.cmpi sge, %t, %c4 : i32\n%q = arith.cmpi slt, %t, %c16 : i32\n%b = arith.andi %p, %q : i1\n"
        "%v = simt.vote " +
        kind + " %b : i1\n%r = arith.extui %v : i1 to i32\n" + kStore;
    EXPECT_EQ(runBody(integers(4, 8), body, x, out).text(), "");
    // Threads 4 to 15: part of warp 0, all of warp 1.
    for (size_t i = 0; i < 32; ++i)
      EXPECT_EQ(out[i], kind == "any" ? i < 16 : i >= 8 && i < 16) << kind << ' ' << i;
  }
}

TEST(Threads, RegisterTiles) {
  std::vector<int32_t> x{3, 1, 4, 1, 5, 9, 2, 6}, out(8 + 4 + 2 + 8 + 1);
  std::string body = R"(
    %v = simt.load %x[%c0] : !tile.ptr<i32>, i32 -> vector<8xi32>
    %p = simt.pick %v [7, 0, 0, 5] : vector<8xi32> -> vector<4xi32>
    %s = simt.slice %v from 3 : vector<8xi32> -> vector<2xi32>
    %first = simt.pick %v [2] : vector<8xi32> -> i32
    %cat = simt.concat %s, %first, %p, %first : vector<2xi32>, i32, vector<4xi32>, i32 -> vector<8xi32>
    %keep2 = simt.reduce_registers addi %v keep 5 : vector<8xi32> -> vector<4xi32>
    %all = simt.reduce_registers maxsi %v keep 0 : vector<8xi32> -> vector<1xi32>
    %low = simt.reduce_registers minsi %v keep 2 : vector<8xi32> -> vector<2xi32>
    %spread = simt.spread_registers %keep2 keep 5 : vector<4xi32> -> vector<8xi32>
    %one = simt.pick %all [0] : vector<1xi32> -> i32
    simt.store %o[%c0], %cat : !tile.ptr<i32>, i32, vector<8xi32>
    simt.store %o[%c8], %keep2 : !tile.ptr<i32>, i32, vector<4xi32>
    %c12 = arith.constant 12 : i32
    simt.store %o[%c12], %low : !tile.ptr<i32>, i32, vector<2xi32>
    %at = arith.constant dense<[14, 15, 16, 17, 18, 19, 20, 21]> : vector<8xi32>
    simt.store %o[%at], %spread : !tile.ptr<i32>, vector<8xi32>, vector<8xi32>
    %c22 = arith.constant 22 : i32
    simt.store %o[%c22], %one : !tile.ptr<i32>, i32, i32)";
  EXPECT_EQ(runBody(integers(1, 1), body, x, out).text(), "");
  std::vector<int32_t> keep2(4), low(2, 100), spread(8);
  auto keptOf = [](size_t i) { return (i & 1) | (i >> 1 & 2); };
  for (size_t i = 0; i < 8; ++i) {
    keep2[keptOf(i)] += x[i];
    low[i >> 1 & 1] = std::min(low[i >> 1 & 1], x[i]);
  }
  std::vector<int32_t> expected{1, 5, 4, 6, 3, 3, 9, 4};
  expected.insert(expected.end(), keep2.begin(), keep2.end());
  expected.insert(expected.end(), low.begin(), low.end());
  for (size_t i = 0; i < 8; ++i)
    expected.push_back(keep2[keptOf(i)]);
  expected.push_back(9);
  EXPECT_EQ(out, expected);
}

TEST(Threads, CombineKinds) {
  std::vector<float> x{1.5f, NAN, -2.0f, 4.0f}, out(8);
  std::string body = "%v = simt.load %x[%c0] : !tile.ptr<f32>, i32 -> vector<4xf32>\n";
  const char *kinds[] = {"addf", "mulf", "maxnumf", "minnumf", "maximumf", "minimumf"};
  for (size_t i = 0; i < 6; ++i) {
    std::string n = std::to_string(i);
    body += "%r" + n + " = simt.reduce_registers " + kinds[i] + " %v keep 0 : vector<4xf32> -> vector<1xf32>\n%at" + n +
            " = arith.constant " + n + " : i32\nsimt.store %o[%at" + n + "], %r" + n +
            " : !tile.ptr<f32>, i32, vector<1xf32>\n";
  }
  EXPECT_EQ(runBody({.warps = 1, .warpSize = 1}, body, x, out).text(), "");
  EXPECT_EQ(out[2], 4.0f);
  EXPECT_EQ(out[3], -2.0f);
  for (size_t i : {0, 1, 4, 5})
    EXPECT_TRUE(std::isnan(out[i])) << kinds[i];
}

TEST(Threads, ControlFlow) {
  // The Collatz steps of each thread's number: a while in a for, with an if that has results.
  auto x = iota(1);
  std::vector<int32_t> out(32);
  std::string body = R"(
    %start = arith.addi %t, %c1 : i32
    %three = arith.constant 3 : i32
    %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%total = %c0) -> (i32) : i32 {
      %n, %steps = scf.while (%v = %start, %s = %total) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi ne, %v, %c1 : i32
        scf.condition(%more) %v, %s : i32, i32
      } do {
      ^bb0(%v: i32, %s: i32):
        %odd = arith.andi %v, %c1 : i32
        %isOdd = arith.trunci %odd : i32 to i1
        %next = scf.if %isOdd -> (i32) {
          %a = arith.muli %v, %three : i32
          %b = arith.addi %a, %c1 : i32
          scf.yield %b : i32
        } else {
          %a = arith.shrui %v, %c1 : i32
          scf.yield %a : i32
        } {simt.divergent}
        %s1 = arith.addi %s, %c1 : i32
        scf.yield %next, %s1 : i32, i32
      } attributes {simt.divergent}
      scf.yield %steps : i32
    } {simt.uniform}
  )" + kStore;
  EXPECT_EQ(runBody(integers(4, 8), body, x, out).text(), "");
  for (int32_t i = 0; i < 32; ++i) {
    int32_t steps = 0;
    for (int32_t v = i + 1; v != 1; v = v % 2 ? 3 * v + 1 : v / 2)
      ++steps;
    EXPECT_EQ(out[size_t(i)], 2 * steps);
  }
}

TEST(Threads, LoopsExchangeValuesAndEndWhereTheTypeEnds) {
  auto x = iota(1);
  std::vector<int32_t> out(2);
  std::string body = R"(
    %last = arith.constant 2147483647 : i32
    %from = arith.constant 2147483640 : i32
    %three = arith.constant 3 : i32
    %n = scf.for %i = %from to %last step %three iter_args(%s = %c0) -> (i32) : i32 {
      %s1 = arith.addi %s, %c1 : i32
      scf.yield %s1 : i32
    } {simt.uniform}
    %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c4, %q = %c8) -> (i32, i32) : i32 {
      scf.yield %q, %p : i32, i32
    } {simt.uniform}
    %ten = arith.constant 10 : i32
    %m = arith.muli %n, %ten : i32
    simt.store %o[%c0], %m : !tile.ptr<i32>, i32, i32
    simt.store %o[%c1], %a : !tile.ptr<i32>, i32, i32)";
  EXPECT_EQ(runBody(integers(1, 1), body, x, out).text(), "");
  EXPECT_EQ(out, (std::vector<int32_t>{30, 8}));
}

TEST(Threads, WarpGroupsCountWithinTheirRegion) {
  auto x = iota(1);
  std::vector<int32_t> out(96);
  std::string body = R"(
    simt.warp_groups(%o) : !tile.ptr<i32>
    group warps 1 (%p: !tile.ptr<i32>) {
      %i = simt.thread_id : i32
      simt.barrier
      simt.store %p[%i], %i : !tile.ptr<i32>, i32, i32
    }
    group warps 2 registers 40 (%p: !tile.ptr<i32>) {
      %i = simt.thread_id : i32
      %j = simt.warp_id : i32
      %k1000 = arith.constant 1000 : i32
      %k8 = arith.constant 8 : i32
      %a = arith.muli %j, %k1000 : i32
      %b = arith.addi %a, %i : i32
      %at = arith.addi %i, %k8 : i32
      simt.barrier
      simt.store %p[%at], %b : !tile.ptr<i32>, i32, i32
    }
    %c32 = arith.constant 32 : i32
    %at = arith.addi %t, %c32 : i32
    simt.store %o[%at], %w : !tile.ptr<i32>, i32, i32)";
  EXPECT_EQ(runBody(integers(3, 8), body, x, out).text(), "");
  for (int32_t i = 0; i < 24; ++i) {
    EXPECT_EQ(out[size_t(i)], i < 8 ? i : (i - 8) / 8 * 1000 + i - 8);
    EXPECT_EQ(out[size_t(i + 32)], i / 8);
  }
}

TEST(Threads, Print) {
  std::vector<float> x{1.5f, -2.0f}, out(1);
  std::string body =
      "%v = simt.load %x[%c0] : !tile.ptr<f32>, i32 -> vector<2xf32>\n"
      "%at = simt.splat %t : i32 -> vector<2xi32>\n"
      "%twice = arith.addi %at, %at : vector<2xi32>\n%step = arith.constant dense<[0, 1]> : vector<2xi32>\n"
      "%e = arith.addi %twice, %step : vector<2xi32>\n%zero = arith.cmpi eq, %t, %c0 : i32\n"
      "simt.print \"x\" shape [4] elements %e : vector<2xi32> (%v) : vector<2xf32>\n"
      "simt.print \"n\" where %zero (%c2) : i32\nsimt.print \"here\" where %zero\n";
  RunResult result = runBody({.warps = 1, .warpSize = 2, .grid = {1, 1, 2}}, body, x, out);
  std::sort(result.printed.begin(), result.printed.end());
  EXPECT_EQ(result.printed,
            (std::vector<std::string>{"here 0 0 0", "here 0 0 1", "n 0 0 0: 2", "n 0 0 1: 2", "x 0 0 0 [0]: 1.5",
                                      "x 0 0 0 [1]: -2", "x 0 0 0 [2]: 1.5", "x 0 0 0 [3]: -2", "x 0 0 1 [0]: 1.5",
                                      "x 0 0 1 [1]: -2", "x 0 0 1 [2]: 1.5", "x 0 0 1 [3]: -2"}));
}

} // namespace
} // namespace tegula::simt_test
