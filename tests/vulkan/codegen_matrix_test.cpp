// Runs the kernels that codegen_matrix_cases wrote ($TEGULA_TEST_CASES names the file) on each device of their target.
#include "core/support/FloatFormats.h"
#include "tests/vulkan/CodegenCase.h"
#include "tests/vulkan/DriverFixture.h"

#include <cmath>
#include <cstring>

namespace tegula::vulkan::test {
namespace {

class VulkanMatrixCases : public VulkanDevice {};

TEST_P(VulkanMatrixCases, ResultsAreTheExpectedOnes) {
  const char *path = std::getenv("TEGULA_TEST_CASES");
  ASSERT_NE(path, nullptr);
  size_t ran = 0;
  for (const CodegenCase &each : readCases(path)) {
    if (!whyNot(*findProfile(each.artifact.target), facts().capacity).empty())
      continue;
    ++ran;
    std::vector<std::unique_ptr<DeviceArray<std::byte>>> arrays;
    std::vector<LaunchArgument> arguments;
    for (const auto &buffer : each.buffers) {
      arrays.push_back(std::make_unique<DeviceArray<std::byte>>(*driver_, buffer.size()));
      arrays.back()->write(stream_, buffer);
      arguments.push_back(arrays.back()->argument());
    }
    for (uint64_t scalar : each.scalars)
      arguments.push_back({scalar, nullptr});
    launch(each.artifact, each.grid, arguments);
    std::vector<std::byte> found = arrays[each.result]->read(stream_);
    ScalarType type = each.artifact.params[each.result].type;
    ASSERT_EQ(found.size(), each.expected.size() * byteSize(type));
    for (size_t i = 0; i < each.expected.size(); ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, &found[i * byteSize(type)], byteSize(type));
      double value = isFloat(type) ? decodeFloat(floatFormat(type), bits) : double(int32_t(bits));
      EXPECT_NEAR(value, each.expected[i], each.tolerance * std::max(1.0, std::fabs(each.expected[i])))
          << each.name << ", element " << i;
    }
  }
  if (ran == 0) {
    ASSERT_EQ(std::getenv("TEGULA_TEST_EXPECTS_MATRICES"), nullptr);
    GTEST_SKIP() << facts().name << " is not of the cases' target";
  }
}

TEGULA_ON_EACH_DEVICE(VulkanMatrixCases);

} // namespace
} // namespace tegula::vulkan::test
