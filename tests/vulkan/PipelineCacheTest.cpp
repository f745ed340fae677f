// Machine code of the device's own compiler is kept on disk. lavapipe's caches are empty, so the watching library adds
// data to each.
#include "tests/vulkan/WatchedDevice.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace tegula::vulkan::test {
namespace {

namespace fs = std::filesystem;

class VulkanPipelineCache : public WatchedDevice {
protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("tegula-pipelines-" + std::to_string(getpid()));
    setenv("TEGULA_CACHE_DIR", folder_.c_str(), 1);
    WatchedDevice::SetUp();
    watch().takeCacheTraffic();
  }
  void TearDown() override {
    WatchedDevice::TearDown();
    unsetenv("TEGULA_CACHE_DIR");
    fs::remove_all(folder_);
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(folder_ / "kernels"))
      found.push_back(entry.path());
    return found;
  }
  /// Loads and runs the kernel; returns whether its cache had content.
  bool isFilledAtLoad(const Artifact &artifact) {
    DeviceArray<uint32_t> out(*driver_, 4);
    driver_->fill(stream_, out.memory(), 0, 0, out.bytes());
    launch(artifact, {4, 1, 1}, {out.argument()});
    EXPECT_THAT(out.read(stream_), ::testing::Each(1u));
    CacheTraffic traffic = watch().takeCacheTraffic();
    EXPECT_EQ(traffic.made, 1u);
    return traffic.filled == 1;
  }

  fs::path folder_;
};

TEST_P(VulkanPipelineCache, ASecondLoadFindsIt) {
  EXPECT_FALSE(isFilledAtLoad(countPrograms()));
  ASSERT_EQ(entries().size(), 1u);
  fs::file_time_type written = fs::last_write_time(entries()[0]);
  EXPECT_TRUE(isFilledAtLoad(countPrograms()));
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(fs::last_write_time(entries()[0]), written) << "nothing new, nothing written";
}

TEST_P(VulkanPipelineCache, AKernelThatMovedInItsFileIsTheSame) {
  ASSERT_FALSE(facts().hasTools) << "this test runs without layers";
  EXPECT_FALSE(isFilledAtLoad(countPrograms(12)));
  EXPECT_TRUE(isFilledAtLoad(countPrograms(14)));
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_EQ(watch().takeFindings().withLines, 0u);
}

TEST_P(VulkanPipelineCache, AnotherKernelHasItsOwn) {
  EXPECT_FALSE(isFilledAtLoad(countPrograms()));
  driver_->load(vectorAdd(64));
  EXPECT_EQ(watch().takeCacheTraffic().filled, 0u);
  EXPECT_EQ(entries().size(), 2u);
}

TEST_P(VulkanPipelineCache, AnotherDriverVersionHasItsOwn) {
  EXPECT_FALSE(isFilledAtLoad(countPrograms()));
  DeviceFacts newer = facts();
  newer.code += "1";
  VulkanDriver("vulkan:newer", newer).load(countPrograms());
  EXPECT_EQ(watch().takeCacheTraffic().filled, 0u);
  EXPECT_EQ(entries().size(), 2u);
}

TEST_P(VulkanPipelineCache, DamagedEntriesAreNoneAndAreReplaced) {
  EXPECT_FALSE(isFilledAtLoad(countPrograms()));
  fs::path file = entries()[0];
  auto size = fs::file_size(file);
  fs::resize_file(file, size - 3);
  EXPECT_FALSE(isFilledAtLoad(countPrograms())) << "cut";
  EXPECT_TRUE(isFilledAtLoad(countPrograms()));
  {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(size) - 5);
    bytes.put('\0');
  }
  EXPECT_FALSE(isFilledAtLoad(countPrograms())) << "changed";
  EXPECT_TRUE(isFilledAtLoad(countPrograms()));
  std::ofstream(file, std::ios::trunc) << "not an entry";
  EXPECT_FALSE(isFilledAtLoad(countPrograms())) << "foreign";
  EXPECT_TRUE(isFilledAtLoad(countPrograms()));
}

TEST_P(VulkanPipelineCache, AFolderThatCannotBeUsedIsDoneWithout) {
  std::ofstream(folder_) << "a file";
  EXPECT_FALSE(isFilledAtLoad(countPrograms()));
  EXPECT_FALSE(isFilledAtLoad(countPrograms()));
}

TEGULA_ON_EACH_DEVICE(VulkanPipelineCache);

} // namespace
} // namespace tegula::vulkan::test
