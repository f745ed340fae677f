// The target chosen for a device.
#include "backends/vulkan/Profiles.h"
#include "backends/vulkan/spirv/Newer.h"

#include <gmock/gmock.h>

#include <set>

namespace tegula::vulkan::test {
namespace {

using ::testing::HasSubstr;

/// A device that has exactly the properties that a profile requires.
Capacity capacityOf(const Profile &profile) {
  uint32_t size = profile.subgroupSize ? profile.subgroupSize : 128;
  return {size, size, profile.sharedBytes, profile.pushBytes, profile.features, profile.matrices};
}

TEST(Profiles, EachIsTheBestOfADeviceThatHasExactlyIt) {
  for (const Profile &profile : profiles())
    EXPECT_EQ(bestProfile(capacityOf(profile)).name, profile.name);
}

TEST(Profiles, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const Profile &profile : profiles()) {
    EXPECT_TRUE(names.insert(profile.name).second) << profile.name;
    EXPECT_EQ(findProfile(targetName(profile)), &profile);
  }
  EXPECT_EQ(findProfile("spirv"), findProfile("spirv:generic"));
  EXPECT_EQ(findProfile("spirv:"), nullptr);
  EXPECT_EQ(findProfile("sg8"), nullptr);
  EXPECT_EQ(findProfile("spirv:nothing"), nullptr);
}

TEST(Profiles, GenericNeedsOnlyWhatVulkanGuarantees) {
  const Profile &generic = *findProfile("spirv");
  EXPECT_EQ(generic.subgroupSize, 0u);
  EXPECT_LE(generic.sharedBytes, 16384u); // the smallest maxComputeSharedMemorySize that Vulkan allows
  EXPECT_LE(generic.pushBytes, 128u);     // the smallest maxPushConstantsSize that Vulkan allows
  EXPECT_TRUE(generic.features == FeatureSet({Feature::UnboundedLoops}));
}

TEST(Profiles, TheLastOneSuitsEveryDevice) {
  EXPECT_EQ(profiles().back().name, "generic-bounded");
  EXPECT_TRUE(profiles().back().features == FeatureSet());
  EXPECT_EQ(bestProfile({1, 1, 16384, 128, {}, {}}).name, "generic-bounded");
}

TEST(Profiles, DevicesThatEndLoopsEarlyHaveTargetsWithChecks) {
  for (const char *name : {"spirv:sg16", "spirv:sg8", "spirv:sg4", "spirv:sg8-words", "spirv:generic"}) {
    Capacity device = capacityOf(*findProfile(name));
    device.features.remove(Feature::UnboundedLoops);
    EXPECT_EQ(targetName(bestProfile(device)), std::string(name) + "-bounded");
    EXPECT_EQ(whyNot(*findProfile(name), device), "unbounded loops");
  }
}

TEST(Profiles, WithoutNarrowTypesSubgroupsRemain) {
  for (Feature missing : {Feature::Float16, Feature::Int8, Feature::Storage16}) {
    Capacity device = capacityOf(*findProfile("spirv:sg32"));
    device.features.remove(missing);
    EXPECT_EQ(bestProfile(device).name, "sg32-words");
  }
}

TEST(Profiles, WhatIsMissingIsNamed) {
  const Profile &sg8 = *findProfile("spirv:sg8"), &matrices = *findProfile("spirv:lavapipe-cm");
  Capacity device = capacityOf(sg8);
  EXPECT_EQ(whyNot(sg8, device), "");
  device.minSubgroupSize = device.maxSubgroupSize = 32;
  EXPECT_THAT(whyNot(sg8, device), HasSubstr("subgroups of 8 invocations (it has 32)"));
  device = capacityOf(sg8);
  device.sharedBytes = 16384;
  EXPECT_THAT(whyNot(sg8, device), HasSubstr("32768 bytes of shared memory (it has 16384)"));
  device = capacityOf(sg8);
  device.features.remove(Feature::SubgroupShuffle);
  EXPECT_EQ(whyNot(sg8, device), "subgroup operations: shuffle");
  device = capacityOf(matrices);
  device.matrices.pop_back();
  EXPECT_EQ(whyNot(matrices, device), "cooperative matrices 8x8x8.i8.i32");
}

TEST(Features, NamesAreUniqueAndParseBack) {
  for (const FeatureRow &row : featureTable())
    EXPECT_EQ(parseFeature(row.name), row.feature) << row.name;
  EXPECT_EQ(parseFeature("flying"), std::nullopt);
}

TEST(Features, CapabilitiesLeadToThem) {
  EXPECT_THAT(featuresOfCapability(static_cast<uint32_t>(spv::Capability::Float64)),
              ::testing::ElementsAre(Feature::Float64));
  EXPECT_THAT(featuresOfCapability(static_cast<uint32_t>(spirv::newer::CooperativeMatrixKHR)),
              ::testing::ElementsAre(Feature::CooperativeMatrix));
  EXPECT_TRUE(featuresOfCapability(static_cast<uint32_t>(spv::Capability::Shader)).empty());
}

} // namespace
} // namespace tegula::vulkan::test
