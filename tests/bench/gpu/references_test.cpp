// The benchmarks' checks accept right results and reject wrong ones. The right results are computed here in f32, one
// element after another, not by the code under test.
#include "tests/bench/gpu/Data.h"
#include "tests/bench/gpu/References.h"

#include "core/support/FloatFormats.h"

#include <gmock/gmock.h>

#include <cmath>

namespace gpubench {
namespace {

uint16_t toHalf(float value) {
  return static_cast<uint16_t>(tegula::encodeFloat(tegula::floatFormat(tegula::ScalarType::F16), value));
}

TEST(Numbers, AreNormalAndAgreeInBothTypes) {
  std::vector<float> floats = normalFloats(1'000'003, 3);
  std::vector<uint16_t> halves = normalHalves(1'000'003, 3);
  double mean = 0, square = 0, fourth = 0, product = 0;
  for (size_t i = 0; i < floats.size(); ++i) {
    mean += floats[i];
    square += double(floats[i]) * floats[i];
    fourth += std::pow(double(floats[i]), 4);
    product += i ? double(floats[i]) * floats[i - 1] : 0;
    ASSERT_EQ(halves[i], toHalf(floats[i])) << i;
  }
  double n = double(floats.size());
  EXPECT_NEAR(mean / n, 0, 0.005);
  EXPECT_NEAR(square / n, 1, 0.01);
  EXPECT_NEAR(fourth / n, 3, 0.1);
  EXPECT_NEAR(product / n, 0, 0.005) << "neighbours must not depend on each other";
  EXPECT_NE(normalFloats(100, 4), normalFloats(100, 5));
}

TEST(Numbers, HalvesHaveTheirValues) {
  EXPECT_EQ(fromHalf(0x3c00), 1);
  EXPECT_EQ(fromHalf(0xc500), -5);
  EXPECT_EQ(fromHalf(0x0001), 0x1p-24);
  EXPECT_TRUE(std::isnan(fromHalf(0xffff)));
}

TEST(Verdicts, KeepTheFirstWrongAndNotANumber) {
  Verdict a, b;
  EXPECT_FALSE(a.ok()) << "nothing was compared";
  a.add(0, 1.5, 1, 0.5, 0);
  EXPECT_TRUE(a.ok());
  b.add(7, NAN, 1, 1e9, 0);
  b.add(8, 5, 1, 0, 0);
  EXPECT_THAT(b.firstWrong, testing::HasSubstr("element 7 is nan"));
  a.merge(b);
  EXPECT_FALSE(a.ok());
  EXPECT_TRUE(std::isnan(a.maxError));
  EXPECT_EQ(a.checked, 3u);
}

TEST(Sum, OneWrongElementIsSeen) {
  std::vector<float> x = normalFloats(70001, 1), y = normalFloats(70001, 2), z(70001);
  for (size_t i = 0; i < z.size(); ++i)
    z[i] = x[i] + y[i];
  EXPECT_TRUE(checkSum(x, y, z).ok());
  z[70000] = std::nextafter(z[70000], 10.0f);
  EXPECT_FALSE(checkSum(x, y, z).ok());
}

TEST(Softmax, WrongRowsAreSeen) {
  const size_t rows = 50, columns = 300;
  std::vector<float> x = normalFloats(rows * columns, 4), y(x.size());
  auto fill = [&](size_t columnsUsed) {
    for (size_t r = 0; r < rows; ++r) {
      float sum = 0;
      for (size_t c = 0; c < columnsUsed; ++c)
        sum += std::exp(x[r * columns + c]);
      for (size_t c = 0; c < columns; ++c)
        y[r * columns + c] = std::exp(x[r * columns + c]) / sum;
    }
  };
  fill(columns);
  EXPECT_TRUE(checkSoftmax(x, y, columns, 256).ok());
  fill(columns - 1);
  EXPECT_FALSE(checkSoftmax(x, y, columns, 256).ok());
  fill(columns);
  y[rows * columns - 1] = NAN;
  EXPECT_FALSE(checkSoftmax(x, y, columns, 256).ok()) << "the last row is among those checked";
}

std::vector<uint16_t> product(const Product &size, const std::vector<uint16_t> &a, const std::vector<uint16_t> &b) {
  std::vector<uint16_t> c(size.m * size.n);
  for (size_t i = 0; i < size.m; ++i)
    for (size_t j = 0; j < size.n; ++j) {
      float sum = 0;
      for (size_t x = 0; x < size.k; ++x)
        sum += static_cast<float>(fromHalf(a[i * size.k + x])) *
               static_cast<float>(fromHalf(b[size.isTransposed ? j * size.k + x : x * size.n + j]));
      c[i * size.n + j] = toHalf(sum);
    }
  return c;
}

TEST(Product, EachWrongBlockIsSeen) {
  for (bool isTransposed : {false, true}) {
    Product size = {150, 200, 96, isTransposed};
    std::vector<uint16_t> a = normalHalves(size.m * size.k, 5), b = normalHalves(size.k * size.n, 6);
    const std::vector<uint16_t> right = product(size, a, b);
    Verdict verdict = checkProduct(size, a, b, right);
    EXPECT_TRUE(verdict.ok()) << verdict.firstWrong;
    EXPECT_EQ(verdict.checked, 12u) << "3 x 4 blocks of 64 x 64";
    Product shorter = size;
    shorter.isTransposed = !isTransposed;
    EXPECT_FALSE(checkProduct(shorter, a, b, right).ok()) << "the layout of B matters";
    for (size_t top = 0; top < size.m; top += 64)
      for (size_t left = 0; left < size.n; left += 64) {
        std::vector<uint16_t> c = right;
        for (size_t i = top; i < std::min(top + 64, size.m); ++i)
          for (size_t j = left; j < std::min(left + 64, size.n); ++j)
            c[i * size.n + j] = 0xffff;
        EXPECT_FALSE(checkProduct(size, a, b, c).ok()) << "block at " << top << ", " << left;
      }
  }
}

TEST(Product, SumsInHalfPrecisionAreSeen) {
  Product size = {128, 128, 1024, true};
  std::vector<uint16_t> a = normalHalves(size.m * size.k, 5), b = normalHalves(size.k * size.n, 6), c(size.m * size.n);
  for (size_t i = 0; i < size.m; ++i)
    for (size_t j = 0; j < size.n; ++j) {
      uint16_t sum = 0;
      for (size_t x = 0; x < size.k; ++x)
        sum = toHalf(static_cast<float>(fromHalf(sum) + fromHalf(a[i * size.k + x]) * fromHalf(b[j * size.k + x])));
      c[i * size.n + j] = sum;
    }
  EXPECT_FALSE(checkProduct(size, a, b, c).ok());
}

TEST(Attention, WrongSoftmaxAndWrongKeysAreSeen) {
  Heads size = {2, 128, 32, 1 / std::sqrt(32.0)};
  size_t count = size.heads * size.length * size.width;
  std::vector<uint16_t> q = normalHalves(count, 7), k = normalHalves(count, 8), v = normalHalves(count, 9), o(count);
  auto fill = [&](size_t keys, float scale) {
    for (size_t row = 0; row < size.heads * size.length; ++row) {
      size_t head = row / size.length * size.length;
      std::vector<float> weights(keys), sums(size.width);
      float all = 0;
      for (size_t j = 0; j < keys; ++j) {
        float score = 0;
        for (size_t d = 0; d < size.width; ++d)
          score += static_cast<float>(fromHalf(q[row * size.width + d]) * fromHalf(k[(head + j) * size.width + d]));
        all += weights[j] = std::exp(score * scale);
      }
      for (size_t d = 0; d < size.width; ++d) {
        for (size_t j = 0; j < keys; ++j)
          sums[d] += static_cast<float>(fromHalf(toHalf(weights[j]))) *
                     static_cast<float>(fromHalf(v[(head + j) * size.width + d]));
        o[row * size.width + d] = toHalf(sums[d] / all);
      }
    }
  };
  fill(size.length, static_cast<float>(size.scale));
  Verdict verdict = checkAttention(size, q, k, v, o, 4);
  EXPECT_TRUE(verdict.ok()) << verdict.firstWrong;
  EXPECT_EQ(verdict.checked, size.heads * 4 * size.width);
  fill(size.length - 8, static_cast<float>(size.scale));
  EXPECT_FALSE(checkAttention(size, q, k, v, o, 4).ok()) << "the last keys are missing";
  fill(size.length, static_cast<float>(size.scale) * 0.9f);
  EXPECT_FALSE(checkAttention(size, q, k, v, o, 4).ok()) << "the scale is wrong";
}

} // namespace
} // namespace gpubench
