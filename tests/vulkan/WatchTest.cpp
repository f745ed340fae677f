// The watching library detects planted faults: so a run without findings means that there are none.
#include "tests/conformance/Watching.h"
#include "tests/vulkan/WatchedDevice.h"

namespace tegula::vulkan::test {

Watch &watch() {
  static Watch &opened = []() -> Watch & {
    Watch &fresh = openWatch(TEGULA_VULKAN_WATCH);
    setenv("TEGULA_TEST_VARIANT", "validated", 1);
    return fresh;
  }();
  return opened;
}

namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class VulkanWatch : public WatchedDevice {
protected:
  void SetUp() override {
    WatchedDevice::SetUp();
    watch().takeFindings();
  }
  void run() {
    constexpr size_t kCount = 1000;
    std::vector<float> x = randomFloats(kCount, 1);
    DeviceArray<float> dx(*driver_, kCount), out(*driver_, kCount);
    dx.write(stream_, x);
    launch(vectorAdd(64), {16, 1, 1}, {dx.argument(), dx.argument(), out.argument(), {kCount}});
    EXPECT_EQ(out.read(stream_)[7], x[7] + x[7]);
  }
};

TEST_P(VulkanWatch, NothingIsWrong) {
  run();
  Findings found = watch().takeFindings();
  EXPECT_EQ(found.modules, 1u);
  EXPECT_THAT(found.refusals, IsEmpty());
  EXPECT_THAT(found.messages, IsEmpty());
}

TEST_P(VulkanWatch, AWrongModuleIsSeenByBoth) {
  {
    Planted fault(Fault::ModuleLacksInt64);
    run();
  }
  Findings found = watch().takeFindings();
  EXPECT_THAT(found.refusals, Contains(HasSubstr("Int64")));
  EXPECT_THAT(found.messages, Contains(HasSubstr("Int64")));
}

TEST_P(VulkanWatch, WrongUseIsSeenByTheLayer) {
  {
    Planted fault(Fault::BufferLacksAddress);
    driver_->free(driver_->allocate(size_t(16) << 20)); // large enough for a VkBuffer of its own
  }
  Findings found = watch().takeFindings();
  EXPECT_THAT(found.messages, Contains(HasSubstr("VUID-")));
  EXPECT_THAT(found.refusals, IsEmpty());
}

TEST_P(VulkanWatch, TheConformanceRunFailsByEither) {
  auto concluded = [&](std::optional<Fault> fault) {
    conformance::Watching watching(TEGULA_VULKAN_WATCH);
    if (fault)
      watch().plant(*fault, true);
    run();
    driver_->free(driver_->allocate(size_t(16) << 20));
    if (fault)
      watch().plant(*fault, false);
    ::testing::internal::CaptureStdout();
    watching.look("family/kernel/variant");
    bool isGood = watching.conclude();
    return std::pair(isGood, ::testing::internal::GetCapturedStdout());
  };
  auto [isGood, text] = concluded(std::nullopt);
  EXPECT_TRUE(isGood);
  EXPECT_EQ(text, "0 validation messages\n1 modules, 0 of them refused by spirv-val\n");
  std::tie(isGood, text) = concluded(Fault::BufferLacksAddress);
  EXPECT_FALSE(isGood);
  EXPECT_THAT(text, AllOf(HasSubstr("family/kernel/variant: validation layer: "), HasSubstr("VUID-"),
                          Not(HasSubstr("\n0 validation messages")), HasSubstr("0 of them refused")));
  std::tie(isGood, text) = concluded(Fault::ModuleLacksInt64);
  EXPECT_FALSE(isGood);
  EXPECT_THAT(text, AllOf(HasSubstr("family/kernel/variant: spirv-val: "), HasSubstr("1 of them refused")));
}

TEST_P(VulkanWatch, NothingWatchedIsNoSuccess) {
  conformance::Watching watching(TEGULA_VULKAN_WATCH);
  ::testing::internal::CaptureStdout();
  EXPECT_FALSE(watching.conclude());
  ::testing::internal::GetCapturedStdout();
}

TEGULA_ON_EACH_DEVICE(VulkanWatch);

} // namespace
} // namespace tegula::vulkan::test
