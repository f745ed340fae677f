// The driver with failing devices: one message, repeated by every later call; nothing hangs or crashes.
#include "tests/vulkan/WatchedDevice.h"

#include <chrono>

namespace tegula::vulkan::test {

Watch &watch() {
  static Watch &opened = openWatch(TEGULA_VULKAN_WATCH);
  return opened;
}

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class VulkanFailures : public WatchedDevice {
protected:
  /// The errors of all calls that a runtime makes to the driver; `event` was recorded before.
  std::vector<std::string> errorsOfAllCalls(const DeviceMemory &memory, const DriverKernel &kernel, void *event) {
    uint32_t word = 0;
    LaunchRequest request;
    request.arguments = {{memory.address}};
    std::vector<std::function<void()>> calls = {
        [&] { driver_->allocate(16); },
        [&] { driver_->createStream(); },
        [&] { driver_->copyToDevice(stream_, memory, 0, &word, 4); },
        [&] { driver_->copyToHost(stream_, &word, memory, 0, 4); },
        [&] { driver_->copyOnDevice(stream_, memory, 0, memory, 4, 4); },
        [&] { driver_->fill(stream_, memory, 0, 1, 4); },
        [&] { driver_->load(countPrograms()); },
        [&] { driver_->launch(stream_, kernel, request); },
        [&] { driver_->synchronize(stream_); },
        [&] { driver_->recordEvent(stream_); },
        [&] { driver_->waitEvent(event); },
        [&] { driver_->elapsed(event, event); },
    };
    std::vector<std::string> errors;
    for (const auto &call : calls)
      errors.push_back(errorOf(call));
    return errors;
  }
};

TEST_P(VulkanFailures, ALostDeviceSaysSoFromThenOn) {
  DeviceMemory memory = driver_->allocate(1024);
  std::unique_ptr<DriverKernel> kernel = driver_->load(countPrograms());
  void *event = driver_->recordEvent(stream_);
  std::string first;
  {
    Planted lost(Fault::DeviceLost);
    first = errorOf([&] { launch(*kernel, {1, 1, 1}, {{memory.address}}); });
    EXPECT_THAT(first, AllOf(HasSubstr("VK_ERROR_DEVICE_LOST"), HasSubstr("the device stopped working")));
    EXPECT_THAT(errorsOfAllCalls(memory, *kernel, event), ::testing::Each(first));
  }
  // A lost device stays lost, whatever it reports later.
  EXPECT_THAT(errorsOfAllCalls(memory, *kernel, event), ::testing::Each(first));
  driver_->destroyEvent(event);
  driver_->free(memory);
  kernel.reset();
  driver_->destroyStream(stream_);
  stream_ = nullptr;
  driver_.reset();
  SetUp(); // a newly opened device works
  DeviceArray<uint32_t> out(*driver_, 1);
  out.write(stream_, {5});
  launch(countPrograms(), {1, 1, 1}, {out.argument()});
  EXPECT_EQ(out.read(stream_)[0], 6u);
}

// In the two tests nothing asks for the stream's progress between the launch and the loss: a driver that has seen the
// work end has nothing to wait for, and hears of the loss later.

TEST_P(VulkanFailures, ALossIsHeardWhileWaiting) {
  DeviceArray<uint32_t> out(*driver_, 2);
  std::unique_ptr<DriverKernel> kernel = driver_->load(spin());
  launch(*kernel, {1, 1, 1}, {out.argument(), {1000}});
  std::string first;
  {
    Planted lost(Fault::DeviceLost);
    first = errorOf([&] { driver_->synchronize(stream_); });
    EXPECT_THAT(first, HasSubstr("VK_ERROR_DEVICE_LOST"));
  }
  EXPECT_EQ(errorOf([&] { driver_->allocate(1); }), first);
}

TEST_P(VulkanFailures, ALossIsHeardWhileFreeing) {
  DeviceArray<uint32_t> out(*driver_, 2);
  DeviceMemory freed[2] = {driver_->allocate(64), driver_->allocate(64)};
  std::unique_ptr<DriverKernel> kernel = driver_->load(spin());
  launch(*kernel, {1, 1, 1}, {out.argument(), {1000}});
  {
    Planted lost(Fault::DeviceLost);
    driver_->free(freed[0]); // kept until the kernel has ended
    driver_->free(freed[1]); // asks whether it has, and must not throw
  }
  EXPECT_THAT(errorOf([&] { driver_->synchronize(stream_); }), HasSubstr("VK_ERROR_DEVICE_LOST"));
}

TEST_P(VulkanFailures, AFullDeviceNamesSizesAndGoesOn) {
  DeviceArray<uint8_t> before(*driver_, 1000);
  constexpr size_t kBytes = size_t(3) << 20;
  {
    Planted full(Fault::OutOfMemory);
    std::string message = errorOf([&] { driver_->allocate(kBytes); });
    EXPECT_THAT(message,
                AllOf(HasSubstr("out of memory: " + std::to_string(kBytes) + " bytes"),
                      HasSubstr("has " + std::to_string(facts().memoryBytes) + " bytes"),
                      HasSubstr("this process holds 8388608 of them"), HasSubstr("VK_ERROR_OUT_OF_DEVICE_MEMORY")));
    DeviceArray<uint8_t> small(*driver_, 1000); // fits into memory that the driver already has
  }
  DeviceArray<uint8_t> after(*driver_, kBytes);
  after.write(stream_, std::vector<uint8_t>(kBytes, 3));
  EXPECT_EQ(after.read(stream_)[kBytes - 1], 3);
}

TEST_P(VulkanFailures, NoScratchMemoryIsAnErrorOfTheLaunchAlone) {
  DeviceArray<uint32_t> out(*driver_, size_t(1) << 20);
  std::unique_ptr<DriverKernel> kernel = driver_->load(useScratch(32));
  {
    Planted full(Fault::OutOfMemory);
    EXPECT_THAT(errorOf([&] { launch(*kernel, {1 << 15, 1, 1}, {out.argument()}); }), HasSubstr("out of memory"));
  }
  launch(*kernel, {1 << 15, 1, 1}, {out.argument()});
  EXPECT_EQ(out.read(stream_)[7], (7u ^ 1) * 3);
}

class VulkanTimeouts : public VulkanFailures {
protected:
  void SetUp() override {
    setenv("TEGULA_TIMEOUT", "0.3", 1);
    VulkanFailures::SetUp();
    unsetenv("TEGULA_TIMEOUT");
  }
  static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};

TEST_P(VulkanTimeouts, AFullDeviceWaitsForFreedMemoryThatIsInUse) {
  DeviceArray<uint32_t> out(*driver_, 2);
  out.write(stream_, {0, 0});
  std::unique_ptr<DriverKernel> kernel = driver_->load(spin());
  launch(*kernel, {1, 1, 1}, {out.argument(), {1000000}});
  driver_->free(driver_->allocate(64)); // kept until the kernel has ended
  Planted full(Fault::OutOfMemory);
  EXPECT_THAT(errorOf([&] { driver_->allocate(size_t(3) << 20); }), HasSubstr("out of memory"));
  EXPECT_EQ(out.read(stream_)[0], 1u);
}

TEST_P(VulkanTimeouts, MuchWorkTakesAsLongAsItTakes) {
  // Each piece ends within the limit, all pieces together do not.
  std::unique_ptr<DriverKernel> kernel = driver_->load(spin());
  DeviceArray<uint32_t> out(*driver_, 2);
  out.write(stream_, {0, 0});
  launch(*kernel, {1, 1, 1}, {out.argument(), {1}});
  driver_->synchronize(stream_);
  double begin = seconds();
  launch(*kernel, {1, 1, 1}, {out.argument(), {1000000}});
  driver_->synchronize(stream_);
  double one = seconds() - begin;
  int pieces = static_cast<int>(0.6 / one) + 1;
  for (int i = 0; i < pieces; ++i)
    launch(*kernel, {1, 1, 1}, {out.argument(), {1000000}});
  driver_->synchronize(stream_);
  EXPECT_EQ(out.read(stream_)[0], static_cast<uint32_t>(pieces) + 2);
}

TEST_P(VulkanTimeouts, WorkBehindThatOfAnotherStreamWaitsForIt) {
  // More streams than queues: the last one shares the first one's queue, where much is to be done before its own work.
  constexpr size_t kMostQueues = 8;
  std::vector<void *> streams;
  for (size_t i = 0; i < kMostQueues; ++i)
    streams.push_back(driver_->createStream());
  std::unique_ptr<DriverKernel> kernel = driver_->load(spin());
  DeviceArray<uint32_t> out(*driver_, 2);
  out.write(stream_, {0, 0});
  launch(*kernel, {1, 1, 1}, {out.argument(), {1}});
  driver_->synchronize(stream_);
  double begin = seconds();
  launch(*kernel, {1, 1, 1}, {out.argument(), {1000000}});
  driver_->synchronize(stream_);
  int pieces = static_cast<int>(0.9 / (seconds() - begin)) + 1;
  for (int i = 0; i < pieces; ++i)
    launch(*kernel, {1, 1, 1}, {out.argument(), {1000000}});
  DeviceArray<uint32_t> own(*driver_, 2);
  for (void *stream : streams) {
    launch(*kernel, {1, 1, 1}, {own.argument(), {1}}, stream);
    driver_->synchronize(stream); // of one of them: longer than the limit
  }
  driver_->synchronize(stream_);
  EXPECT_EQ(out.read(stream_)[0], static_cast<uint32_t>(pieces) + 2);
  for (void *stream : streams)
    driver_->destroyStream(stream);
}

TEST_P(VulkanTimeouts, WorkThatDoesNotEndIsGivenUp) {
  DeviceMemory memory = driver_->allocate(1024);
  std::unique_ptr<DriverKernel> counting = driver_->load(countPrograms());
  launch(*counting, {1, 1, 1}, {{memory.address}});
  driver_->synchronize(stream_); // the kernel is compiled by now, on devices that compile at the first launch
  launch(spin(), {1, 1, 1}, {{memory.address}, {1}});
  driver_->synchronize(stream_);
  void *event = driver_->recordEvent(stream_);
  // Seconds of work, on two threads or on thousands. (Debian 12's software device leaves loops after 65,535
  // iterations.)
  bool isGpu = facts().isRealGpu();
  launch(spin(), {isGpu ? 1u : 3000u, 1, 1}, {{memory.address}, {isGpu ? INT32_MAX : 60000u}});
  double begin = seconds();
  std::string first = errorOf([&] { driver_->synchronize(stream_); });
  EXPECT_THAT(first,
              AllOf(HasSubstr("no work on " + facts().name + " ended within 300 ms"), HasSubstr("TEGULA_TIMEOUT")));
  EXPECT_GE(seconds() - begin, 0.29);
  EXPECT_THAT(errorsOfAllCalls(memory, *counting, event), ::testing::Each(first));
  // Everything is released while the kernel still runs.
  driver_->destroyEvent(event);
  driver_->free(memory);
  counting.reset();
  driver_->destroyStream(stream_);
  stream_ = nullptr;
  driver_.reset();
}

TEST(VulkanTimeouts, AWrongLimitIsNamed) {
  if (foundDevices().empty())
    GTEST_SKIP() << "no Vulkan device";
  for (const char *wrong : {"soon", "0", "-1", "nan", "3s"}) {
    setenv("TEGULA_TIMEOUT", wrong, 1);
    EXPECT_THAT(errorOf([] { VulkanDriver("vulkan:test", foundDevices()[0].facts); }),
                HasSubstr("expected TEGULA_TIMEOUT to be a number of seconds from 0.001 to 1000000, found '" +
                          std::string(wrong) + "'"));
  }
  unsetenv("TEGULA_TIMEOUT");
}

TEST(VulkanSeveralDevices, EachIsOpenedByItsNameAndWorksBesideTheOthers) {
  size_t once = foundDevices().size(); // the device list was made before
  watch().showDevicesTwice();
  std::string whyNone;
  auto devices = findDevices(whyNone);
  ASSERT_EQ(devices.size(), 2 * once);
  constexpr size_t kCount = 100000;
  struct Open {
    std::unique_ptr<Driver> driver;
    void *stream;
    std::unique_ptr<DriverKernel> kernel;
    DeviceMemory sum, x;
    std::vector<float> values;
  };
  std::vector<Open> all;
  for (size_t i = 0; i < devices.size(); ++i) {
    Open open;
    open.driver = vulkanDriverFactory()->open("vulkan:" + std::to_string(i));
    EXPECT_EQ(open.driver->info().name, "vulkan:" + std::to_string(i));
    open.stream = open.driver->createStream();
    open.kernel = open.driver->load(vectorAdd(64));
    open.sum = open.driver->allocate(kCount * 4);
    open.x = open.driver->allocate(kCount * 4);
    open.values = randomFloats(kCount, static_cast<uint32_t>(i));
    open.driver->copyToDevice(open.stream, open.x, 0, open.values.data(), kCount * 4);
    all.push_back(std::move(open));
  }
  for (Open &open : all) {
    LaunchRequest request;
    request.grid = {(kCount + 63) / 64, 1, 1};
    request.arguments = {{open.x.address}, {open.x.address}, {open.sum.address}, {kCount}};
    open.driver->launch(open.stream, *open.kernel, request);
  }
  while (!all.empty()) { // closing one device leaves the others working
    Open open = std::move(all.front());
    all.erase(all.begin());
    std::vector<float> sums(kCount);
    open.driver->copyToHost(open.stream, sums.data(), open.sum, 0, kCount * 4);
    for (float &value : open.values)
      value += value;
    EXPECT_EQ(sums, open.values);
    open.driver->free(open.sum);
    open.driver->free(open.x);
    open.kernel.reset();
    open.driver->destroyStream(open.stream);
    open.driver.reset();
  }
}

TEGULA_ON_EACH_DEVICE(VulkanFailures);
TEGULA_ON_EACH_DEVICE(VulkanTimeouts);

} // namespace
} // namespace tegula::vulkan::test
