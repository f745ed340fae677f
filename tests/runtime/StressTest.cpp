// Many threads that launch, compile, tune and compile in the background at once. `-DTEGULA_SANITIZERS=thread` builds it
// for ThreadSanitizer.
#include "tests/runtime/RuntimeFixture.h"

#include "core/runtime/Session.h"

#include <atomic>
#include <thread>

namespace tegula::test {
namespace {

constexpr int kThreads = 64;
constexpr int64_t kLaunches = 1000000;

/// Counts launches; each must get the code that was compiled for its block.
class CountingDriver final : public null::NullDriver {
public:
  void launch(void *, const DriverKernel &, const LaunchRequest &request) override {
    launches += request.arguments.size() == 3;
  }
  std::atomic<int64_t> launches = 0;
};

class Stress : public RuntimeTest {
protected:
  Stress() {
    fake_.kernels = {makeKernel("k", {"x_ptr", "n", "stride", "BLOCK"})};
    fake_.kernels[0].configs.resize(3);
    for (int64_t i = 0; i < 3; ++i)
      fake_.kernels[0].configs[size_t(i)].constants["BLOCK"] = 16 << i;
    fake_.kernels[0].autotuneKey = {"n"};
    fake_.kernels[0].tuneMilliseconds = 0.001;
    fake_.onCompile = [](const CompileRequest &request, CompileResult &result) {
      if (request.signature[1].divisibility > 1)
        result.artifact->guards.push_back({Guard::Kind::DivisibleBy, 1, request.signature[1].divisibility});
      if (request.signature[2].isOne)
        result.artifact->guards.push_back({Guard::Kind::Equals, 2, 1});
    };
    auto counting = std::make_unique<CountingDriver>();
    driver_ = counting.get();
    old_ = std::exchange(device_.impl()->driver, std::move(counting));
  }
  ~Stress() override {
    session::finishBackground();
    device_.impl()->driver = std::move(old_);
  }

  CountingDriver *driver_;
  std::unique_ptr<Driver> old_;
};

TEST_F(Stress, ThreadsLaunchCompileAndTune) {
  constexpr int64_t each = kLaunches / kThreads;
  std::vector<Kernel> kernels = {load("1"), load("2"), load("3"), load("4")};
  std::atomic<int> failures = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      Stream stream(device_);
      Buffer x(device_, DType::F32, {64});
      TuneOptions space{.space = {Config{.constants = {{"BLOCK", 64}}}, Config{.constants = {{"BLOCK", 128}}}}};
      auto one = [](const std::map<std::string, Constant> &) { return Grid(1); };
      LaunchOptions fixed{.constants = {{"BLOCK", 8}}, .background = t % 2 == 0}, tuned{.background = t % 3 == 0};
      for (int64_t i = 0; i < each; ++i) {
        const Kernel &kernel = kernels[size_t(i + t) % kernels.size()];
        int64_t n = 1 + (i * 7 + t) % 200, stride = 1 + i % 2;
        const LaunchOptions &options = i % 5 ? fixed : tuned;
        if (i == 100 * (t + 1)) // retires what other threads launch meanwhile
          failures += !kernel.tune(stream, one, {x, n, stride}, {}, space).best;
        kernel.launch(stream, {1}, {x, n, stride}, options);
        session::LaunchReport report = session::lastLaunch(kernel);
        for (const Guard &guard : report.guards)
          failures += guard.param == 1 ? n % guard.operand != 0 : stride != guard.operand;
        failures += (&options == &fixed) != (report.configuration.constants.at("BLOCK") == ConstantValue(int64_t(8)));
      }
    });
  threads.clear();
  EXPECT_EQ(failures, 0);
  EXPECT_GE(driver_->launches, each * kThreads);
}

} // namespace
} // namespace tegula::test
