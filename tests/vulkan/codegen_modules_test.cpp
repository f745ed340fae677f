// The hand-written modules of tests/simt on this machine's devices, against plain references in double and against the
// simt executor. codegen_matrix_cases tests matmul_cooperative.
#include "core/support/Files.h"
#include "tests/vulkan/CodegenFixture.h"

#include <algorithm>
#include <cmath>

namespace tegula::vulkan::test {
namespace {

class VulkanModules : public CodegenTest {
protected:
  /// A module for 128 threads in warps of this device's size.
  std::string module(const std::string &name) const {
    return replaced(readTextFile(std::string(TEGULA_SOURCE_DIR) + "/tests/simt/" + name + ".mlir"),
                    {{"simt.warps = 4", "simt.warps = " + std::to_string(128 / lanes())},
                     {"simt.warp_size = 32", "simt.warp_size = " + std::to_string(lanes())}});
  }
};

TEST_P(VulkanModules, VectorAdd) {
  std::string text = module("vector_add");
  for (uint32_t n : {1u, 1000u, 1024u, 5000u}) {
    std::vector<float> x = randomFloats(n, 1), y = randomFloats(n, 2), z(n + 7, -3.0f);
    std::vector<Bytes> buffers = {bytesOf(x), bytesOf(y), bytesOf(z)};
    uint32_t programs = (n + 1023) / 1024;
    std::vector<Bytes> found = runHere(text, buffers, {n}, {programs, 1, 1});
    for (uint32_t i = 0; i < n; ++i)
      z[i] = x[i] + y[i];
    EXPECT_EQ(valuesOf<float>(found[2]), z) << n;
    EXPECT_EQ(found, runInExecutor(text, buffers, {n}, {programs, 1, 1}));
  }
}

TEST_P(VulkanModules, SoftmaxRow) {
  std::string text = module("softmax_row");
  for (uint32_t columns : {1u, 781u, 1024u}) {
    uint32_t rows = 5, stride = columns + 5;
    std::vector<float> x = randomFloats(rows * stride, columns), y(rows * stride, -1.0f);
    for (float &value : x)
      value *= 8;
    std::vector<Bytes> buffers = {bytesOf(x), bytesOf(y)};
    std::vector<float> found = valuesOf<float>(runHere(text, buffers, {stride, columns}, {rows, 1, 1})[1]);
    std::vector<float> executed = valuesOf<float>(runInExecutor(text, buffers, {stride, columns}, {rows, 1, 1})[1]);
    for (uint32_t row = 0; row < rows; ++row) {
      const float *in = &x[row * stride];
      double high = *std::max_element(in, in + columns), sum = 0;
      for (uint32_t i = 0; i < columns; ++i)
        sum += std::exp(in[i] - high);
      for (uint32_t i = 0; i < stride; ++i) {
        double expected = i < columns ? std::exp(in[i] - high) / sum : -1.0;
        EXPECT_NEAR(found[row * stride + i], expected, std::fabs(expected) * 4e-6) << columns << ' ' << row << ' ' << i;
        EXPECT_NEAR(found[row * stride + i], executed[row * stride + i], std::fabs(expected) * 4e-6);
      }
    }
  }
}

/// The message is located at the op that needs the feature.
TEST_P(VulkanModules, AMissingFeatureIsRefusedWhereItIsNeeded) {
  Artifact artifact = compileFor(body("%v = simt.load %x[%t] : !tile.ptr<f64>, i32 -> f64\n"
                                      "simt.store %o[%t], %v : !tile.ptr<f64>, i32, f64",
                                      "f64", "f64"),
                                 "spirv:generic-bounded");
  DeviceFacts less = facts();
  less.capacity.features.remove(Feature::Float64);
  VulkanDriver without("vulkan:test", less);
  std::string message = "no error";
  try {
    without.load(artifact);
  } catch (const Error &error) {
    message = format(error.diagnostic());
  }
  EXPECT_THAT(message, ::testing::StartsWith("test.mlir:10:"));
  EXPECT_THAT(message, ::testing::HasSubstr("it needs shaderFloat64, which the device lacks"));
}

TEGULA_ON_EACH_DEVICE(VulkanModules);

} // namespace
} // namespace tegula::vulkan::test
