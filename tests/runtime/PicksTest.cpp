// Which code a launch takes does not depend on the launches before it (docs/tuning.md, "The variant").
#include "tests/runtime/RuntimeFixture.h"

#include "core/runtime/Session.h"
#include "core/runtime/launch/PickTable.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

// LeakSanitizer asks this. It looks for no leaks in a forked child, which has memory of threads that it does not have.
static bool isForkedChild = false;
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return isForkedChild; }

namespace tegula::test {
namespace {

using GuardList = std::vector<Guard>;

/// This compiler uses every fact about `x_ptr` and `stride`, and whether `n` is divisible by 16.
class Picks : public RuntimeTest {
protected:
  Picks() : x_(device_, DType::F32, {64}) {
    fake_.kernels = {makeKernel("k", {"x_ptr", "n", "stride", "BLOCK"})};
    fake_.onCompile = [](const CompileRequest &request, CompileResult &result) {
      GuardList &guards = result.artifact->guards;
      const std::vector<ParamType> &types = request.signature;
      if (types[0].divisibility > 1)
        guards.push_back({Guard::Kind::AlignedTo, 0, types[0].divisibility});
      if (types[1].divisibility >= 16)
        guards.push_back({Guard::Kind::DivisibleBy, 1, 16});
      if (types[2].isOne)
        guards.push_back({Guard::Kind::Equals, 2, 1});
      else if (types[2].divisibility > 1)
        guards.push_back({Guard::Kind::DivisibleBy, 2, types[2].divisibility});
    };
  }

  struct Call {
    int64_t offset, n, stride; // offset: elements from an aligned address
  };
  GuardList run(const Kernel &kernel, const Call &call, bool background = false) {
    kernel.launch(stream_, {1}, {x_.view({8}, {1}, call.offset), call.n, call.stride},
                  {.constants = {{"BLOCK", 64}}, .background = background});
    return session::lastLaunch(kernel).guards;
  }
  Kernel fresh() { return load("source " + std::to_string(++sources_)); }

  Buffer x_;
  int sources_ = 0;
};

TEST_F(Picks, OrderOfLaunchesDoesNotMatter) {
  const std::vector<Call> calls = {{0, 1024, 1}, {0, 1024, 2}, {0, 1001, 1}, {1, 1024, 1}, {0, 1002, 1}, {2, 1001, 8}};
  std::vector<GuardList> alone;
  for (const Call &call : calls)
    alone.push_back(run(fresh(), call));
  for (size_t first = 0; first < calls.size(); ++first)
    for (size_t second = 0; second < calls.size(); ++second) {
      Kernel kernel = fresh();
      EXPECT_EQ(run(kernel, calls[first]), alone[first]);
      EXPECT_EQ(run(kernel, calls[second]), alone[second]) << first << " then " << second;
      EXPECT_EQ(run(kernel, calls[first]), alone[first]);
    }
  std::vector<size_t> order = {0, 1, 2, 3, 4, 5};
  do {
    Kernel kernel = fresh();
    for (size_t i : order)
      EXPECT_EQ(run(kernel, calls[i]), alone[i]);
  } while (std::ranges::next_permutation(order).found);
}

TEST_F(Picks, UnusedFactsMakeNoVariant) {
  Kernel kernel = fresh();
  for (int64_t n : {1001, 1002, 1004, 1008, 3, 6, 12, 24})
    run(kernel, {0, n, 1});
  // Compiled for odd numbers and for multiples of 2, 4 and 8: what came out was equal, and one was loaded. A multiple
  // of 16 is compiled next.
  EXPECT_EQ(fake_.requests.size(), 5u);
  run(kernel, {0, 1024, 1});
  EXPECT_EQ(fake_.requests.size(), 5u) << "1008 is a multiple of 16";
  size_t before = fake_.requests.size();
  for (int64_t n : {1001, 1002, 1004, 1008, 1024})
    run(kernel, {0, n, 1});
  EXPECT_EQ(fake_.requests.size(), before);
}

TEST_F(Picks, CodeThatIgnoresFactsIsCompiledOnce) {
  fake_.onCompile = [](const CompileRequest &, CompileResult &result) { result.artifact->ignoresFacts = true; };
  Kernel kernel = fresh();
  for (int64_t n : {1001, 1002, 1024, 1})
    for (int64_t stride : {1, 2, 16})
      run(kernel, {n % 4, n, stride});
  EXPECT_EQ(fake_.requests.size(), 1u);
}

TEST_F(Picks, AKernelWithManyVariantsTakesTheBestThatFits) {
  fake_.onCompile = [](const CompileRequest &request, CompileResult &result) {
    for (uint32_t i = 0; i < 3; ++i)
      if (uint32_t by = request.signature[i].divisibility; by > 1)
        result.artifact->guards.push_back({i ? Guard::Kind::DivisibleBy : Guard::Kind::AlignedTo, i, by});
  };
  Kernel kernel = fresh();
  for (int64_t n : {1, 2, 4, 8, 16})
    for (int64_t stride : {3, 6, 12, 24, 48})
      run(kernel, {0, n, stride});
  EXPECT_LE(fake_.requests.size(), 9u);
  EXPECT_EQ(launches().size(), 25u);
}

TEST_F(Picks, ABackgroundLaunchDoesNotWait) {
  Kernel kernel = fresh();
  GuardList odd = run(kernel, {0, 1001, 1}, true); // nothing fits: it waits
  EXPECT_EQ(fake_.requests.size(), 1u);
  std::atomic<bool> go = false;
  auto rule = fake_.onCompile;
  std::thread::id compiledBy;
  fake_.onCompile = [&](const CompileRequest &request, CompileResult &result) {
    while (!go)
      std::this_thread::yield();
    compiledBy = std::this_thread::get_id();
    rule(request, result);
  };
  EXPECT_EQ(run(kernel, {0, 1024, 1}, true), odd) << "the better variant is not ready";
  EXPECT_EQ(run(kernel, {0, 1024, 1}, true), odd);
  go = true;
  session::finishBackground();
  EXPECT_EQ(fake_.requests.size(), 2u);
  EXPECT_NE(compiledBy, std::this_thread::get_id());
  EXPECT_NE(run(kernel, {0, 1024, 1}, true), odd);
  EXPECT_EQ(run(kernel, {0, 1024, 1}), run(fresh(), {0, 1024, 1}));
}

TEST_F(Picks, AFailureInTheBackgroundLeavesWhatFits) {
  Kernel kernel = fresh();
  GuardList odd = run(kernel, {0, 1001, 1}, true);
  fake_.onCompile = [](const CompileRequest &, CompileResult &result) { result.error = Diagnostic(); };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(kernel, {0, 1024, 1}, true), odd);
    session::finishBackground();
  }
  EXPECT_EQ(fake_.requests.size(), 2u) << "it is not tried again";
}

std::atomic<bool> isDestroyed = false;
struct MadeByCompiler {
  ~MadeByCompiler() { isDestroyed = true; }
};

TEST_F(Picks, ExitWaitsForTheBackgroundBeforeItDestroysWhatThatMade) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto launchAndExit = [&](bool fromWorker) {
    Kernel kernel = fresh();
    run(kernel, {0, 1001, 1}, true);
    std::atomic<bool> isRunning = false;
    fake_.onCompile = [&](const CompileRequest &, CompileResult &) {
      static MadeByCompiler made;
      isRunning = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (isDestroyed)
        _exit(3);
    };
    if (fromWorker)
      std::thread([&] { run(kernel, {0, 1024, 1}, true); }).join();
    else
      run(kernel, {0, 1024, 1}, true);
    while (!isRunning)
      std::this_thread::yield();
    std::exit(0);
  };
  EXPECT_EXIT(launchAndExit(false), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(launchAndExit(true), ::testing::ExitedWithCode(0), "");
}

TEST_F(Picks, AForkedChildHasABackgroundOfItsOwn) {
  Kernel kernel = fresh();
  run(kernel, {1, 1001, 3}, true);
  run(kernel, {1, 1024, 3}, true);
  session::finishBackground();
  for (bool launches : {false, true}) {
    pid_t child = fork();
    if (child == 0) {
      isForkedChild = true;
      alarm(20); // a child that hangs
      if (launches) {
        GuardList unaligned = run(kernel, {0, 1001, 3}, true);
        session::finishBackground();
        if (run(kernel, {0, 1001, 3}, true) == unaligned)
          _exit(1);
      }
      std::exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

TEST_F(Picks, HeuristicsDecideByTheValuesThatTheyRead) {
  fake_.kernels[0].heuristics = {{"BLOCK", "64 if n > 100 else 32", ""}};
  Kernel kernel = fresh();
  auto block = [&](int64_t n) {
    kernel.launch(stream_, {1}, {x_, n, 1});
    return session::lastLaunch(kernel).configuration.constants.at("BLOCK");
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(block(99), ConstantValue(int64_t(32)));
    EXPECT_EQ(block(101), ConstantValue(int64_t(64)));
    EXPECT_EQ(block(97), ConstantValue(int64_t(32)));
  }
  EXPECT_EQ(fake_.requests.size(), 2u);
}

TEST_F(Picks, HeuristicsReadIntegersBeforeTheyBecomeFloats) {
  fake_.kernels[0].heuristics = {{"BLOCK", "64 if n > 2048 else 32", ""}};
  fake_.kernels[0].params[1].annotatedType = ScalarType::F16; // in which both numbers below are 2048
  Kernel kernel = fresh();
  for (int64_t n : {2048, 2049, 2048}) {
    kernel.launch(stream_, {1}, {x_, n, 1});
    EXPECT_EQ(session::lastLaunch(kernel).configuration.constants.at("BLOCK"),
              ConstantValue(int64_t(n > 2048 ? 64 : 32)));
  }
}

TEST_F(Picks, PositionalAndNamedConstantsAreOneSpecialization) {
  fake_.kernels = {makeKernel("k", {"x_ptr", "n", "stride", "ACT", "BLOCK"})};
  Kernel kernel = fresh();
  kernel.launch(stream_, {1}, {x_, 16, 1, nullptr, 64});
  kernel.launch(stream_, {1}, {x_, 16, 1}, {.constants = {{"ACT", nullptr}, {"BLOCK", 64}}});
  kernel.launch(stream_, {1}, NamedArguments{{"x_ptr", x_}, {"n", 16}, {"stride", 1}, {"ACT", nullptr}},
                {.constants = {{"BLOCK", 64}}});
  kernel.launch(stream_, {1}, {x_, 16, 1, Constant(nullptr), TypedScalar{DType::I32, 64}});
  EXPECT_EQ(fake_.requests.size(), 1u);
  kernel.launch(stream_, {1}, {x_, 16, 1, 0.0, 64});
  kernel.launch(stream_, {1}, {x_, 16, 1, -0.0, 64});
  kernel.launch(stream_, {1}, {x_, 16, 1, 0, 64});
  kernel.launch(stream_, {1}, {x_, 16, 1, false, 64});
  EXPECT_EQ(fake_.requests.size(), 5u);
}

TEST(PickTable, KeepsWhatItHasWhileItGrowsAndStopsWhenFull) {
  // The table does not look into what it points to.
  std::vector<uint64_t> store(3 * PickTable::kMost);
  auto *configured = reinterpret_cast<Configured *>(store.data());
  auto variantOf = [&](uint64_t i) { return reinterpret_cast<const Variant *>(&store[i]); };
  PickTable table;
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    for (uint64_t i = 0; !stop; i = (i + 7) % PickTable::kMost)
      if (Pick *pick = table.find(std::vector<uint64_t>{i, i * i}))
        ASSERT_EQ(pick->variant.load(), variantOf(i));
  });
  for (uint64_t i = 0; i < PickTable::kMost; ++i) {
    EXPECT_FALSE(table.find(std::vector<uint64_t>{i, i * i}));
    ASSERT_TRUE(table.add(std::vector<uint64_t>{i, i * i}, *configured, *variantOf(i)));
  }
  stop = true;
  reader.join();
  for (uint64_t i = 0; i < PickTable::kMost; ++i)
    EXPECT_EQ(table.find(std::vector<uint64_t>{i, i * i})->variant.load(), variantOf(i));
  EXPECT_FALSE(table.find(std::vector<uint64_t>{1, 2}));
  EXPECT_FALSE(table.find(std::vector<uint64_t>{1}));
  EXPECT_FALSE(table.add(std::vector<uint64_t>{1, 2}, *configured, *variantOf(0)));
}

} // namespace
} // namespace tegula::test
