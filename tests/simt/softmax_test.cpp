// softmax_row.mlir against sums in double.
#include "tests/simt/Kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tegula::simt_test {
namespace {

struct Shape {
  uint32_t warps, warpSize, columns;
};

class Softmax : public testing::TestWithParam<Shape> {};

TEST_P(Softmax, AgreesWithDouble) {
  auto [warps, warpSize, columns] = GetParam();
  constexpr uint32_t kRows = 3;
  uint32_t stride = columns + 5;
  Kernel kernel = Kernel::file("softmax_row.mlir", {{"simt.warps = 4 : i32", "simt.warps = " + std::to_string(warps) + " : i32"},
                                                    {"simt.warp_size = 32 : i32",
                                                     "simt.warp_size = " + std::to_string(warpSize) + " : i32"}});
  std::mt19937 generator(columns);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> x(size_t(kRows) * stride), y(x.size(), -1.0f);
  for (float &value : x)
    value = normal(generator);
  for (uint64_t seed = 0; seed < 3; ++seed) {
    SimtExecutor executor = kernel.executor();
    executor.pointer(x, "x").pointer(y, "y").integer(stride).integer(columns);
    RunResult result = executor.run({kRows, 1, 1}, {.seed = seed});
    EXPECT_EQ(result.text(), "");
  }
  for (uint32_t row = 0; row < kRows; ++row) {
    const float *in = &x[size_t(row) * stride], *out = &y[size_t(row) * stride];
    double high = -INFINITY, sum = 0;
    for (uint32_t i = 0; i < columns; ++i)
      high = std::max(high, double(in[i]));
    for (uint32_t i = 0; i < columns; ++i)
      sum += std::exp(in[i] - high);
    for (uint32_t i = 0; i < columns; ++i)
      EXPECT_NEAR(out[i], std::exp(in[i] - high) / sum, 1e-6) << "row " << row << " column " << i;
    for (uint32_t i = columns; i < stride; ++i)
      EXPECT_EQ(out[i], -1.0f) << "row " << row << " column " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Softmax,
                         testing::Values(Shape{4, 32, 1}, Shape{4, 32, 781}, Shape{4, 32, 1024}, Shape{16, 8, 1},
                                         Shape{16, 8, 781}, Shape{16, 8, 1024}, Shape{2, 64, 781}));

} // namespace
} // namespace tegula::simt_test
