// Loops that go round for long. A device either runs them to their end, or, where it ends loops early
// (Feature::UnboundedLoops is missing), the launch fails at the loop's place: no result is ever wrong. docs/vulkan.md
// has the device's rules; "the bound" below is kLoopRounds.
#include "backends/vulkan/Binary.h"
#include "core/support/Diagnostic.h"
#include "tests/vulkan/CodegenFixture.h"

#include <gmock/gmock.h>

namespace tegula::vulkan::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A kernel @k(%o, %n, %m, %p) of i32: thread %t of `warps` warps of `lanes`, lane %l, constants %c0 to %c40000; the
/// body begins in line 11 and leaves what the thread stores to %o[%t] in %r.
std::string roundsKernel(const std::string &body, uint32_t lanes, uint32_t warps = 2) {
  std::string text = "func.func @k(%o: !tile.ptr<i32> {tile.name = \"o\"}, %n: i32 {tile.name = \"n\"}, %m: i32 "
                     "{tile.name = \"m\"}, %p: i32 {tile.name = \"p\"}) attributes {tile.kernel, simt.warps = " +
                     std::to_string(warps) + " : i32, simt.warp_size = " + std::to_string(lanes) + " : i32} {\n";
  for (int number : {0, 1, 2, 7, 300, 40000, 70000})
    text += "%c" + std::to_string(number) + " = arith.constant " + std::to_string(number) + " : i32\n";
  text += "%t = simt.thread_id : i32\n%l = arith.andi %t, %c7 : i32\n";
  return text + body + "\nsimt.store %o[%t], %r : !tile.ptr<i32>, i32, i32\nreturn\n}\n";
}

/// %result = initial + how often the loop from 0 to `upper` went round, each time with what else `body` does.
std::string countingLoop(const std::string &result, const std::string &upper, const std::string &initial = "%c0",
                         const std::string &mark = "uniform") {
  return result + " = scf.for %i = %c0 to " + upper + " step %c1 iter_args(%a = " + initial +
         ") -> (i32) : i32 {\n%b = arith.addi %a, %c1 : i32\nscf.yield %b : i32\n} {simt." + mark + "}\n";
}
constexpr uint32_t kRoundsBodyLine = 11;

class VulkanRounds : public CodegenTest {
protected:
  bool isBounded() const { return !has(Feature::UnboundedLoops); }
  uint32_t width() const { return lanes(); }

  struct Outcome {
    std::vector<int32_t> values; // of all threads; none where the launch failed
    std::string failure;         // as the user sees it
  };
  Outcome run(const std::string &text, std::vector<uint64_t> scalars = {0, 0, 0}) {
    uint32_t threads = 2 * width();
    try {
      return {valuesOf<int32_t>(runHere(text, {bytesOf(std::vector<int32_t>(threads, -1))}, scalars)[0]), ""};
    } catch (const Error &error) {
      return {{}, format(error.diagnostic())};
    }
  }
  /// What every thread must have counted, where the loops go round more often than the bound; `line` is the loop's.
  void expectTooMany(const std::string &text, std::vector<uint64_t> scalars, uint32_t line,
                     const std::function<int32_t(uint32_t thread)> &right) {
    Outcome found = run(text, scalars);
    if (isBounded()) {
      EXPECT_THAT(found.failure, ::testing::StartsWith("test.mlir:" + std::to_string(line) + ":")) << text;
      EXPECT_THAT(found.failure, HasSubstr("loops have gone round 65,535 times by the end of this")) << text;
      EXPECT_THAT(found.failure, HasSubstr("larger blocks")) << text;
    } else {
      EXPECT_EQ(found.failure, "");
      expectAll(found, right);
    }
  }
  void expectRight(const std::string &text, std::vector<uint64_t> scalars,
                   const std::function<int32_t(uint32_t thread)> &right) {
    Outcome found = run(text, scalars);
    EXPECT_EQ(found.failure, "") << text;
    expectAll(found, right);
  }
  void expectAll(const Outcome &found, const std::function<int32_t(uint32_t thread)> &right) {
    for (uint32_t t = 0; t < found.values.size(); ++t)
      ASSERT_EQ(found.values[t], right(t)) << "thread " << t;
  }
  std::string make(const std::string &body) const { return roundsKernel(body, width()); }
};

auto inAll(int32_t value) {
  return [value](uint32_t) { return value; };
}

TEST_P(VulkanRounds, ConstantBound) {
  expectTooMany(make(countingLoop("%r", "%c70000")), {0, 0, 0}, kRoundsBodyLine, inAll(70000));
}

TEST_P(VulkanRounds, RunTimeBoundFromJustBelowTheBoundOn) {
  std::string text = make(countingLoop("%r", "%n"));
  for (uint64_t n : {uint64_t(0), uint64_t(1), uint64_t(1000), uint64_t(kLoopRounds - 4), uint64_t(kLoopRounds - 3)})
    expectRight(text, {n, 0, 0}, inAll(int32_t(n)));
  for (uint64_t n = kLoopRounds - 2; n <= kLoopRounds + 2; ++n) { // right or reported
    Outcome found = run(text, {n, 0, 0});
    expectAll(found, inAll(int32_t(n)));
    if (isBounded())
      EXPECT_EQ(found.failure.empty(), found.values.size() > 0);
  }
  expectTooMany(text, {kLoopRounds + 1, 0, 0}, kRoundsBodyLine, inAll(kLoopRounds + 1));
  expectTooMany(text, {1000000, 0, 0}, kRoundsBodyLine, inAll(1000000));
}

/// Values that a round hands to each other are copied as it begins; in the last round that a device lets a loop have,
/// copies may be older than what is counted.
TEST_P(VulkanRounds, ValuesThatAreExchanged) {
  std::string text =
      make("%r, %q = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (i32, i32) : i32 {\n"
           "%s = arith.addi %a, %b : i32\nscf.yield %b, %s : i32, i32\n} {simt.uniform}");
  for (uint32_t n = kLoopRounds - 4; n <= kLoopRounds + 3; ++n) {
    uint32_t a = 0, b = 1;
    for (uint32_t i = 0; i < n; ++i) {
      std::swap(a, b);
      b += a;
    }
    Outcome found = run(text, {n, 0, 0});
    expectAll(found, inAll(int32_t(a)));
    if (!isBounded() || n <= kLoopRounds - 3)
      EXPECT_EQ(found.failure, "") << n;
    if (isBounded() && n >= kLoopRounds)
      EXPECT_NE(found.failure, "") << n;
  }
}

TEST_P(VulkanRounds, WhileLoops) {
  std::string text = make("%r = scf.while (%a = %c0) : (i32) -> i32 {\n%g = arith.cmpi slt, %a, %n : i32\n"
                          "scf.condition(%g) %a : i32\n} do {\n^bb0(%a: i32):\n%b = arith.addi %a, %c1 : i32\n"
                          "scf.yield %b : i32\n} attributes {simt.uniform}");
  expectRight(text, {65000, 0, 0}, inAll(65000));
  expectTooMany(text, {70000, 0, 0}, kRoundsBodyLine, inAll(70000));
}

TEST_P(VulkanRounds, NestedLoopsCountTogether) {
  std::string text = make("%r = scf.for %j = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {\n" +
                          countingLoop("%u", "%m", "%s") + "scf.yield %u : i32\n} {simt.uniform}");
  expectRight(text, {250, 255, 0}, inAll(250 * 255));
  expectTooMany(text, {300, 300, 0}, kRoundsBodyLine, inAll(90000));
  expectTooMany(text, {40000, 1, 0}, kRoundsBodyLine, inAll(40000)); // a loop's last round counts as well
  std::string constant = make("%r = scf.for %j = %c0 to %c300 step %c1 iter_args(%s = %c0) -> (i32) : i32 {\n" +
                              countingLoop("%u", "%c300", "%s") + "scf.yield %u : i32\n} {simt.uniform}");
  expectTooMany(constant, {0, 0, 0}, kRoundsBodyLine, inAll(90000));
}

TEST_P(VulkanRounds, TheLoopThatRunsOutIsNamed) {
  std::string text = make(countingLoop("%q", "%n") + countingLoop("%u", "%n", "%q") + countingLoop("%r", "%n", "%u"));
  expectRight(text, {21000, 0, 0}, inAll(63000));
  expectTooMany(text, {30000, 0, 0}, kRoundsBodyLine + 8, inAll(90000));
  expectTooMany(text, {40000, 0, 0}, kRoundsBodyLine + 4, inAll(120000));
  expectTooMany(text, {90000, 0, 0}, kRoundsBodyLine, inAll(270000));
  std::string constant = make(countingLoop("%q", "%c40000") + countingLoop("%r", "%c40000", "%q"));
  expectTooMany(constant, {0, 0, 0}, kRoundsBodyLine + 4, inAll(80000));
}

TEST_P(VulkanRounds, ShortLoopsBehindALongOneAreCheckedToo) {
  std::string text = make(countingLoop("%q", "%n") + countingLoop("%r", "%c300", "%q"));
  expectRight(text, {65000, 0, 0}, inAll(65300));
  expectTooMany(text, {65400, 0, 0}, kRoundsBodyLine + 4, inAll(65700));
}

/// The device counts what any lane of a subgroup goes round, not what each does.
TEST_P(VulkanRounds, LanesThatPart) {
  std::string byLane = make("%k = arith.muli %l, %n : i32\n" + countingLoop("%r", "%k", "%c0", "divergent"));
  expectRight(byLane, {9000, 0, 0}, [](uint32_t t) { return int32_t(t % 8 * 9000); });
  expectTooMany(byLane, {10000, 0, 0}, kRoundsBodyLine + 1, [](uint32_t t) { return int32_t(t % 8 * 10000); });
  std::string halves = make("%odd = arith.andi %t, %c1 : i32\n%even = arith.subi %c1, %odd : i32\n"
                            "%x = arith.muli %odd, %n : i32\n%y = arith.muli %even, %n : i32\n" +
                            countingLoop("%q", "%x", "%c0", "divergent") + countingLoop("%r", "%y", "%q", "divergent"));
  expectRight(halves, {30000, 0, 0}, inAll(30000));
  expectTooMany(halves, {40000, 0, 0}, kRoundsBodyLine + 8, inAll(40000));
}

TEST_P(VulkanRounds, LoopsInBranches) {
  std::string text =
      make("%yes = arith.cmpi sgt, %t, %c2 : i32\n%r = scf.if %yes -> (i32) {\n" + countingLoop("%q", "%n") +
           "scf.yield %q : i32\n} else {\nscf.yield %m : i32\n} {simt.divergent}");
  auto right = [](int32_t n) { return [n](uint32_t t) { return t > 2 ? n : 5; }; };
  expectRight(text, {65000, 5, 0}, right(65000));
  expectTooMany(text, {70000, 5, 0}, kRoundsBodyLine + 2, right(70000));
}

/// No lane enters the inner loop, but the device may pass through it.
TEST_P(VulkanRounds, LoopsThatAreSkipped) {
  std::string text = make("%never = arith.cmpi eq, %p, %c7 : i32\n"
                          "%r = scf.for %j = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {\n"
                          "%v = arith.addi %s, %c1 : i32\n%w = scf.if %never -> (i32) {\n" +
                          countingLoop("%u", "%m", "%v") +
                          "scf.yield %u : i32\n} else {\nscf.yield %v : i32\n} {simt.uniform}\n"
                          "scf.yield %w : i32\n} {simt.uniform}");
  expectRight(text, {30000, 10, 0}, inAll(30000));
  expectTooMany(text, {40000, 10, 0}, kRoundsBodyLine + 1, inAll(40000));
}

/// Subgroups that have used up different numbers of rounds leave a loop with barriers at different times.
TEST_P(VulkanRounds, BarriersInLoops) {
  std::string text = make(
      "%s = simt.shared_alloc at 0 : !simt.shared<1xi32>\n%w = simt.warp_id : i32\n"
      "%k = arith.muli %w, %m : i32\n" +
      countingLoop("%q", "%k", "%c0", "divergent") +
      "%g = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {\n%z = arith.cmpi eq, %t, %c0 : i32\n"
      "scf.if %z {\nsimt.shared_store %s[%c0], %i : !simt.shared<1xi32>, i32, i32\n} {simt.divergent}\nsimt.barrier\n"
      "%v = simt.shared_load %s[%c0] : !simt.shared<1xi32>, i32 -> i32\nsimt.barrier\n"
      "%x = arith.subi %v, %i : i32\n%y = arith.addi %x, %c1 : i32\n%b = arith.addi %a, %y : i32\n"
      "scf.yield %b : i32\n} {simt.uniform}\n%r = arith.addi %g, %q : i32");
  auto right = [&](int32_t m) { return [=, this](uint32_t t) { return 1000 + int32_t(t / width()) * m; }; };
  expectRight(text, {1000, 60000, 0}, right(60000));
  expectTooMany(text, {1000, 65000, 0}, kRoundsBodyLine + 7, right(65000));
}

/// One word, which all threads add to: no device of these targets adds floats to memory in one instruction.
std::string floatAdditions(const std::string &count) {
  return "%f = arith.constant 1.0 : f32\n%q = tile.ptr_cast %o : !tile.ptr<i32> -> !tile.ptr<f32>\n"
         "%one = arith.constant 1065353216 : i32\nscf.for %i = %c0 to " +
         count +
         " step %c1 : i32 {\n%old = simt.atomic_rmw fadd relaxed device %q[%t], %f : !tile.ptr<f32>, i32, f32\n"
         "} {simt.uniform}\n%z = simt.load %o[%t] : !tile.ptr<i32>, i32 -> i32\n%r = arith.addi %z, %c0 : i32";
}

TEST_P(VulkanRounds, LoopsOfCompareAndExchangeCount) {
  std::string text = make(floatAdditions("%n"));
  Outcome few = run(text, {10000, 0, 0});
  EXPECT_EQ(few.failure, "");
  Outcome many = run(text, {30000, 0, 0});
  if (isBounded())
    EXPECT_THAT(many.failure, HasSubstr("test.mlir:14:"));
  else
    EXPECT_EQ(many.failure, "");
}

TEST_P(VulkanRounds, AssertionsThatFailForItComeSecond) {
  std::string text =
      make(countingLoop("%r", "%n") + "%ok = arith.cmpi eq, %r, %n : i32\nsimt.assert %ok, \"all rounds\" : i1\n");
  expectRight(text, {1000, 0, 0}, inAll(1000));
  expectTooMany(text, {70000, 0, 0}, kRoundsBodyLine, inAll(70000));
  std::string broken =
      make(countingLoop("%r", "%n") + "%ok = arith.cmpi eq, %r, %c0 : i32\nsimt.assert %ok, \"none\" : i1\n");
  EXPECT_THAT(run(broken, {1000, 0, 0}).failure, HasSubstr("device_assert failed: none"));
}

/// On a device that lets loops go on, checks find nothing.
TEST_P(VulkanRounds, ChecksPassWhereLoopsGoOn) {
  if (isBounded())
    GTEST_SKIP() << facts().name << " ends loops early";
  DeviceFacts less = facts();
  less.capacity.features.remove(Feature::UnboundedLoops);
  less.capacity.features.remove(Feature::CooperativeMatrix);
  open(less);
  if (!target().ends_with("-bounded"))
    GTEST_SKIP() << "no target with checks for subgroups of " << lanes();
  uint32_t size = findProfile(target())->subgroupSize;
  for (uint64_t n : {uint64_t(0), uint64_t(65535), uint64_t(1000000)}) {
    Outcome found = run(roundsKernel(countingLoop("%r", "%n"), size ? size : lanes()), {n, 0, 0});
    EXPECT_EQ(found.failure, "");
    expectAll(found, inAll(int32_t(n)));
  }
}

/// What the two targets make of a kernel, beside their names.
struct BothTargets {
  Artifact plain, checked;
  bool areSame() const { return decodeBinary(plain.binary).words == decodeBinary(checked.binary).words; }
};
BothTargets forBothTargets(const std::string &body) {
  std::string text = roundsKernel(body, 8);
  return {compileFor(text, "spirv:sg8"), compileFor(text, "spirv:sg8-bounded")};
}

TEST(VulkanRoundChecks, AreOnlyInTargetsWithoutUnboundedLoops) {
  for (const Profile &profile : profiles()) {
    Artifact artifact =
        compileFor(roundsKernel(countingLoop("%r", "%n"), std::max(profile.subgroupSize, 1u)), targetName(profile));
    bool isChecked = profile.name.ends_with("-bounded");
    EXPECT_EQ(profile.features.has(Feature::UnboundedLoops), !isChecked);
    EXPECT_EQ(artifact.messages.size(), isChecked ? 1u : 0u) << profile.name;
    EXPECT_EQ(std::ranges::count(artifact.hidden, HiddenArgument::PrintBuffer), isChecked) << profile.name;
  }
}

TEST(VulkanRoundChecks, AreLeftOutWhereRoundsAreKnownToBeFew) {
  EXPECT_TRUE(forBothTargets("%r = arith.addi %n, %m : i32").areSame());
  EXPECT_TRUE(forBothTargets(countingLoop("%r", "%c40000")).areSame());
  EXPECT_FALSE(forBothTargets(countingLoop("%r", "%c70000")).areSame());
  EXPECT_FALSE(forBothTargets(countingLoop("%q", "%c40000") + countingLoop("%r", "%c40000", "%q")).areSame());
  EXPECT_FALSE(forBothTargets(countingLoop("%r", "%n")).areSame());
  std::string remainder = "%f = arith.sitofp %t : i32 to f32\n%v = simt.splat %f : f32 -> vector<8xf32>\n"
                          "%d = arith.remf %v, %v : vector<8xf32>\n%g = simt.pick %d [1] : vector<8xf32> -> f32\n"
                          "%r = arith.fptosi %g : f32 to i32";
  EXPECT_TRUE(forBothTargets(remainder).areSame());
  EXPECT_FALSE(forBothTargets(
                   "scf.for %j = %c0 to %c300 step %c1 : i32 {\n" + remainder +
                   "\nsimt.store %o[%t], %r : !tile.ptr<i32>, i32, i32\n} {simt.uniform}\n%r = arith.addi %n, %m : i32")
                   .areSame());
  EXPECT_FALSE(forBothTargets(floatAdditions("%c1")).areSame()); // how often an exchange fails is not known
}

TEST(VulkanRoundChecks, StandBehindEachLongOuterLoop) {
  auto lines = [](const std::string &body) {
    std::vector<uint32_t> found;
    for (const DeviceMessage &message : forBothTargets(body).checked.messages) {
      EXPECT_EQ(message.kind, DeviceMessage::Kind::Limit);
      found.push_back(message.locations.at(0).line - kRoundsBodyLine);
    }
    return found;
  };
  EXPECT_THAT(lines(countingLoop("%q", "%n") + countingLoop("%r", "%m", "%q")), ElementsAre(0, 4));
  EXPECT_THAT(lines(countingLoop("%q", "%c300") + countingLoop("%r", "%m", "%q")), ElementsAre(4));
  EXPECT_THAT(lines(countingLoop("%q", "%m") + countingLoop("%u", "%c300", "%q") + countingLoop("%r", "%c300", "%u")),
              ElementsAre(0, 8));
  EXPECT_THAT(lines("%r = scf.for %j = %c0 to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {\n" +
                    countingLoop("%u", "%m", "%s") + "scf.yield %u : i32\n} {simt.uniform}"),
              ElementsAre(0));
  EXPECT_THAT(lines(countingLoop("%r", "%c300")), IsEmpty());
}

TEGULA_ON_EACH_DEVICE(VulkanRounds);

} // namespace
} // namespace tegula::vulkan::test
