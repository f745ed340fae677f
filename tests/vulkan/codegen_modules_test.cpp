// The hand-written modules of tests/simt on this machine's devices, against plain references in double and against the
// simt executor.
#include "core/support/FloatFormats.h"
#include "core/support/Files.h"
#include "tests/vulkan/CodegenFixture.h"

#include <algorithm>
#include <cmath>

namespace tegula::vulkan::test {
namespace {

class VulkanModules : public CodegenTest {
protected:
  /// A module of 128 threads, in warps of this device's lanes.
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

TEST_P(VulkanModules, MatmulCooperative) {
  const MatrixRow row{8, 8, 8, ScalarType::F16, ScalarType::F32};
  const Profile &profile = *findProfile(target());
  if (lanes() != 8 || std::find(profile.matrices.begin(), profile.matrices.end(), row) == profile.matrices.end()) {
    ASSERT_EQ(std::getenv("TEGULA_TEST_EXPECTS_MATRICES"), nullptr);
    GTEST_SKIP() << facts().name << " has no cooperative matrices of 8x8x8 on 8 lanes";
  }
  std::string text = readTextFile(std::string(TEGULA_SOURCE_DIR) + "/tests/simt/matmul_cooperative.mlir");
  for (auto [m, n, k] : {std::array{64u, 64u, 80u}, {96u, 128u, 16u}}) {
    uint32_t lda = k + 8, ldb = n + 16, ldc = n + 8;
    const FloatFormat &half = floatFormat(ScalarType::F16);
    auto halves = [&](size_t count, uint32_t seed) {
      std::vector<uint16_t> bits;
      for (float value : randomFloats(count, seed))
        bits.push_back(static_cast<uint16_t>(encodeFloat(half, value)));
      return bits;
    };
    std::vector<uint16_t> a = halves(m * lda, 1), b = halves(k * ldb, 2);
    std::vector<float> c(m * ldc, -1e30f);
    std::vector<Bytes> buffers = {bytesOf(a), bytesOf(b), bytesOf(c)};
    std::vector<uint64_t> scalars = {m, n, k, lda, ldb, ldc};
    std::vector<float> found = valuesOf<float>(runHere(text, buffers, scalars, {m / 32, n / 32, 1})[2]);
    std::vector<float> executed = valuesOf<float>(runInExecutor(text, buffers, scalars, {m / 32, n / 32, 1})[2]);
    for (uint32_t i = 0; i < m; ++i)
      for (uint32_t j = 0; j < ldc; ++j) {
        double sum = j < n ? 0 : -1e30f;
        for (uint32_t l = 0; j < n && l < k; ++l)
          sum += decodeFloat(half, a[i * lda + l]) * decodeFloat(half, b[l * ldb + j]);
        EXPECT_NEAR(found[i * ldc + j], sum, std::max(1.0, std::fabs(sum)) * 0x1p-18);
        EXPECT_NEAR(found[i * ldc + j], executed[i * ldc + j], std::max(1.0, std::fabs(sum)) * 0x1p-18);
      }
  }
}

TEGULA_ON_EACH_DEVICE(VulkanModules);

} // namespace
} // namespace tegula::vulkan::test
