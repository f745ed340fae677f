// Finding devices: their properties, and the reason for an empty list.
#include "core/support/Diagnostic.h"
#include "tests/vulkan/DriverFixture.h"

#include <fstream>
#include <unistd.h>

namespace tegula::vulkan::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class WithLibrary {
public:
  explicit WithLibrary(const std::string &path) { setenv("TEGULA_VULKAN_LIBRARY", path.c_str(), 1); }
  ~WithLibrary() { unsetenv("TEGULA_VULKAN_LIBRARY"); }
};

TEST(VulkanDevices, SomeDeviceIsTested) {
  if (std::getenv("TEGULA_TEST_EXPECTS_MATRICES")) {
    ASSERT_FALSE(foundDevices().empty());
    EXPECT_TRUE(foundDevices()[0].facts.capacity.features.has(Feature::CooperativeMatrix));
  }
  std::string whyNone;
  if (findDevices(whyNone).empty())
    GTEST_SKIP() << "no Vulkan device: " << whyNone;
  EXPECT_EQ(whyNone, "");
}

TEST(VulkanDevices, AMissingLibraryIsAReasonNotAFailure) {
  WithLibrary library("/nonexistent/libvulkan.so");
  std::string whyNone;
  EXPECT_TRUE(vulkanDriverFactory()->enumerate(whyNone).empty());
  EXPECT_THAT(whyNone, HasSubstr("/nonexistent/libvulkan.so"));
  EXPECT_THAT(whyNone, HasSubstr("cannot be opened"));
  EXPECT_THAT(errorOf([] { vulkanDriverFactory()->open("vulkan:0"); }), HasSubstr("finds none"));
}

TEST(VulkanDevices, AForeignLibraryIsAReason) {
  WithLibrary library("libm.so.6");
  std::string whyNone;
  EXPECT_TRUE(vulkanDriverFactory()->enumerate(whyNone).empty());
  EXPECT_THAT(whyNone, HasSubstr("libm.so.6 is not a Vulkan library"));
}

TEST(VulkanDevices, AFileThatIsNoLibraryIsAReason) {
  std::string path = ::testing::TempDir() + "/no-library-" + std::to_string(getpid());
  std::ofstream(path) << "not a library";
  WithLibrary library(path);
  std::string whyNone;
  EXPECT_TRUE(vulkanDriverFactory()->enumerate(whyNone).empty());
  EXPECT_THAT(whyNone, HasSubstr("cannot be opened"));
  unlink(path.c_str());
}

TEST(VulkanDevices, ASoftwareDeviceIsNeverPreferredToTheCpu) {
  // The runtime prefers a real GPU, then the first device of the factory with the highest priority; the CPU's is 0.
  EXPECT_LT(vulkanDriverFactory()->priority(), 0);
}

TEST(VulkanDevices, UnknownNamesAreRefused) {
  EXPECT_THAT(errorOf([] { vulkanDriverFactory()->open("vulkan:99"); }), HasSubstr("unknown device 'vulkan:99'"));
}

TEST_P(VulkanDevice, SaysWhatItIs) {
  const DeviceInfo &info = driver_->info();
  EXPECT_EQ(info.name, "vulkan:test");
  EXPECT_EQ(vulkanDriverFactory()->open("vulkan:" + std::to_string(GetParam()))->info().target, info.target);
  EXPECT_THAT(info.target, StartsWith("spirv:"));
  EXPECT_THAT(info.description, HasSubstr("subgroups of"));
  EXPECT_GT(info.memoryBytes, 0u);
  EXPECT_EQ(info.isRealGpu, facts().type != VK_PHYSICAL_DEVICE_TYPE_CPU);
  EXPECT_GE(facts().capacity.sharedBytes, 16384u);
  EXPECT_EQ(facts().unsuitable, "");
  std::string target = info.target;
  EXPECT_EQ(whyNot(*findProfile(target), facts().capacity), "");
  for (const auto &[key, value] : info.properties)
    RecordProperty(key, value);
}

TEST_P(VulkanDevice, LavapipeIsNoRealGpu) {
  if (facts().name.find("llvmpipe") == std::string::npos)
    GTEST_SKIP() << "not lavapipe: " << facts().name;
  EXPECT_FALSE(driver_->info().isRealGpu);
  EXPECT_EQ(driver_->info().target,
            has(Feature::CooperativeMatrix)
                ? "spirv:lavapipe-cm"
                : "spirv:sg" + std::to_string(facts().subgroupSize) + (has(Feature::UnboundedLoops) ? "" : "-bounded"));
}

/// Which versions do is measured: docs/vulkan.md.
TEST_P(VulkanDevice, OldLavapipesEndLoopsEarly) {
  size_t at = facts().driver.find("Mesa ");
  if (facts().name.find("llvmpipe") == std::string::npos || at == std::string::npos)
    EXPECT_TRUE(has(Feature::UnboundedLoops));
  else
    EXPECT_EQ(has(Feature::UnboundedLoops), std::stoi(facts().driver.substr(at + 5)) >= 25) << facts().driver;
}

TEGULA_ON_EACH_DEVICE(VulkanDevice);

} // namespace
} // namespace tegula::vulkan::test
