// divideFused and squareRootFused on the host's floats, with the largest errors that a device's inverse root may have.
// Quotients are compared with quotients rounded in integers, including those closest to the midpoint of two numbers;
// roots with the host's, for all significands.
#include "backends/vulkan/codegen/Fused.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace tegula::vulkan {
namespace {

struct HostNumbers {
  using Number = float;
  int off = 0; // error of the inverse root, in ulp
  float number(float value) const { return value; }
  float fma(float x, float y, float z) const { return std::fmaf(x, y, z); }
  float multiply(float x, float y) const { return x * y; }
  float negate(float x) const { return -x; }
  float magnitude(float x) const { return std::fabs(x); }
  float withSign(float x, float sign) const { return std::copysign(x, sign); }
  float inverseRoot(float x) const {
    auto right = static_cast<float>(1 / std::sqrt(double(x)));
    return std::bit_cast<float>(std::bit_cast<uint32_t>(right) + static_cast<uint32_t>(off));
  }
  float selectIfZero(float x, float yes, float no) const { return x == 0 ? yes : no; }
};

/// x / y for 24-bit integers with their leading bits set: a float in (1/2, 2), rounded to nearest even in integers.
float quotient(uint32_t x, uint32_t y) {
  int digits = x < y ? 24 : 23; // bits to shift, so that the quotient has 24 bits
  uint64_t whole = (uint64_t(x) << digits) / y, rest = (uint64_t(x) << digits) % y;
  if (2 * rest > y || (2 * rest == y && whole % 2))
    ++whole;
  return std::ldexp(static_cast<float>(whole), -digits);
}

/// One more than the largest divisor.
constexpr uint32_t kDivisors = (1u << 23) + kFusedDivisorDigits;

void expectQuotient(uint32_t x, uint32_t y, int power) {
  float expected = quotient(x, y);
  for (int off : {-2, -1, 0, 1, 2}) {
    HostNumbers numbers{off};
    float a = std::ldexp(static_cast<float>(x), power - 23), d = std::ldexp(static_cast<float>(y), -power / 2 - 23);
    float actual = std::ldexp(divideFused(numbers, a, d), -power - power / 2);
    ASSERT_EQ(std::bit_cast<uint32_t>(actual), std::bit_cast<uint32_t>(expected))
        << x << " / " << y << ", inverse root off by " << off << ", scaled by 2^" << power;
  }
}

/// 2^-shift modulo an odd y.
uint64_t powerInverse(uint64_t y, int shift) {
  // 2^-1 = (y + 1) / 2 modulo an odd y.
  uint64_t result = 1, half = (y + 1) / 2;
  for (int i = 0; i < shift; ++i)
    result = result * half % y;
  return result;
}

void expectHardCases(uint32_t y) {
  for (uint64_t rest : {uint64_t(1), uint64_t(y) - 1}) {
    uint64_t below = rest * powerInverse(y, 25) % y; // x < y with 2^25 x = rest modulo y
    if (below >= (1u << 23))
      expectQuotient(static_cast<uint32_t>(below), y, 0);
    uint64_t above = rest * powerInverse(y, 24) % y + y; // x > y with 2^24 x = rest modulo y
    if (above < (1u << 24))
      expectQuotient(static_cast<uint32_t>(above), y, 0);
  }
}

TEST(FusedDivision, IsCorrectlyRoundedNearTies) {
  for (uint32_t y = kDivisors - 1; y > kDivisors - 40000; y -= 2)
    expectHardCases(y);
  for (uint32_t y = (1u << 23) + 1; y < (1u << 23) + 40000; y += 2)
    expectHardCases(y);
  std::mt19937 random(1);
  for (int i = 0; i < 40000; ++i)
    expectHardCases((1u << 23) | (random() & 0x7fffff) | 1);
}

TEST(FusedDivision, IsCorrectlyRoundedForAnyDigits) {
  std::mt19937 random(2);
  for (int i = 0; i < 300000; ++i)
    expectQuotient((1u << 23) | (random() & 0x7fffff), (1u << 23) + random() % kFusedDivisorDigits,
                   static_cast<int>(i % 59));
  for (uint32_t x = 1u << 23; x < (1u << 23) + 64; ++x)
    for (uint32_t y = kDivisors - 64; y < kDivisors; ++y) {
      expectQuotient(x, y, 0);
      expectQuotient(y, x, 0);
      expectQuotient(y, y, 0);
    }
}

TEST(FusedDivision, KeepsTheSignOfZero) {
  HostNumbers numbers;
  for (float x : {0.0f, -0.0f})
    for (float y : {3.0f, -3.0f})
      EXPECT_EQ(std::bit_cast<uint32_t>(divideFused(numbers, x, y)), std::bit_cast<uint32_t>(x / y)) << x << " / " << y;
}

/// Radicands in [1, 4); others differ by an even exponent, which changes no rounding.
TEST(FusedSquareRoot, IsCorrectlyRoundedForAllDigits) {
  for (int off : {-2, -1, 0, 1, 2}) {
    HostNumbers numbers{off};
    for (uint32_t bits = 0x3f800000; bits < 0x40800000; ++bits) {
      auto x = std::bit_cast<float>(bits);
      ASSERT_EQ(squareRootFused(numbers, x), std::sqrt(x)) << x << ", inverse root off by " << off;
    }
  }
}

TEST(FusedSquareRoot, HoldsToTheBounds) {
  HostNumbers numbers;
  for (uint32_t bits : {kFusedLeast, kFusedLeast + 1, kFusedEnd - 1}) {
    auto x = std::bit_cast<float>(bits);
    EXPECT_EQ(squareRootFused(numbers, x), std::sqrt(x)) << x;
  }
}

} // namespace
} // namespace tegula::vulkan
