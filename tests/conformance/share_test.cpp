// Which cases a share has: the rotating parts reach every case, and each part is about as large as the others.
#include "tests/conformance/Memory.h"
#include "tests/conformance/Share.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

namespace tegula::conformance {

namespace {

std::vector<const Case *> everyCase(const Cases &cases) {
  std::vector<const Case *> all;
  for (const Case &made : cases.all())
    all.push_back(&made);
  return all;
}

TEST(Share, EightConsecutiveSeedsReachEveryCaseOnce) {
  const Cases cases = allCases(true);
  std::vector<const Case *> all = everyCase(cases);
  for (uint64_t first : {uint64_t(0), uint64_t(5), uint64_t(1234567)}) {
    std::vector<int> reached(all.size());
    for (uint64_t seed = first; seed < first + 8; ++seed) {
      std::vector<bool> chosen = chosenBy(parseShare("1/8"), all, seed);
      size_t count = 0;
      for (size_t i = 0; i < all.size(); ++i) {
        reached[i] += chosen[i];
        count += chosen[i];
      }
      EXPECT_GT(count, all.size() / 10);
      EXPECT_LT(count, all.size() / 6);
    }
    for (size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(reached[i], 1) << all[i]->name;
  }
}

/// A case added by a later commit must not move the others into parts that have passed.
TEST(Share, APartDependsOnTheNameAlone) {
  const Cases cases = allCases();
  std::vector<const Case *> all = everyCase(cases), fewer(all.begin() + 7, all.end());
  std::vector<bool> ofAll = chosenBy(parseShare("1/8"), all, 3), ofFewer = chosenBy(parseShare("1/8"), fewer, 3);
  EXPECT_TRUE(std::equal(ofFewer.begin(), ofFewer.end(), ofAll.begin() + 7));
}

TEST(Share, QuickHasEveryKernelAndVariesWithTheSeed) {
  const Cases cases = allCases();
  std::vector<const Case *> all = everyCase(cases);
  std::vector<bool> one = chosenBy(parseShare("quick"), all, 1), two = chosenBy(parseShare("quick"), all, 2);
  std::set<std::string> kernels, chosenKernels;
  size_t count = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    kernels.insert(all[i]->file + all[i]->kernel);
    if (one[i])
      chosenKernels.insert(all[i]->file + all[i]->kernel);
    count += one[i];
  }
  EXPECT_EQ(kernels, chosenKernels);
  EXPECT_LT(count, all.size() / 2);
  EXPECT_NE(one, two);
  EXPECT_EQ(one, chosenBy(parseShare("quick"), all, 1));
}

TEST(Share, Texts) {
  EXPECT_EQ(parseShare("1/8").parts, 8u);
  for (const char *wrong : {"", "2/8", "1/0", "1/8x", "all"})
    EXPECT_THROW(parseShare(wrong), std::invalid_argument) << wrong;
}

TEST(Memory, KeepsWhatPassedAndWhatItTook) {
  std::string folder = testing::TempDir() + "tegula-conformance-memory-test";
  std::filesystem::remove_all(folder);
  {
    Memory memory(folder);
    EXPECT_FALSE(memory.passed("abc"));
    EXPECT_LT(memory.cost("cpu", "a/b/c d"), 0);
    memory.add("abc");
    memory.setCost("cpu", "a/b/c d", 1.5);
    memory.save();
  }
  {
    Memory other(folder); // another process in between
    other.add("def");
    other.save();
  }
  Memory memory(folder);
  EXPECT_TRUE(memory.passed("abc"));
  EXPECT_TRUE(memory.passed("def"));
  EXPECT_EQ(memory.cost("cpu", "a/b/c d"), 1.5);
  EXPECT_LT(memory.cost("cpu", "a/b/c"), 0);
}

TEST(Memory, DamageIsForgotten) {
  std::string folder = testing::TempDir() + "tegula-conformance-memory-damage";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/passed") << "999999 abc\nnonsense\n999999 def\n";
  Memory memory(folder);
  EXPECT_TRUE(memory.passed("abc"));
  EXPECT_FALSE(memory.passed("nonsense"));
  EXPECT_TRUE(memory.passed("def"));
  Memory none("");
  none.add("abc");
  none.save();
  EXPECT_FALSE(none.passed("abc"));
}

} // namespace

} // namespace tegula::conformance
