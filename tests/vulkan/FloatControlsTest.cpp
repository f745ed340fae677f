// The float controls that a kernel declares.
#include "backends/vulkan/FloatControls.h"
#include "core/support/Diagnostic.h"
#include "tests/vulkan/Kernels.h"
#include "tests/vulkan/SpirvTools.h"

#include <gmock/gmock.h>

namespace tegula::vulkan::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<uint32_t> someModule() { return decodeBinary(vectorAdd().binary).words; }

TEST(FloatControls, EachThatTheDeviceHasIsDeclared) {
  FeatureSet device = {Feature::SignedZeroInfNan16, Feature::SignedZeroInfNan64, Feature::RoundToNearest32,
                       Feature::Float16};
  auto words = withFloatControls(someModule(), device);
  EXPECT_EQ(validate(words), "");
  std::string text = disassemble(words);
  for (const char *present : {"OpCapability SignedZeroInfNanPreserve", "OpCapability RoundingModeRTE",
                              "SignedZeroInfNanPreserve 16", "SignedZeroInfNanPreserve 64", "RoundingModeRTE 32"})
    EXPECT_THAT(text, HasSubstr(present));
  for (const char *absent : {"SignedZeroInfNanPreserve 32", "RoundingModeRTE 16", "DenormPreserve"})
    EXPECT_THAT(text, Not(HasSubstr(absent)));
}

TEST(FloatControls, AllAtOnceAreValidAndNoneChangeNothing) {
  FeatureSet device;
  for (const FeatureRow &row : featureTable())
    device.add(row.feature);
  EXPECT_EQ(validate(withFloatControls(someModule(), device)), "");
  EXPECT_EQ(withFloatControls(someModule(), {}), someModule());
  EXPECT_EQ(withFloatControls(someModule(), {Feature::Float16, Feature::Float64}), someModule());
}

TEST(FloatControls, AModuleWithoutAKernelIsRefused) {
  std::vector<uint32_t> words = someModule();
  words.resize(8);
  EXPECT_THROW(withFloatControls(words, {Feature::RoundToNearest32}), Error);
}

/// The device's float controls that a kernel can declare.
FeatureSet declarable(FeatureSet device, Independence rounding, Independence denormals) {
  keepDeclarable(device, rounding, denormals);
  return device;
}

TEST(FloatControls, WidthsThatMustBehaveAlikeAreAskedForTogether) {
  using enum Feature;
  constexpr Independence all = Independence::All, only32 = Independence::Only32, none = Independence::None;
  FeatureSet some = {Float16, Float64, SignedZeroInfNan16, RoundToNearest16, RoundToNearest32, DenormPreserve32};
  EXPECT_EQ(declarable(some, all, all), some);
  EXPECT_EQ(declarable(some, only32, all),
            (FeatureSet{Float16, Float64, SignedZeroInfNan16, RoundToNearest32, DenormPreserve32}));
  EXPECT_EQ(declarable(some, none, only32), (FeatureSet{Float16, Float64, SignedZeroInfNan16, DenormPreserve32}));
  EXPECT_EQ(declarable(some, none, none), (FeatureSet{Float16, Float64, SignedZeroInfNan16}));
  // Widths in which a device cannot compute are ignored.
  FeatureSet narrow = {Float16, RoundToNearest16, RoundToNearest32};
  EXPECT_EQ(declarable(narrow, none, none), narrow);
  EXPECT_EQ(declarable({RoundToNearest32, Float64}, none, none), (FeatureSet{Float64}));
  FeatureSet whole = {Float16, Float64, RoundToNearest16, RoundToNearest32, RoundToNearest64};
  EXPECT_EQ(declarable(whole, none, none), whole);
}

} // namespace
} // namespace tegula::vulkan::test
