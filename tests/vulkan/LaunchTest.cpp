// Grids, order, streams, events.
#include "core/support/Diagnostic.h"
#include "tests/vulkan/DriverFixture.h"

#include <chrono>
#include <numeric>
#include <thread>

namespace tegula::vulkan::test {
namespace {

using ::testing::HasSubstr;

class VulkanLaunch : public VulkanDevice {};

TEST_P(VulkanLaunch, GridsBeyondTheLimitsRunEveryProgramOnce) {
  std::unique_ptr<DriverKernel> kernel = driver_->load(countPrograms());
  using Grid = std::array<uint32_t, 3>;
  for (const Grid &grid : {Grid{1, 1, 1},
                           {65535, 1, 1},
                           {65536, 1, 1},
                           {200001, 1, 1},
                           {70000, 2, 3},
                           {2, 70000, 1},
                           {1, 2, 131071},
                           {7, 11, 13}}) {
    size_t total = size_t(grid[0]) * grid[1] * grid[2];
    DeviceArray<uint32_t> out(*driver_, total + 1);
    driver_->fill(stream_, out.memory(), 0, 0, out.bytes());
    launch(*kernel, grid, {out.argument()});
    std::vector<uint32_t> counts = out.read(stream_), expected(total + 1, 1);
    expected[total] = 0;
    EXPECT_EQ(counts, expected) << grid[0] << " " << grid[1] << " " << grid[2];
  }
}

TEST_P(VulkanLaunch, AnEmptyGridRunsNothing) {
  DeviceArray<uint32_t> out(*driver_, 1);
  driver_->fill(stream_, out.memory(), 0, 0, 4);
  launch(countPrograms(), {5, 0, 1}, {out.argument()});
  EXPECT_EQ(out.read(stream_)[0], 0u);
}

TEST_P(VulkanLaunch, AGridThatCannotBeSplitIsRefused) {
  uint32_t limit = facts().limits.maxComputeWorkGroupCount[1];
  if (limit == UINT32_MAX)
    GTEST_SKIP() << "every grid fits";
  DeviceArray<float> x(*driver_, 1);
  std::unique_ptr<DriverKernel> kernel = driver_->load(blockSum(64, 64));
  EXPECT_THAT(errorOf([&] { launch(*kernel, {1, limit + 1, 1}, {x.argument(), x.argument(), {1}}); }),
              HasSubstr("exceeds the limit"));
}

TEST_P(VulkanLaunch, LaunchesOfOneStreamSeeEachOthersWrites) {
  // 300 dependent steps, more than can be in flight: x[i] becomes x[i] + x[i], alternately in two buffers.
  constexpr size_t kCount = 10000;
  std::unique_ptr<DriverKernel> kernel = driver_->load(vectorAdd(64));
  DeviceArray<float> a(*driver_, kCount), b(*driver_, kCount), one(*driver_, kCount);
  one.write(stream_, std::vector<float>(kCount, 1.0f));
  driver_->fill(stream_, a.memory(), 0, 0, a.bytes());
  for (int step = 0; step < 300; ++step) {
    DeviceArray<float> &from = step % 2 ? b : a, &to = step % 2 ? a : b;
    launch(*kernel, {(kCount + 63) / 64, 1, 1}, {from.argument(), one.argument(), to.argument(), {kCount}});
  }
  EXPECT_EQ(a.read(stream_), std::vector<float>(kCount, 300.0f));
}

TEST_P(VulkanLaunch, AKernelMayGoWhileItsLaunchesRun) {
  DeviceArray<uint32_t> out(*driver_, 2);
  driver_->fill(stream_, out.memory(), 0, 0, out.bytes());
  for (int i = 0; i < 20; ++i)
    launch(spin(), {1, 1, 1}, {out.argument(), {1000}}); // loads, launches and destroys the kernel
  EXPECT_EQ(out.read(stream_)[0], 20u);
}

TEST_P(VulkanLaunch, MemoryFreedBehindALaunchIsNotReusedBeforeItsEnd) {
  std::unique_ptr<DriverKernel> slow = driver_->load(spin());
  void *other = driver_->createStream();
  for (int round = 0; round < 10; ++round) {
    uint64_t first = 0;
    {
      DeviceArray<uint32_t> used(*driver_, 2);
      first = used.memory().address;
      launch(*slow, {1, 1, 1}, {used.argument(), {200000}});
    }
    // Of the same size: must not reuse the old buffer's memory while the kernel may still write to it.
    DeviceArray<uint32_t> next(*driver_, 2);
    next.write(other, {7, 7});
    driver_->synchronize(stream_);
    EXPECT_THAT(next.read(other), ::testing::ElementsAre(7, 7)) << (next.memory().address == first);
  }
  driver_->destroyStream(other);
}

TEST_P(VulkanLaunch, AFailedLaunchLeavesTheStreamUsable) {
  std::unique_ptr<DriverKernel> kernel = driver_->load(readDescriptor()), good = driver_->load(countPrograms());
  DeviceArray<int64_t> out(*driver_, 6);
  DeviceArray<uint32_t> counts(*driver_, 4);
  driver_->fill(stream_, counts.memory(), 0, 0, counts.bytes());
  DescriptorValue flat{0, {}, {}, false};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(launch(*kernel, {1, 1, 1}, {out.argument(), {0, &flat}}), InternalError) << "of rank 0";
    launch(*good, {4, 1, 1}, {counts.argument()});
  }
  EXPECT_THAT(counts.read(stream_), ::testing::Each(3u));
}

TEST_P(VulkanLaunch, StreamsWorkSideBySideAndFromThreads) {
  constexpr size_t kCount = 100000, kStreams = 4;
  std::unique_ptr<DriverKernel> kernel = driver_->load(vectorAdd(64));
  std::vector<std::thread> threads;
  std::array<bool, kStreams> right = {};
  for (size_t s = 0; s < kStreams; ++s)
    threads.emplace_back([&, s] {
      void *stream = driver_->createStream();
      std::vector<float> x = randomFloats(kCount, static_cast<uint32_t>(10 + s)), expected = x;
      {
        DeviceArray<float> sum(*driver_, kCount), dx(*driver_, kCount);
        dx.write(stream, x);
        sum.write(stream, x);
        for (int i = 0; i < 10; ++i) {
          launch(*kernel, {(kCount + 63) / 64, 1, 1}, {sum.argument(), dx.argument(), sum.argument(), {kCount}},
                 stream);
          for (size_t j = 0; j < kCount; ++j)
            expected[j] += x[j];
        }
        right[s] = sum.read(stream) == expected;
      }
      driver_->destroyStream(stream);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(right, ::testing::Each(true));
}

TEST_P(VulkanLaunch, EventsMeasureTheDevicesTime) {
  std::unique_ptr<DriverKernel> kernel = driver_->load(spin());
  DeviceArray<uint32_t> out(*driver_, 2);
  launch(*kernel, {1, 1, 1}, {out.argument(), {1}});
  driver_->synchronize(stream_);
  auto begin = std::chrono::steady_clock::now();
  void *start = driver_->recordEvent(stream_);
  driver_->waitEvent(start);
  // A pause of the host between two events: however busy the machine is, they measure at least that long.
  constexpr double kPause = 0.02;
  std::this_thread::sleep_for(std::chrono::duration<double>(kPause));
  launch(*kernel, {1, 1, 1}, {out.argument(), {20000}});
  void *middle = driver_->recordEvent(stream_);
  launch(*kernel, {1, 1, 1}, {out.argument(), {20000}});
  void *end = driver_->recordEvent(stream_);
  driver_->waitEvent(end);
  double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double first = driver_->elapsed(start, middle), second = driver_->elapsed(middle, end);
  EXPECT_GE(first, kPause * 0.95); // the device's clock need not run exactly like the host's
  EXPECT_GT(second, 0);
  EXPECT_LE(first + second, wall * 1.05 + 1e-3);
  EXPECT_NEAR(driver_->elapsed(start, end), first + second, 1e-6);
  EXPECT_NEAR(driver_->elapsed(end, start), -(first + second), 1e-6);
  for (void *event : {start, middle, end})
    driver_->destroyEvent(event);
}

TEST_P(VulkanLaunch, ThousandsOfEvents) {
  std::vector<void *> events;
  for (int i = 0; i < 1000; ++i)
    events.push_back(driver_->recordEvent(stream_));
  double last = 0;
  for (void *event : events) {
    double at = driver_->elapsed(events[0], event);
    EXPECT_GE(at, last);
    last = at;
  }
  for (void *event : events)
    driver_->destroyEvent(event);
  for (int i = 0; i < 1000; ++i)
    driver_->destroyEvent(driver_->recordEvent(stream_));
}

TEGULA_ON_EACH_DEVICE(VulkanLaunch);

} // namespace
} // namespace tegula::vulkan::test
