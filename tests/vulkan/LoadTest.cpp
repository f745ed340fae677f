// Artifacts that cannot run on the device are refused with the reason.
#include "core/support/Diagnostic.h"
#include "tests/vulkan/DriverFixture.h"

namespace tegula::vulkan::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class VulkanLoad : public VulkanDevice {
protected:
  std::string refusal(const Artifact &artifact) {
    return errorOf([&] { driver_->load(artifact); });
  }
};

TEST_P(VulkanLoad, ForeignAndDamagedBinaries) {
  Artifact artifact = countPrograms();
  artifact.target = "cpu";
  EXPECT_THAT(refusal(artifact), HasSubstr("target cpu cannot be loaded"));
  artifact.target = "spirv:unheard-of";
  EXPECT_THAT(refusal(artifact), HasSubstr("spirv:unheard-of"));
  artifact = countPrograms();
  artifact.binary = {1, 2, 3};
  EXPECT_THAT(refusal(artifact), HasSubstr("not a kernel for Vulkan"));
  artifact = countPrograms();
  artifact.binary.resize(artifact.binary.size() / 2);
  EXPECT_THAT(refusal(artifact), AllOf(HasSubstr("damaged"), HasSubstr("entries announced")));
}

TEST_P(VulkanLoad, WhatTheDeviceLacksIsNamed) {
  Artifact artifact = countPrograms();
  artifact.requiredFeatures = {"antigravity"};
  EXPECT_THAT(refusal(artifact), HasSubstr("'antigravity', which this version of Tegula does not know"));
  artifact = countPrograms();
  artifact.threads = facts().limits.maxComputeWorkGroupInvocations + 1;
  EXPECT_THAT(refusal(artifact), HasSubstr(std::to_string(artifact.threads) + " threads a program"));
  artifact = countPrograms();
  artifact.sharedBytes = facts().capacity.sharedBytes + 1;
  EXPECT_THAT(refusal(artifact), HasSubstr(std::to_string(artifact.sharedBytes) + " bytes of shared memory"));
  artifact = subgroupOperations(1024, 1024, "spirv:generic-bounded");
  EXPECT_THAT(refusal(artifact), HasSubstr("subgroups of 1024 invocations"));
  artifact = everyScalar(KernelBinary::Passing::Push, 500);
  EXPECT_THAT(refusal(artifact), HasSubstr("bytes of push constants"));
  artifact = countPrograms();
  artifact.launchFlags = kLaunchTogether;
  EXPECT_THAT(refusal(artifact), HasSubstr("run together"));
}

TEST_P(VulkanLoad, ShortagesHaveNumbers) {
  Artifact artifact = countPrograms();
  auto shortage = [&] { return shortageOf([&] { driver_->load(artifact); }); };
  const VkPhysicalDeviceLimits &limits = facts().limits;
  uint32_t most = std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
  artifact.threads = most + 1;
  EXPECT_EQ(shortage(), (Shortage{"threads", most + 1, most}));
  artifact = countPrograms();
  artifact.sharedBytes = facts().capacity.sharedBytes + 1;
  EXPECT_EQ(shortage(), (Shortage{"shared memory", artifact.sharedBytes, facts().capacity.sharedBytes}));
  artifact = countPrograms();
  artifact.target = "cpu";
  EXPECT_EQ(shortage(), std::nullopt) << "another error";
}

TEST_P(VulkanLoad, AFeatureTakenAwayRefusesTheKernelsThatUseIt) {
  DeviceFacts less = facts();
  for (Feature feature : {Feature::Float64, Feature::Int8, Feature::SubgroupArithmetic})
    less.capacity.features.remove(feature);
  VulkanDriver without("vulkan:0", less);
  EXPECT_THAT(errorOf([&] { without.load(everyScalar(KernelBinary::Passing::Push, 0)); }),
              AllOf(HasSubstr("every_scalar"), HasSubstr("which the device lacks")));
  EXPECT_THAT(errorOf([&] { without.load(incrementBytes()); }), HasSubstr("shaderInt8"));
  uint32_t lanes = facts().capacity.maxSubgroupSize;
  EXPECT_THAT(errorOf([&] { without.load(subgroupOperations(lanes, 2 * lanes, "spirv:generic-bounded")); }),
              HasSubstr("subgroup operations: arithmetic"));
  EXPECT_EQ(errorOf([&] { without.load(countPrograms()); }), "no error");
  Artifact named = countPrograms();
  named.requiredFeatures = {"shaderFloat64"};
  EXPECT_THAT(errorOf([&] { without.load(named); }), HasSubstr("it needs shaderFloat64"));
  EXPECT_EQ(without.info().target, has(Feature::UnboundedLoops) ? "spirv:generic" : "spirv:generic-bounded");
}

TEST_P(VulkanLoad, RequiredSubgroupsAreLimitedUnlessTheDeviceHasOneSize) {
  DeviceFacts one = facts();
  one.capacity.minSubgroupSize = one.capacity.maxSubgroupSize = one.subgroupSize;
  one.maxRequiredSubgroups = 1;
  uint32_t lanes = one.subgroupSize, most = one.limits.maxComputeWorkGroupInvocations / lanes * lanes;
  Artifact largest = subgroupOperations(lanes, most, "spirv:generic-bounded");
  VulkanDriver fixed("vulkan:0", one);
  EXPECT_EQ(errorOf([&] { fixed.load(largest); }), "no error");
  DeviceFacts choice = facts();
  choice.capacity.minSubgroupSize = lanes / 2;
  choice.maxRequiredSubgroups = most / lanes - 1;
  VulkanDriver chooses("vulkan:0", choice);
  EXPECT_THAT(errorOf([&] { chooses.load(largest); }),
              HasSubstr("subgroups of " + std::to_string(lanes) + ", the device's limit is " +
                        std::to_string(choice.maxRequiredSubgroups)));
}

TEST_P(VulkanLoad, TargetsThatPromiseMoreAreRefused) {
  DeviceFacts less = facts();
  less.capacity.features.remove(Feature::UnboundedLoops);
  VulkanDriver without("vulkan:0", less);
  Artifact artifact = countPrograms();
  EXPECT_EQ(errorOf([&] { without.load(artifact); }), "no error");
  artifact.target = "spirv:generic";
  EXPECT_THAT(errorOf([&] { without.load(artifact); }),
              AllOf(HasSubstr("the target needs unbounded loops"),
                    HasSubstr("the device's own target is " + without.info().target)));
  EXPECT_THAT(without.info().target, ::testing::EndsWith("-bounded"));
}

TEST_P(VulkanLoad, CheckedLaunchesAreRefused) {
  EXPECT_FALSE(driver_->supportsChecked());
  std::unique_ptr<DriverKernel> kernel = driver_->load(countPrograms());
  LaunchRequest request;
  request.checked = true;
  EXPECT_THAT(errorOf([&] { driver_->launch(stream_, *kernel, request); }), HasSubstr("cannot check launches"));
  request.checked = false;
  EXPECT_THROW(driver_->launch(stream_, *kernel, request), InternalError) << "an argument is missing";
}

TEGULA_ON_EACH_DEVICE(VulkanLoad);

} // namespace
} // namespace tegula::vulkan::test
