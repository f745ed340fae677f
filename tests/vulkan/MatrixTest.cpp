// Cooperative matrices, in every shape and type of the device that matrixMultiply supports.
#include "core/support/FloatFormats.h"
#include "tests/vulkan/DriverFixture.h"

#include <cmath>
#include <cstring>
#include <random>

namespace tegula::vulkan::test {
namespace {

class VulkanMatrix : public VulkanDevice {};

/// Small whole numbers: products and sums are exact in f16 and f32, so that results can be compared exactly.
std::vector<double> wholeNumbers(size_t count, uint32_t seed, int limit) {
  std::mt19937 generator(seed);
  std::vector<double> values(count);
  for (double &value : values)
    value = static_cast<int>(generator() % (2 * limit + 1)) - limit;
  return values;
}

std::vector<uint8_t> encodeAs(const std::vector<double> &values, ScalarType type) {
  size_t bytes = byteSize(type);
  std::vector<uint8_t> out(values.size() * bytes);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = isFloat(type) ? encodeFloat(floatFormat(type), values[i])
                                  : static_cast<uint64_t>(static_cast<int64_t>(values[i]));
    std::memcpy(&out[i * bytes], &bits, bytes);
  }
  return out;
}

TEST_P(VulkanMatrix, ProductsAreExactOnWholeNumbers) {
  if (facts().capacity.matrices.empty()) {
    ASSERT_EQ(std::getenv("TEGULA_TEST_EXPECTS_MATRICES"), nullptr);
    GTEST_SKIP() << facts().name << " has no cooperative matrices";
  }
  size_t tested = 0;
  for (const MatrixInstruction &product : facts().capacity.matrices) {
    using enum ScalarType;
    bool isKnown = (product.a.type == F16 && (product.c.type == F16 || product.c.type == F32)) ||
                   (product.a.type == BF16 && product.c.type == F32) || (product.a.type == I8 && product.c.type == I32);
    if (!isKnown)
      continue;
    ++tested;
    size_t m = product.m * 3, n = product.n * 5, k = product.k * 4;
    std::vector<double> a = wholeNumbers(m * k, 1, 3), b = wholeNumbers(k * n, 2, 3), c = wholeNumbers(m * n, 3, 100);
    DeviceArray<uint8_t> da(*driver_, m * k * byteSize(product.a.type)), db(*driver_, k * n * byteSize(product.a.type)),
        dc(*driver_, m * n * byteSize(product.c.type));
    da.write(stream_, encodeAs(a, product.a.type));
    db.write(stream_, encodeAs(b, product.a.type));
    dc.write(stream_, encodeAs(c, product.c.type));
    launch(matrixMultiply(product, facts().subgroupSize, driver_->info().target), {5, 3, 1},
           {da.argument(), db.argument(), dc.argument(), {n}, {k}});
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t l = 0; l < k; ++l)
          c[i * n + j] += a[i * k + l] * b[l * n + j];
    EXPECT_EQ(dc.read(stream_), encodeAs(c, product.c.type)) << product.name;
  }
  EXPECT_GT(tested, 0u);
  RecordProperty("shapes", static_cast<int>(tested));
}

TEST_P(VulkanMatrix, LavapipeHasTheRowsOfItsProfile) {
  if (facts().name.find("llvmpipe") == std::string::npos || !has(Feature::CooperativeMatrix))
    GTEST_SKIP() << "not lavapipe with matrices: " << facts().name;
  EXPECT_THAT(facts().capacity.matrices,
              ::testing::IsSupersetOf({fragmentInstruction(8, 8, 8, ScalarType::F16, ScalarType::F32),
                                       fragmentInstruction(8, 8, 8, ScalarType::F16, ScalarType::F16),
                                       fragmentInstruction(8, 8, 8, ScalarType::I8, ScalarType::I32)}));
  EXPECT_EQ(driver_->info().target, "spirv:lavapipe-cm");
}

TEGULA_ON_EACH_DEVICE(VulkanMatrix);

} // namespace
} // namespace tegula::vulkan::test
