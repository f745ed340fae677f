// Allocation, copies, fills.
#include "core/support/Diagnostic.h"
#include "tests/vulkan/DriverFixture.h"

#include <random>

namespace tegula::vulkan::test {
namespace {

using ::testing::HasSubstr;

/// Tests each device twice: as it is, and as a discrete GPU, whose memory is accessible through staging memory only.
class VulkanMemory : public VulkanDevice {
protected:
  void SetUp() override {
    DeviceFacts facts = foundDevices()[GetParam() / 2].facts;
    if (GetParam() % 2)
      facts.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    open(facts);
  }
};

std::vector<uint8_t> randomBytes(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(generator());
  return bytes;
}

TEST_P(VulkanMemory, CopiesOfAnySizeAndOffsetComeBack) {
  // Sizes across the staging pieces of 4 MiB and across the limit below which allocations share a block.
  for (size_t size : {size_t(1), size_t(3), size_t(255), size_t(4096), (size_t(1) << 20) + 1, (size_t(9) << 20) + 5}) {
    std::vector<uint8_t> expected = randomBytes(size, static_cast<uint32_t>(size));
    DeviceArray<uint8_t> array(*driver_, size);
    array.write(stream_, expected);
    EXPECT_EQ(array.read(stream_), expected) << size;
    size_t offset = size / 3, part = size / 2;
    std::vector<uint8_t> patch = randomBytes(part, 99), back(part);
    driver_->copyToDevice(stream_, array.memory(), offset, patch.data(), part);
    std::copy(patch.begin(), patch.end(), expected.begin() + static_cast<long>(offset));
    EXPECT_EQ(array.read(stream_), expected) << size;
    driver_->copyToHost(stream_, back.data(), array.memory(), offset, part);
    EXPECT_EQ(back, patch) << size;
  }
}

TEST_P(VulkanMemory, FillsOfAnySizeAndOffsetTouchNothingElse) {
  std::vector<uint8_t> expected = randomBytes(100, 1);
  DeviceArray<uint8_t> array(*driver_, expected.size());
  for (size_t offset = 0; offset < 6; ++offset)
    for (size_t size : {0, 1, 2, 3, 4, 5, 8, 11, 64}) {
      expected = randomBytes(100, static_cast<uint32_t>(offset * 100 + size));
      array.write(stream_, expected);
      driver_->fill(stream_, array.memory(), offset, 0xab, size);
      std::fill_n(expected.begin() + static_cast<long>(offset), size, uint8_t(0xab));
      ASSERT_EQ(array.read(stream_), expected) << offset << " " << size;
    }
}

TEST_P(VulkanMemory, CopiesWithinTheDeviceTouchNothingElse) {
  // Small allocations share a block, large ones have their own.
  for (size_t size : {size_t(1000), (size_t(9) << 20) + 5}) {
    std::vector<uint8_t> a = randomBytes(size, 1), b = randomBytes(size, 2);
    DeviceArray<uint8_t> from(*driver_, size), to(*driver_, size);
    from.write(stream_, a);
    to.write(stream_, b);
    size_t part = size / 2, at = size / 3, source = size / 5;
    driver_->copyOnDevice(stream_, to.memory(), at, from.memory(), source, part);
    driver_->copyOnDevice(stream_, to.memory(), 0, from.memory(), 0, 0);
    driver_->fill(stream_, from.memory(), 0, 7, size); // after the copy
    std::copy_n(a.begin() + static_cast<long>(source), part, b.begin() + static_cast<long>(at));
    EXPECT_EQ(to.read(stream_), b) << size;
    // Within one allocation.
    driver_->copyOnDevice(stream_, to.memory(), 0, to.memory(), at, at);
    std::copy_n(b.begin() + static_cast<long>(at), at, b.begin());
    EXPECT_EQ(to.read(stream_), b) << size;
  }
}

TEST_P(VulkanMemory, CopiesAndLaunchesAreOrdered) {
  // Copies between launches without waiting: each launch must see exactly the copies before it.
  constexpr size_t kCount = 50000;
  std::unique_ptr<DriverKernel> kernel = driver_->load(vectorAdd(64));
  DeviceArray<float> x(*driver_, kCount), sum(*driver_, kCount);
  driver_->fill(stream_, sum.memory(), 0, 0, sum.bytes());
  for (int round = 1; round <= 20; ++round) {
    x.write(stream_, std::vector<float>(kCount, static_cast<float>(round)));
    launch(*kernel, {(kCount + 63) / 64, 1, 1}, {sum.argument(), x.argument(), sum.argument(), {kCount}});
  }
  EXPECT_EQ(sum.read(stream_), std::vector<float>(kCount, 210.0f));
}

TEST_P(VulkanMemory, ManySmallAllocationsDoNotOverlapAndAreReused) {
  std::mt19937 generator(7);
  struct Piece {
    DeviceMemory memory;
    uint8_t value;
  };
  std::vector<Piece> pieces;
  auto check = [&](const Piece &piece) {
    std::vector<uint8_t> bytes(piece.memory.size);
    driver_->copyToHost(stream_, bytes.data(), piece.memory, 0, bytes.size());
    return bytes == std::vector<uint8_t>(bytes.size(), piece.value);
  };
  for (int round = 0; round < 600; ++round) {
    if (pieces.size() > 100 || (!pieces.empty() && generator() % 3 == 0)) {
      size_t i = generator() % pieces.size();
      ASSERT_TRUE(check(pieces[i])) << round;
      driver_->free(pieces[i].memory);
      pieces[i] = pieces.back();
      pieces.pop_back();
      continue;
    }
    Piece piece{driver_->allocate(1 + generator() % 20000), static_cast<uint8_t>(round)};
    EXPECT_EQ(piece.memory.address % 256, 0u);
    driver_->fill(stream_, piece.memory, 0, piece.value, piece.memory.size);
    pieces.push_back(piece);
  }
  for (const Piece &piece : pieces) {
    EXPECT_TRUE(check(piece));
    driver_->free(piece.memory);
  }
}

TEST_P(VulkanMemory, MoreAllocationsThanTheApiGivesPieces) {
  // VkPhysicalDeviceLimits::maxMemoryAllocationCount is 4096 on real devices.
  std::vector<DeviceMemory> all;
  for (int i = 0; i < 6000; ++i)
    all.push_back(driver_->allocate(64));
  for (const DeviceMemory &memory : all)
    driver_->free(memory);
}

TEST_P(VulkanMemory, TheWordAroundEachByteIsTheAllocationsOwn) {
  // Narrow atomics exchange the whole word; loads of 16 bytes around a narrow element stay inside, too.
  for (size_t size : {size_t(1), size_t(2), size_t(3), size_t(255), size_t(257), (size_t(1) << 20) + 3}) {
    DeviceMemory memory = driver_->allocate(size);
    const auto &allocation = *static_cast<Allocation *>(memory.handle);
    EXPECT_EQ(memory.address % 16, 0u) << size;
    EXPECT_GE(allocation.size, (size + 15) / 16 * 16) << size;
    EXPECT_LE(allocation.offset + allocation.size, allocation.block->size()) << size;
    driver_->free(memory);
  }
}

TEST_P(VulkanMemory, TooMuchIsRefusedWithSizes) {
  size_t bytes = size_t(1) << 60;
  EXPECT_THAT(errorOf([&] { driver_->allocate(bytes); }), HasSubstr(std::to_string(bytes)));
  EXPECT_THAT(errorOf([&] { driver_->allocate(size_t(-1)); }), HasSubstr("out of memory"));
  DeviceArray<uint8_t> after(*driver_, 16); // the device still works
  after.write(stream_, std::vector<uint8_t>(16, 1));
  EXPECT_EQ(after.read(stream_), std::vector<uint8_t>(16, 1));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(VulkanMemory);
INSTANTIATE_TEST_SUITE_P(Devices, VulkanMemory, ::testing::Range(size_t(0), 2 * foundDevices().size()),
                         [](const ::testing::TestParamInfo<size_t> &info) {
                           return "vulkan" + std::to_string(info.param / 2) + (info.param % 2 ? "Staged" : "");
                         });

} // namespace
} // namespace tegula::vulkan::test
