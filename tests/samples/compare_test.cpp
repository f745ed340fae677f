#include "Compare.h"
#include "HostArray.h"

#include <gmock/gmock.h>

#include <cmath>

using samples::compare;
using samples::Comparison;

namespace {

TEST(Compare, AcceptsWhatTheToleranceAllows) {
  Comparison comparison;
  comparison.add(0, 1.5, 1.0, {0.5, 0});
  comparison.add(1, 110, 100, {0, 0.1});
  comparison.add(2, -111, -100, {1, 0.1});
  EXPECT_TRUE(comparison.ok());
  EXPECT_EQ(comparison.checked, 3u);
  EXPECT_EQ(comparison.maxError, 11);
  EXPECT_DOUBLE_EQ(comparison.allowed, 11); // 1 + 10% of 100
}

TEST(Compare, AllowedIsOfTheLargestError) {
  Comparison comparison;
  comparison.add(0, 3, 3, {0.25, 0});
  EXPECT_EQ(comparison.allowed, 0.25);
  comparison.add(1, 2, 1, {2, 0});
  comparison.add(2, 1.5, 1, {9, 0});
  EXPECT_EQ(comparison.maxError, 1);
  EXPECT_EQ(comparison.allowed, 2);
}

TEST(Compare, NamesTheFirstWrongElement) {
  Comparison comparison =
      compare(4, [](size_t i) { return i == 2   ? 7.0
                                       : i == 3 ? 9.0
                                                : 1.0; }, [](size_t) { return 1.0; }, {0.5, 0});
  EXPECT_FALSE(comparison.ok());
  EXPECT_EQ(comparison.wrong, 2u);
  EXPECT_EQ(comparison.maxError, 8);
  EXPECT_EQ(comparison.firstWrong, "element 2 is 7, expected 1 within 0.5");
}

TEST(Compare, NotANumberIsWrongAndStaysVisible) {
  Comparison comparison;
  comparison.add(0, NAN, 0, {1e30, 0});
  comparison.add(1, 5, 0, {1e30, 0});
  EXPECT_EQ(comparison.wrong, 1u);
  EXPECT_TRUE(std::isnan(comparison.maxError));
}

TEST(Compare, EqualInfinitiesAreRightAndOthersWrong) {
  Comparison comparison;
  comparison.add(0, INFINITY, INFINITY, {});
  EXPECT_TRUE(comparison.ok());
  comparison.add(1, -INFINITY, INFINITY, {1, 0});
  comparison.add(2, INFINITY, 1, {1, 1});
  EXPECT_EQ(comparison.wrong, 2u);
}

TEST(Compare, NothingComparedIsNotRight) {
  EXPECT_FALSE(compare(0, [](size_t) { return 0.0; }, [](size_t) { return 0.0; }, {}).ok());
}

// The largest |f32 sum - f64 sum| of dot products of normal numbers, with the sum rounded to `sumType` at each step.
double largestDotError(size_t length, tegula::DType sumType, size_t products) {
  double largest = 0;
  for (size_t product = 0; product < products; ++product) {
    std::vector<float> a = samples::normal(length, 2 * product), b = samples::normal(length, 2 * product + 1);
    std::vector<float> sum = {0};
    double exact = 0;
    for (size_t i = 0; i < length; ++i) {
      sum[0] += a[i] * b[i];
      samples::roundTo(sumType, sum);
      exact += double(a[i]) * double(b[i]);
    }
    largest = std::max(largest, std::abs(sum[0] - exact));
  }
  return largest;
}

TEST(DotTolerance, AllowsF32SumsAndRefusesF16Sums) {
  for (size_t length : {size_t(16), size_t(256), size_t(1024)}) {
    samples::Tolerance tolerance = samples::dotTolerance(length, tegula::DType::F32);
    EXPECT_LT(largestDotError(length, tegula::DType::F32, 500), tolerance.absolute) << length;
    EXPECT_GT(largestDotError(length, tegula::DType::F16, 500), tolerance.absolute) << length;
  }
}

TEST(DotTolerance, CoversOneRoundingToTheStoredType) {
  for (tegula::DType type : {tegula::DType::F16, tegula::DType::BF16}) {
    std::vector<float> values = samples::uniform(1000, 1, 1, 2), rounded = values;
    samples::roundTo(type, rounded);
    samples::Tolerance tolerance = samples::dotTolerance(1, type);
    double largest = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      double error = std::abs(double(values[i]) - double(rounded[i])) / values[i];
      EXPECT_LE(error, tolerance.relative);
      largest = std::max(largest, error);
    }
    EXPECT_GT(largest, tolerance.relative / 2) << "the tolerance is needlessly wide";
  }
}

} // namespace
