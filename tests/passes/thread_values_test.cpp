// The evaluation of thread numbers, compared with the values that each thread computes in the executor.
#include "tests/passes/Run.h"

#include "core/passes/shared/ThreadValues.h"

#include <gtest/gtest.h>

#include <random>

namespace tegula::passes_test {
namespace {

constexpr size_t kThreads = 12 * 2; // 6 warps of 4

/// A random expression of `steps` ops over thread numbers, with two registers for each thread; its value is %r.
std::string randomExpression(uint64_t seed, int steps) {
  std::mt19937_64 random(seed);
  std::vector<std::string> values{"%a", "%b", "%c"};
  std::string text = "%t = simt.thread_id : i32\n%w = simt.warp_id : i32\n%l = simt.lane_id : i32\n"
                     "%s = simt.warp_size : i32\n%a = simt.concat %t, %w : i32, i32 -> vector<2xi32>\n"
                     "%b = simt.splat %l : i32 -> vector<2xi32>\n%c = simt.concat %s, %l : i32, i32 -> vector<2xi32>\n";
  auto pick = [&] { return values[random() % values.size()]; };
  const char *kinds[] = {"addi",  "subi",  "muli",  "andi",  "ori",   "xori",  "shli",  "shrui", "shrsi",
                         "divui", "divsi", "remui", "remsi", "maxsi", "minsi", "maxui", "minui"};
  for (int i = 0; i < steps; ++i) {
    std::string name = "%v" + std::to_string(i), other = "%k" + std::to_string(i), x = pick();
    std::string kind = kinds[random() % std::size(kinds)];
    bool small = kind.starts_with("sh") || kind.starts_with("div") || kind.starts_with("rem");
    switch (random() % 6) {
    case 0: {
      std::string wide = random() % 2 ? "extsi" : "extui";
      text += other + " = arith.trunci " + x + " : vector<2xi32> to vector<2xi8>\n" + name + " = arith." + wide + " " +
              other + " : vector<2xi8> to vector<2xi32>\n";
      break;
    }
    case 1: {
      const char *tests[] = {"eq", "ne", "slt", "sge", "ult", "ugt"};
      text += other + " = arith.cmpi " + tests[random() % 6] + ", " + x + ", " + pick() + " : vector<2xi32>\n" + name +
              " = arith.select " + other + ", " + pick() + ", " + pick() + " : vector<2xi1>, vector<2xi32>\n";
      break;
    }
    case 2:
      text += other + " = simt.concat " + x + ", " + pick() + " : vector<2xi32>, vector<2xi32> -> vector<4xi32>\n" +
              name +
              (random() % 2 ? " = simt.pick " + other + " [3, 1] : vector<4xi32> -> vector<2xi32>\n"
                            : " = simt.slice " + other + " from 1 : vector<4xi32> -> vector<2xi32>\n");
      break;
    default:
      text += other + " = arith.constant dense<[" + std::to_string(1 + random() % 9) + ", " +
              std::to_string(1 + random() % 30) + "]> : vector<2xi32>\n" + name + " = arith." + kind + " " + x + ", " +
              (small          ? other
               : random() % 3 ? pick()
                              : other) +
              " : vector<2xi32>\n";
    }
    values.push_back(name);
  }
  std::string last = values.back();
  return text + "%two = arith.constant 2 : i32\n%at = arith.muli %t, %two : i32\nsimt.store %o[%at], " + last +
         " : !tile.ptr<i32>, i32, vector<2xi32>\n";
}

std::string kernelOf(const std::string &body) {
  return "func.func @k(%x: !tile.ptr<i32>, %o: !tile.ptr<i32>) attributes {simt.warps = 6 : i32, simt.warp_size = 4 : "
         "i32} {\n" +
         body + "return\n}\n";
}

TEST(ThreadValues, AreWhatEachThreadComputes) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Module module(kernelOf(randomExpression(seed, 1 + int(seed % 20))));
    Outcome outcome = execute(module.kernel(), {0}, kThreads * 2, seed);
    ASSERT_EQ(outcome.reports, "") << module.text();
    simt::ThreadValues values(module.kernel());
    ASSERT_EQ(size_t(values.threads()), kThreads);
    module.kernel().walk([&](simt::StoreOp store) {
      const std::vector<int64_t> *found = values.of(store.getValue());
      ASSERT_NE(found, nullptr) << module.text();
      EXPECT_EQ(*found, std::vector<int64_t>(outcome.out.begin(), outcome.out.end())) << module.text();
    });
  }
}

TEST(ThreadValues, KnowNothingOfMemoryAndLoops) {
  Module module(kernelOf("%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%t = simt.thread_id : i32\n"
                         "%m = simt.load %x[%c0] : !tile.ptr<i32>, i32 -> i32\n%v = arith.addi %m, %t : i32\n"
                         "simt.store %o[%t], %v : !tile.ptr<i32>, i32, i32\n"
                         "scf.for %i = %c0 to %c1 step %c1 : i32 {\n%u = arith.addi %i, %t : i32\n"
                         "simt.store %o[%t], %u : !tile.ptr<i32>, i32, i32\n} {simt.uniform}\n"
                         "%z = arith.divui %t, %c0 : i32\nsimt.store %o[%t], %z : !tile.ptr<i32>, i32, i32\n"));
  simt::ThreadValues values(module.kernel());
  int stores = 0;
  module.kernel().walk([&](simt::StoreOp store) {
    EXPECT_EQ(values.of(store.getValue()), nullptr);
    EXPECT_NE(values.of(store.getOffset()), nullptr);
    ++stores;
  });
  EXPECT_EQ(stores, 3);
}

} // namespace
} // namespace tegula::passes_test
