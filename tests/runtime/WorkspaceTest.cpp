// Memory that launches supply to kernels, and the option that asks for such kernels.
#include "core/contracts/KernelOptions.h"
#include "core/runtime/Memory.h"
#include "core/runtime/Session.h"
#include "tests/runtime/RuntimeFixture.h"

#include <gmock/gmock.h>

#include <cstring>
#include <thread>

namespace tegula::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Looks at the memory of each launch, and writes to it what a kernel may.
class WorkspaceDriver final : public null::NullDriver {
public:
  void launch(void *stream, const DriverKernel &kernel, const LaunchRequest &request) override {
    grid = request.grid;
    auto bits = [&](size_t i) { return request.arguments.at(i).bits; };
    sums = bits(1);
    zeros = bits(2);
    moreSums = bits(3);
    size_t programs = size_t(request.grid[0]) * request.grid[1] * request.grid[2];
    auto *counters = reinterpret_cast<uint8_t *>(zeros);
    areZero = std::all_of(counters, counters + programs * 4, [](uint8_t byte) { return byte == 0; });
    std::memset(reinterpret_cast<void *>(sums), 0x55, programs * 100);
    std::memset(reinterpret_cast<void *>(moreSums), 0x66, programs * 8);
    if (before)
      before();
    counters[0] = fails;
    if (fails && isFault)
      throw KernelFault("an access out of bounds");
    if (fails)
      throw Error("out of memory for tiles");
    if (auto work = std::exchange(during, nullptr))
      work();
    NullDriver::launch(stream, kernel, request);
  }
  DeviceMemory allocate(size_t bytes) override {
    ++allocations;
    return NullDriver::allocate(bytes);
  }
  void free(const DeviceMemory &memory) override {
    --allocations;
    NullDriver::free(memory);
  }
  bool isCaptured(void *) override { return captures; }
  bool isOfEachThread(void *) const override { return isShared; }
  bool supportsCapture() const override { return true; }
  void beginCapture(void *) override { captures = true; }
  void *endCapture(void *) override {
    captures = false;
    return nullptr;
  }

  std::array<uint32_t, 3> grid = {};
  uint64_t sums = 0, zeros = 0, moreSums = 0;
  std::function<void()> before, during; // a launch
  bool areZero = false, fails = false, isFault = true, captures = false, isShared = false;
  int allocations = 0;
};

class Workspaces : public RuntimeTest {
protected:
  Workspaces() : kernel_(loaded()), x_(device_, DType::F32, {16}) {
    fake_.onCompile = [](const CompileRequest &request, CompileResult &result) {
      auto found = request.constants.find(kDepthSplits);
      if (found == request.constants.end())
        return;
      auto memory = [](const char *name, ScalarType type, uint64_t bytes, bool isZero) {
        return ArtifactParam{name, ArtifactParam::Kind::Pointer, type, {}, {}, {{bytes, isZero}}};
      };
      result.artifact->gridFactor = uint32_t(std::get<int64_t>(found->second));
      result.artifact->params.push_back(memory("sums", ScalarType::F32, 100, false));
      result.artifact->params.push_back(memory("arrived", ScalarType::I32, 4, true));
      result.artifact->params.push_back(memory("more sums", ScalarType::F64, 8, false));
    };
    auto driver = std::make_unique<WorkspaceDriver>();
    driver_ = driver.get();
    old_ = std::exchange(device_.impl()->driver, std::move(driver));
  }
  ~Workspaces() override { device_.impl()->driver = std::move(old_); }

  Kernel loaded() {
    fake_.kernels = {makeKernel("k", {"x"})};
    return load();
  }
  void launch(const Stream &stream, Grid grid, int64_t splits = 3) {
    kernel_.launch(stream, grid, std::vector<Argument>{x_}, {.constants = {{"depth_splits", splits}}});
  }

  int launches_ = 0;
  Kernel kernel_;
  Buffer x_;
  WorkspaceDriver *driver_ = nullptr;
  std::unique_ptr<Driver> old_;
};

TEST_F(Workspaces, ALaunchHasMoreProgramsAndMemoryForEach) {
  launch(stream_, {5, 2});
  EXPECT_THAT(driver_->grid, ElementsAre(15, 2, 1));
  EXPECT_TRUE(driver_->areZero);
  EXPECT_EQ(driver_->moreSums - driver_->sums, 3072u) << "30 programs of 100 bytes, rounded up to 256";
}

TEST_F(Workspaces, LaunchesOfAStreamShareMemoryThatGrows) {
  int before = driver_->allocations;
  launch(stream_, {4});
  uint64_t sums = driver_->sums, zeros = driver_->zeros;
  launch(stream_, {4});
  launch(stream_, {2});
  EXPECT_EQ(driver_->sums, sums);
  EXPECT_EQ(driver_->zeros, zeros);
  launch(stream_, {1000});
  EXPECT_TRUE(driver_->areZero);
  EXPECT_EQ(driver_->allocations - before, 2) << "what was too small is given back";
  sums = driver_->sums;
  {
    Stream other(device_);
    launch(other, {4});
    EXPECT_NE(driver_->sums, sums);
    EXPECT_EQ(driver_->allocations - before, 4);
  }
  EXPECT_EQ(driver_->allocations - before, 2);
}

TEST_F(Workspaces, AfterAFailureTheNextLaunchFindsZeros) {
  launch(stream_, {4});
  driver_->fails = true;
  EXPECT_THAT(messageOf([&] { launch(stream_, {4}); }), HasSubstr("an access out of bounds"));
  driver_->isFault = false;
  EXPECT_THAT(messageOf([&] { launch(stream_, {4}); }), HasSubstr("out of memory for tiles"));
  driver_->fails = false;
  launch(stream_, {4});
  EXPECT_TRUE(driver_->areZero);
}

TEST_F(Workspaces, CapturedLaunchesHaveMemoryOfTheirOwn) {
  launch(stream_, {4});
  int before = driver_->allocations;
  uint64_t sums = driver_->sums;
  {
    stream_.beginCapture();
    launch(stream_, {4});
    uint64_t first = driver_->sums;
    EXPECT_NE(first, sums);
    launch(stream_, {4});
    EXPECT_NE(driver_->sums, first);
    Graph graph = stream_.endCapture();
    launch(stream_, {4});
    EXPECT_EQ(driver_->sums, sums);
    EXPECT_EQ(driver_->allocations - before, 4);
  }
  EXPECT_EQ(driver_->allocations, before) << "it lives as long as the graph";
  {
    Stream other(device_);
    driver_->captures = true; // by another library
    launch(other, {4});
    driver_->captures = false;
  }
  EXPECT_EQ(driver_->allocations - before, 2) << "nobody tells when that graph is gone";
}

TEST_F(Workspaces, ACandidateOfTuningThatFailsTakesItsMemoryAlong) {
  fake_.kernels = {makeKernel("k", {"x", "B"})};
  Kernel kernel = load("another source");
  driver_->isFault = false;
  driver_->fails = true;
  bool areZero = true;
  driver_->before = [&] { areZero &= driver_->areZero; };
  TuneOptions how;
  for (int64_t splits : {2, 3})
    how.space.push_back({{{"B", 16}, {"depth_splits", splits}}, {}, {}});
  auto grid = [&](const std::map<std::string, Constant> &) {
    driver_->fails = ++launches_ == 1;
    return Grid{4};
  };
  TuneReport report = kernel.tune(stream_, grid, std::vector<Argument>{x_}, {}, how);
  ASSERT_TRUE(report.best);
  EXPECT_GT(launches_, 2);
  EXPECT_TRUE(areZero);
}

TEST_F(Workspaces, LaunchesThatAreSubmittedAtOnceHaveMemoryOfTheirOwn) {
  launch(stream_, {4});
  uint64_t inner = 0;
  driver_->during = [&] { // another thread's launch on a device that runs it at once
    std::thread([&] { launch(stream_, {4}); }).join();
    inner = driver_->zeros;
    EXPECT_TRUE(driver_->areZero);
  };
  uint64_t outer = driver_->zeros;
  launch(stream_, {4});
  EXPECT_NE(inner, 0u);
  EXPECT_NE(inner, outer);
}

TEST_F(Workspaces, AStreamOfEachThreadHasNone) {
  driver_->isShared = true;
  EXPECT_THAT(messageOf([&] { launch(stream_, {4}); }), HasSubstr("a stream that stands for one of each thread"));
}

TEST_F(Workspaces, TooManyPrograms) {
  EXPECT_THAT(messageOf([&] { launch(stream_, {int64_t(1) << 30}, 2); }),
              HasSubstr("has 2147483648 programs along axis 0, with depth_splits=2; there can be 2147483647"));
  EXPECT_THAT(messageOf([&] { launch(stream_, {1 << 28, 1 << 28, 4}, 2); }), HasSubstr("needs more than 2^62 bytes"));
}

TEST_F(Workspaces, ValuesOfTheOption) {
  for (int64_t splits : {-1, 0, 65})
    EXPECT_EQ(messageOf([&] { launch(stream_, {1}, splits); }),
              "depth_splits is " + std::to_string(splits) + "; it must be an integer from 1 to 64");
  EXPECT_THAT(messageOf([&] {
                kernel_.launch(stream_, {1}, std::vector<Argument>{x_}, {.constants = {{"depth_splits", "two"}}});
              }),
              HasSubstr("depth_splits is no integer; it must be an integer from 1 to 64"));
}

} // namespace
} // namespace tegula::test
