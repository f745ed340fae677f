// Random kernels: the executor confirms offsets and barriers, and no barrier is superfluous.
#include "tests/passes/Programs.h"
#include "tests/passes/Run.h"

#include "core/passes/shared/StorageAssignment.h"
#include "core/support/Files.h"

#include <gtest/gtest.h>

#include <random>

namespace tegula::passes_test {
namespace {

constexpr uint64_t kPrograms = 300;
const char *const kCheck = "simt-check-barriers";

std::string passesOf(uint64_t seed) {
  std::string targets[] = {"", "shares_widths=false", "spare_bytes=64"};
  return "simt-set-target{fields={" + targets[seed % 3] + "}},simt-allocate-shared,simt-insert-barriers";
}

int64_t sumOfSizes(Module &module) {
  int64_t sum = 0;
  module.kernel().walk([&](simt::SharedAllocOp buffer) { sum += (buffer.getType().getBytes() + 15) / 16 * 16; });
  return sum;
}

TEST(Barriers, RandomProgramsComputeTheSameWithoutRaces) {
  int64_t bytes = 0, separateBytes = 0, barriers = 0, orderlyBarriers = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<int32_t> in = randomInput(seed);
    Module orderly(randomProgram(seed, true));
    Outcome expected = execute(orderly.kernel(), in, kThreads, seed);
    ASSERT_EQ(expected.reports, "") << orderly.text();
    Module module(randomProgram(seed, false));
    int64_t separate = sumOfSizes(module);
    ASSERT_EQ(module.run(passesOf(seed)), "") << module.text();
    EXPECT_EQ(module.run(kCheck), "") << module.text();
    EXPECT_LE(simt::sharedBytes(module.kernel()), separate);
    for (uint64_t run = 0; run < 3; ++run) {
      Outcome found = execute(module.kernel(), in, kThreads, seed + run);
      ASSERT_EQ(found.reports, "") << module.text();
      ASSERT_EQ(found.out, expected.out) << module.text();
    }
    bytes += simt::sharedBytes(module.kernel());
    separateBytes += separate;
    barriers += int64_t(module.barriers().size());
    orderlyBarriers += int64_t(orderly.barriers().size());
  }
  std::cout << bytes << " bytes of " << separateBytes << ", " << barriers << " barriers of " << orderlyBarriers << '\n';
  EXPECT_LT(bytes, separateBytes * 9 / 10);
  EXPECT_LT(barriers, orderlyBarriers);
}

TEST(Barriers, NoneOfThoseInsertedCanBeTakenAway) {
  int removed = 0, raced = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Module module(randomProgram(seed, false));
    size_t given = module.barriers().size();
    llvm::DenseSet<mlir::Operation *> old;
    for (mlir::Operation *barrier : module.barriers())
      old.insert(barrier);
    ASSERT_EQ(module.run(passesOf(seed)), "");
    ASSERT_GE(module.barriers().size(), given);
    for (mlir::Operation *barrier : module.barriers()) {
      if (old.contains(barrier))
        continue;
      mlir::Operation *next = barrier->getNextNode();
      barrier->remove();
      EXPECT_NE(module.run(kCheck), "") << module.text();
      raced += execute(module.kernel(), randomInput(seed), kThreads, seed).raced;
      ++removed;
      next->getBlock()->getOperations().insert(next->getIterator(), barrier);
    }
  }
  std::cout << removed << " barriers removed, " << raced << " times the executor met a race\n";
  EXPECT_GT(removed, int(kPrograms));
  EXPECT_GT(raced, removed / 4); // others guard paths or bytes that this input does not use
}

/// Each race that the executor finds is among the checker's errors.
TEST(Barriers, TheCheckerKnowsEveryRaceThatHappens) {
  int raced = 0, reported = 0;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Module module(randomProgram(seed, true));
    std::mt19937_64 random(seed);
    for (mlir::Operation *barrier : module.barriers())
      if (random() % 3 != 0)
        barrier->erase();
    ASSERT_EQ(module.run("simt-allocate-shared"), "");
    Outcome found = execute(module.kernel(), randomInput(seed), kThreads, seed);
    bool missing = !module.run(kCheck).empty();
    EXPECT_TRUE(missing || !found.raced) << found.reports << module.text();
    raced += found.raced;
    reported += missing;
  }
  std::cout << raced << " programs raced, " << reported << " were reported\n";
  EXPECT_GT(raced, int(kPrograms / 3));
}

/// Removes hand-written barriers: the pass inserts as many, and the checker accepts the hand-written ones.
TEST(Barriers, HandWrittenModules) {
  for (std::string name : {"softmax_row.mlir", "matmul_mma_cp_async.mlir"}) {
    SCOPED_TRACE(name);
    Module module(readTextFile(std::string(TEGULA_SOURCE_DIR) + "/tests/simt/" + name));
    size_t before = module.barriers().size();
    EXPECT_EQ(module.run(kCheck), "");
    EXPECT_EQ(module.run("simt-insert-barriers"), "");
    EXPECT_EQ(module.barriers().size(), before);
    for (mlir::Operation *barrier : module.barriers())
      barrier->erase();
    EXPECT_NE(module.run(kCheck), "");
    EXPECT_EQ(module.run("simt-insert-barriers"), "");
    EXPECT_EQ(module.barriers().size(), before);
    EXPECT_EQ(module.run(kCheck), "");
  }
}

} // namespace
} // namespace tegula::passes_test
