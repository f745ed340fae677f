// The watch sees what it is there for: a run without findings means something.
#include "tests/vulkan/WatchedDevice.h"

namespace tegula::vulkan::test {

Watch &watch() {
  static Watch &opened = []() -> Watch & {
    Watch &fresh = openWatch(TEGULA_VULKAN_WATCH);
    fresh.useValidationLayer();
    return fresh;
  }();
  return opened;
}

namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
    driver_->free(driver_->allocate(size_t(16) << 20)); // a buffer of its own
  }
  Findings found = watch().takeFindings();
  EXPECT_THAT(found.messages, Contains(HasSubstr("VUID-")));
  EXPECT_THAT(found.refusals, IsEmpty());
}

TEGULA_ON_EACH_DEVICE(VulkanWatch);

} // namespace
} // namespace tegula::vulkan::test
