// Kernels against plain loops.
#include "tests/vulkan/DriverFixture.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tegula::vulkan::test {
namespace {

class VulkanKernels : public VulkanDevice {};

TEST_P(VulkanKernels, VectorAddOfSizesThatDivideNothing) {
  if (!has(Feature::SignedZeroInfNan32))
    GTEST_SKIP() << "no shaderSignedZeroInfNanPreserveFloat32";
  std::unique_ptr<DriverKernel> kernel = driver_->load(vectorAdd(64));
  for (size_t n : {size_t(1), size_t(63), size_t(64), size_t(65), size_t(1000), size_t(98432), size_t(1048577)}) {
    std::vector<float> x = randomFloats(n, 1), y = randomFloats(n, 2), expected(n + 7, -5.0f);
    x[0] = -std::numeric_limits<float>::infinity();
    DeviceArray<float> dx(*driver_, n), dy(*driver_, n), out(*driver_, n + 7);
    dx.write(stream_, x);
    dy.write(stream_, y);
    out.write(stream_, expected);
    launch(*kernel, {static_cast<uint32_t>((n + 63) / 64), 1, 1},
           {dx.argument(), dy.argument(), out.argument(), {n, nullptr}});
    for (size_t i = 0; i < n; ++i)
      expected[i] = x[i] + y[i];
    EXPECT_EQ(out.read(stream_), expected) << n; // also compares the elements behind n, which must stay untouched
  }
}

TEST_P(VulkanKernels, BlockSumsThroughSharedMemory) {
  constexpr uint32_t kBlock = 1000, kThreads = 128;
  std::unique_ptr<DriverKernel> kernel = driver_->load(blockSum(kThreads, kBlock));
  for (size_t n : {size_t(1), size_t(999), size_t(5000), size_t(123457)}) {
    std::vector<float> x = randomFloats(n, 3);
    size_t programs = (n + kBlock - 1) / kBlock;
    DeviceArray<float> dx(*driver_, n), out(*driver_, programs);
    dx.write(stream_, x);
    launch(*kernel, {static_cast<uint32_t>(programs), 1, 1}, {dx.argument(), out.argument(), {n, nullptr}});
    std::vector<float> sums = out.read(stream_);
    for (size_t p = 0; p < programs; ++p) {
      double expected = 0, magnitude = 0;
      for (size_t i = p * kBlock; i < std::min(n, (p + 1) * kBlock); ++i) {
        expected += x[i];
        magnitude += std::abs(x[i]);
      }
      // The longest chain of additions: those of one thread, then the tree's.
      double bound = (kBlock / kThreads + 1 + 7) * 0x1p-24 * magnitude;
      EXPECT_NEAR(sums[p], expected, bound) << n << " " << p;
    }
  }
}

TEST_P(VulkanKernels, EveryScalarTypePushedAndThroughABuffer) {
  for (Feature feature : {Feature::Float16, Feature::Float64, Feature::Int8, Feature::Int16})
    if (!has(feature))
      GTEST_SKIP() << "no " << featureName(feature);
  auto d = [](double value) { return std::bit_cast<int64_t>(value); };
  // i1, i8, i16, i32, i64, f16, f32, f64; bits above the value's width must be ignored.
  std::vector<LaunchArgument> scalars = {{~uint64_t(0)},
                                         {~uint64_t(0) - 4},
                                         {0xffff'8000},
                                         {0x1'7fff'ffff},
                                         {0x8000'0000'0000'0001},
                                         {0xabcd'c500},
                                         {std::bit_cast<uint32_t>(-2.5f)},
                                         {std::bit_cast<uint64_t>(1e300)}};
  std::vector<int64_t> expected = {1,       -5,      -32768,  0x7fffffff, std::numeric_limits<int64_t>::min() + 1,
                                   d(-5.0), d(-2.5), d(1e300)};
  struct Case {
    KernelBinary::Passing passing;
    uint32_t extra;
  };
  for (auto [passing, extra] : {Case{KernelBinary::Passing::Push, 0}, Case{KernelBinary::Passing::Buffer, 0},
                                Case{KernelBinary::Passing::Buffer, 500}}) {
    std::vector<int64_t> all = expected;
    DeviceArray<int64_t> out(*driver_, expected.size() + extra);
    std::vector<LaunchArgument> arguments = {out.argument()};
    arguments.insert(arguments.end(), scalars.begin(), scalars.end());
    for (uint32_t i = 0; i < extra; ++i) {
      int64_t value = i % 2 ? int64_t(i) << 40 : int64_t(i % 100) - 50;
      arguments.push_back({static_cast<uint64_t>(value)});
      all.push_back(value);
    }
    launch(everyScalar(passing, extra), {1, 1, 1}, arguments);
    EXPECT_EQ(out.read(stream_), all) << extra;
  }
}

TEST_P(VulkanKernels, ADescriptorArrivesWhole) {
  DeviceArray<int64_t> out(*driver_, 6);
  std::vector<int64_t> shape = {123, int64_t(1) << 40}, strides = {int64_t(1) << 33, 1};
  DescriptorValue descriptor{0x1234567890, shape, strides, true};
  launch(readDescriptor(), {1, 1, 1}, {out.argument(), {0, &descriptor}});
  EXPECT_THAT(out.read(stream_), ::testing::ElementsAre(0x1234567890, 123, int64_t(1) << 40, int64_t(1) << 33, 1, 1));
}

TEST_P(VulkanKernels, BytesInMemory) {
  if (!has(Feature::Int8) || !has(Feature::Storage8))
    GTEST_SKIP() << "no 8-bit storage";
  constexpr size_t kCount = 1001;
  std::vector<uint8_t> x(kCount), expected(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    x[i] = static_cast<uint8_t>(i * 37);
    expected[i] = static_cast<uint8_t>(x[i] + 1);
  }
  DeviceArray<uint8_t> dx(*driver_, kCount), out(*driver_, kCount);
  dx.write(stream_, x);
  launch(incrementBytes(), {(kCount + 31) / 32, 1, 1}, {dx.argument(), out.argument(), {kCount}});
  EXPECT_EQ(out.read(stream_), expected);
}

TEST_P(VulkanKernels, SubgroupOperations) {
  const Capacity &capacity = facts().capacity;
  for (const Profile &profile : profiles()) {
    if (profile.subgroupSize == 0 || !whyNot(profile, capacity).empty())
      continue;
    uint32_t size = profile.subgroupSize, threads = 128;
    std::vector<int32_t> x(threads), expected(4 * threads);
    for (uint32_t i = 0; i < threads; ++i)
      x[i] = static_cast<int32_t>(i * i % 101) - 50;
    for (uint32_t i = 0; i < threads; ++i) {
      uint32_t begin = i / size * size;
      for (uint32_t j = begin; j < begin + size; ++j) {
        expected[i] += x[j];
        expected[threads + i] += j < i ? x[j] : 0;
      }
      expected[2 * threads + i] = x[i ^ 1];
      expected[3 * threads + i] = x[begin];
    }
    DeviceArray<int32_t> dx(*driver_, threads), out(*driver_, 4 * threads);
    dx.write(stream_, x);
    launch(subgroupOperations(size, threads, targetName(profile)), {1, 1, 1}, {dx.argument(), out.argument()});
    EXPECT_EQ(out.read(stream_), expected) << profile.name;
  }
}

TEST_P(VulkanKernels, ScratchMemoryGrowsWithTheGrid) {
  constexpr uint32_t kThreads = 32;
  std::unique_ptr<DriverKernel> kernel = driver_->load(useScratch(kThreads));
  for (uint32_t programs : {1u, 300u, 20u, 5000u}) {
    DeviceArray<uint32_t> out(*driver_, programs * kThreads);
    launch(*kernel, {programs, 1, 1}, {out.argument()});
    std::vector<uint32_t> expected(programs * kThreads);
    for (uint32_t i = 0; i < expected.size(); ++i)
      expected[i] = (i ^ 1) * 3;
    EXPECT_EQ(out.read(stream_), expected) << programs;
  }
}

TEGULA_ON_EACH_DEVICE(VulkanKernels);

} // namespace
} // namespace tegula::vulkan::test
