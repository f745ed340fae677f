// Threads that ask for code of one kernel at the same time.
#include "tests/runtime/AutotuneFixture.h"

#include "core/runtime/launch/PreparedLaunch.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <thread>

namespace tegula::test {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kLong(20); // a meeting that needs this long fails

/// Ends when `count` threads are inside.
class Meeting {
public:
  explicit Meeting(int count) : missing_(count) {}
  /// False if too few came.
  bool attend() {
    std::unique_lock lock(mutex_);
    --missing_;
    changed_.notify_all();
    return changed_.wait_for(lock, kLong, [this] { return missing_ <= 0; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int missing_;
};

class Concurrent : public RuntimeTest {
protected:
  Concurrent() : x_(device_, DType::F32, {64}) { fake_.kernels = {makeKernel("k", {"x_ptr", "n", "BLOCK"})}; }

  /// Runs `body` with 0, 1, ..., each in a thread of its own.
  template <class Body> static void inThreads(int count, Body &&body) {
    std::vector<std::jthread> threads;
    for (int t = 0; t < count; ++t)
      threads.emplace_back([&body, t] { body(t); });
  }
  /// Expects that the compilations of four threads with these options overlap.
  template <class MakeOptions> void expectOverlap(MakeOptions &&options) {
    Meeting inside(4);
    std::atomic<int> met = 0;
    fake_.onCompile = [&](const CompileRequest &, CompileResult &) { met += inside.attend(); };
    fake_.requests.clear();
    Kernel kernel = load("source " + std::to_string(++sources_));
    inThreads(4, [&](int t) { kernel.launch(Stream(device_), {1}, {x_, 16}, options(t)); });
    EXPECT_EQ(met, 4);
    EXPECT_EQ(fake_.requests.size(), 4u);
  }

  Buffer x_;
  int sources_ = 0;
};

TEST_F(Concurrent, ConfigurationsAreCompiledAtTheSameTime) {
  expectOverlap([](int t) { return LaunchOptions{.constants = {{"BLOCK", 16 << t}}}; });
  expectOverlap([](int t) { return LaunchOptions{.constants = {{"BLOCK", 16}}, .numWarps = 1 << t}; });
  expectOverlap([](int t) { return LaunchOptions{.constants = {{"BLOCK", 16}}, .numStages = 1 + t}; });
}

TEST_F(Concurrent, PreparedLaunchesAreCompiledAtTheSameTime) {
  Meeting inside(4);
  std::atomic<int> met = 0;
  fake_.onCompile = [&](const CompileRequest &, CompileResult &) { met += inside.attend(); };
  Kernel kernel = load();
  inThreads(4, [&](int t) {
    PreparedLaunch(kernel, device_, std::vector<Argument>{x_, 16}, {.constants = {{"BLOCK", 16 << t}}});
  });
  EXPECT_EQ(met, 4);
}

TEST_F(Concurrent, ThreadsThatWantTheSameWaitForOneCompilation) {
  Meeting inside(2);
  std::atomic<int> met = 0;
  fake_.onCompile = [&](const CompileRequest &, CompileResult &) { met += inside.attend(); };
  Kernel kernel = load();
  inThreads(16, [&](int t) { kernel.launch(Stream(device_), {1}, {x_, 16}, {.constants = {{"BLOCK", 16 << t % 2}}}); });
  EXPECT_EQ(met, 2);
  EXPECT_EQ(fake_.requests.size(), 2u);
  EXPECT_EQ(launches().size(), 16u);
}

TEST_F(Concurrent, AFailureReachesAllThatWait) {
  auto fail = [](const CompileRequest &, CompileResult &result) {
    result.error = Diagnostic{Diagnostic::Severity::Error, {"file.py", 3, 5}, "too large", "", {}};
  };
  fake_.onCompile = fail;
  Kernel kernel = load();
  std::vector<std::string> messages(8);
  auto launch = [&] { kernel.launch(Stream(device_), {1}, {x_, 16}, {.constants = {{"BLOCK", 16}}}); };
  inThreads(8, [&](int t) { messages[size_t(t)] = messageOf(launch); });
  EXPECT_THAT(messages, Each(HasSubstr("too large")));
  fake_.onCompile = nullptr;
  launch();
  EXPECT_EQ(launches().size(), 1u);
}

TEST_F(Autotune, ATuningDoesNotWaitForACompilationAndReplacesItsChoice) {
  Meeting begun(2), tuned(2);
  auto rule = fake_.onCompile;
  std::atomic<int> met = 0, first = 0;
  fake_.onCompile = [&](const CompileRequest &request, CompileResult &result) {
    if (!first++)
      met += begun.attend() && tuned.attend();
    rule(request, result);
  };
  Kernel kernel = load();
  LaunchOptions known{.autotune = false}; // takes a record, else the first configuration
  auto one = [](const std::map<std::string, Constant> &) { return Grid(1); };
  std::jthread other([&] {
    kernel.launch(Stream(device_), {1}, {Buffer(device_, DType::I32, {64}), 100}, known);
    met += std::get<int64_t>(session::lastLaunch(kernel).configuration.constants.at("BLOCK")) == 32;
  });
  met += begun.attend();
  EXPECT_TRUE(kernel.tune(stream_, one, {x_, 100}, {}, {}).isKept);
  met += tuned.attend();
  other.join();
  EXPECT_EQ(met, 4);
  EXPECT_EQ(blockOf(kernel, 100, known), 64);
}

} // namespace
} // namespace tegula::test
