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

TEST_P(VulkanWatch, ModulesKeepTheirLinesForTools) {
  DeviceArray<uint32_t> out(*driver_, 4);
  launch(countPrograms(12), {4, 1, 1}, {out.argument()});
  out.read(stream_);
  Findings found = watch().takeFindings();
  EXPECT_EQ(found.withLines, 1u) << "the validation layer is a tool";
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

TEST_P(VulkanWatch, AConformanceRunIsToldOfBoth) {
  conformance::Watching watching(TEGULA_VULKAN_WATCH);
  auto found = [&](std::optional<Fault> fault) {
    if (fault)
      watch().plant(*fault, true);
    run();
    driver_->free(driver_->allocate(size_t(16) << 20));
    if (fault)
      watch().plant(*fault, false);
    return watching.look();
  };
  EXPECT_EQ(found(std::nullopt), "");
  EXPECT_EQ(watching.modules(), 1u);
  EXPECT_THAT(found(Fault::BufferLacksAddress),
              AllOf(HasSubstr("validation layer: "), HasSubstr("VUID-"), Not(HasSubstr("spirv-val: "))));
  EXPECT_THAT(found(Fault::ModuleLacksInt64), HasSubstr("spirv-val: "));
  EXPECT_EQ(watching.modules(), 3u);
}

TEGULA_ON_EACH_DEVICE(VulkanWatch);

} // namespace
} // namespace tegula::vulkan::test
