#include "HostArray.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <numeric>

namespace {

using Encode = uint16_t (*)(float);
using Decode = float (*)(uint16_t);

// Law: each finite number of the format survives a round trip; a value between two neighbours is rounded to the nearer
// one, the midpoint to the one whose last bit is zero. Tries all neighbours of the format and both signs.
void expectNearestEven(Encode to, Decode from, uint16_t infinity) {
  for (uint16_t low = 0; low + 1 < infinity; ++low) {
    uint16_t high = static_cast<uint16_t>(low + 1);
    float below = from(low), above = from(high), middle = below + (above - below) / 2;
    ASSERT_EQ(to(below), low);
    ASSERT_EQ(to(middle), low & 1 ? high : low) << middle;
    ASSERT_EQ(to(std::nextafter(middle, below)), low) << middle;
    ASSERT_EQ(to(std::nextafter(middle, above)), high) << middle;
    ASSERT_EQ(to(-middle), 0x8000 | (low & 1 ? high : low));
  }
  EXPECT_EQ(to(from(static_cast<uint16_t>(infinity - 1))), infinity - 1);
  EXPECT_EQ(to(INFINITY), infinity);
  EXPECT_EQ(to(-INFINITY), 0x8000 | infinity);
  EXPECT_EQ(to(-0.0f), 0x8000);
  EXPECT_TRUE(std::isnan(from(to(NAN))));
}

TEST(F16, RoundsToNearestEven) {
  expectNearestEven(samples::toF16, samples::fromF16, 0x7c00);
  EXPECT_EQ(samples::toF16(65519.996f), 0x7bff);
  EXPECT_EQ(samples::toF16(65520), 0x7c00);
  EXPECT_EQ(samples::fromF16(0x3c00), 1);
  EXPECT_EQ(samples::fromF16(0x0001), 0x1p-24f);
  EXPECT_EQ(samples::fromF16(0xc500), -5);
}

TEST(BF16, RoundsToNearestEven) {
  expectNearestEven(samples::toBF16, samples::fromBF16, 0x7f80);
  EXPECT_EQ(samples::fromBF16(0x3f80), 1);
  EXPECT_EQ(samples::toBF16(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(HostArray, RoundToRefusesIntegers) {
  std::vector<float> values = {1};
  EXPECT_THROW(samples::roundTo(tegula::DType::I32, values), std::invalid_argument);
}

TEST(Random, SameSeedSameNumbers) {
  EXPECT_EQ(samples::normal(1001, 7), samples::normal(1001, 7));
  EXPECT_NE(samples::normal(1001, 7), samples::normal(1001, 8));
  // The length does not change the first elements.
  std::vector<float> longer = samples::uniform(100, 3, 0, 1), shorter = samples::uniform(10, 3, 0, 1);
  longer.resize(10);
  EXPECT_EQ(longer, shorter);
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  std::vector<float> values = samples::normal(1'000'000, 1);
  double mean = std::accumulate(values.begin(), values.end(), 0.0) / 1e6, variance = 0;
  for (float value : values)
    variance += (value - mean) * (value - mean) / 1e6;
  EXPECT_NEAR(mean, 0, 0.005);
  EXPECT_NEAR(variance, 1, 0.01);
}

TEST(Random, UniformStaysInItsRange) {
  std::vector<float> values = samples::uniform(100'000, 2, -3, 5);
  auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, -3);
  EXPECT_LT(*most, 5);
  EXPECT_LT(*least, -2.9);
  EXPECT_GT(*most, 4.9);
}

TEST(HostArray, GoesToTheDeviceAndBack) {
  tegula::Stream stream(tegula::Device::open("cpu"));
  for (tegula::DType type : {tegula::DType::F32, tegula::DType::F16, tegula::DType::BF16}) {
    std::vector<float> values = samples::normal(777, 9);
    samples::roundTo(type, values);
    tegula::Buffer buffer = samples::upload(stream, type, {21, 37}, values);
    EXPECT_EQ(samples::download(stream, buffer), values) << tegula::name(type);
  }
  EXPECT_THROW(samples::upload(stream, tegula::DType::F32, {3}, {1, 2}), std::invalid_argument);
}

} // namespace
