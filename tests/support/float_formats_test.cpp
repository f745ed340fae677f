// The float formats against their definition: values by formula, rounding by search over all values.
#include "core/support/FloatFormats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace tegula;

namespace {

constexpr ScalarType kSmall[] = {ScalarType::F16,    ScalarType::BF16,       ScalarType::F8E4M3,
                                 ScalarType::F8E5M2, ScalarType::F8E4M3FNUZ, ScalarType::F8E5M2FNUZ};

TEST(FloatFormats, KnownValues) {
  const struct {
    ScalarType type;
    uint64_t code;
    double value;
  } rows[] = {{ScalarType::F16, 0x3c00, 1.0},          {ScalarType::F16, 0x7bff, 65504.0},
              {ScalarType::F16, 0x0001, 0x1p-24},      {ScalarType::F16, 0x0400, 0x1p-14},
              {ScalarType::F16, 0xfc00, -INFINITY},    {ScalarType::BF16, 0x3f80, 1.0},
              {ScalarType::BF16, 0x7f7f, 0x1.fep127},  {ScalarType::F8E4M3, 0x7e, 448.0},
              {ScalarType::F8E4M3, 0x01, 0x1p-9},      {ScalarType::F8E4M3, 0x38, 1.0},
              {ScalarType::F8E5M2, 0x7b, 57344.0},     {ScalarType::F8E5M2, 0x7c, INFINITY},
              {ScalarType::F8E5M2, 0x01, 0x1p-16},     {ScalarType::F8E4M3FNUZ, 0x7f, 240.0},
              {ScalarType::F8E4M3FNUZ, 0x40, 1.0},     {ScalarType::F8E4M3FNUZ, 0x01, 0x1p-10},
              {ScalarType::F8E5M2FNUZ, 0x7f, 57344.0}, {ScalarType::F8E5M2FNUZ, 0x01, 0x1p-17}};
  for (const auto &row : rows) {
    EXPECT_EQ(decodeFloat(floatFormat(row.type), row.code), row.value) << name(row.type) << " " << row.code;
    if (std::isfinite(row.value) || !floatFormat(row.type).saturates)
      EXPECT_EQ(encodeFloat(floatFormat(row.type), row.value), row.code) << name(row.type) << " " << row.value;
  }
  for (auto [type, code] : {std::pair{ScalarType::F8E4M3, 0x7f},
                            {ScalarType::F8E4M3, 0xff},
                            {ScalarType::F8E4M3FNUZ, 0x80},
                            {ScalarType::F8E5M2FNUZ, 0x80},
                            {ScalarType::F8E5M2, 0x7e}})
    EXPECT_TRUE(std::isnan(decodeFloat(floatFormat(type), static_cast<uint64_t>(code)))) << name(type);
}

TEST(FloatFormats, EveryCodeRoundTrips) {
  for (ScalarType type : kSmall) {
    const FloatFormat &f = floatFormat(type);
    for (uint64_t code = 0; code < uint64_t{1} << (1 + f.exponentBits + f.mantissaBits); ++code) {
      const double x = decodeFloat(f, code);
      if (std::isnan(x))
        EXPECT_TRUE(std::isnan(decodeFloat(f, encodeFloat(f, x))));
      else if (std::isfinite(x) || !f.saturates)
        ASSERT_EQ(encodeFloat(f, x), code) << name(type);
    }
  }
}

/// All finite values of a format in order, without -0.
std::map<double, uint64_t> valuesOf(const FloatFormat &f) {
  std::map<double, uint64_t> values;
  for (uint64_t code = 0; code < uint64_t{1} << (1 + f.exponentBits + f.mantissaBits); ++code)
    if (const double x = decodeFloat(f, code); std::isfinite(x) && !(x == 0 && code))
      values[x] = code;
  return values;
}

/// The neighbour that rounding gives, found by search. `step`: the distance to the value that would follow the largest
/// one.
uint64_t nearestBySearch(const std::map<double, uint64_t> &values, const FloatFormat &f, double x, bool towardZero) {
  const bool negative = std::signbit(x);
  const double a = std::fabs(x);
  auto above = values.lower_bound(a);
  const uint64_t sign = negative ? uint64_t{1} << (f.exponentBits + f.mantissaBits) : 0;
  uint64_t code;
  if (above == values.end()) {
    const auto largest = std::prev(above), before = std::prev(largest);
    const double middle = largest->first + (largest->first - before->first) / 2;
    const bool overflows = a > middle || (a == middle && largest->second % 2 == 1);
    if (!towardZero && overflows)
      return ~uint64_t{0};
    code = largest->second;
  } else if (above->first == a) {
    code = above->second;
  } else {
    const auto below = std::prev(above);
    const double down = a - below->first, up = above->first - a;
    const bool goUp = !towardZero && (up < down || (up == down && below->second % 2 == 1));
    code = goUp ? above->second : below->second;
  }
  return code == 0 && f.specials == Specials::UnsignedZero ? 0 : sign | code;
}

TEST(FloatFormats, RoundingEqualsSearch) {
  std::mt19937_64 random(1);
  for (ScalarType type : kSmall) {
    const FloatFormat &f = floatFormat(type);
    const std::map<double, uint64_t> values = valuesOf(f);
    const double largest = std::prev(values.end())->first;
    for (int i = 0; i < 40000; ++i) {
      double x;
      if (i % 3 == 0) { // exactly between two neighbours, or next to that
        auto at = values.lower_bound(
            std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53, -static_cast<int>(random() % 30)) * largest);
        const auto next = std::next(at);
        x = next == values.end() ? at->first : (at->first + next->first) / 2;
        if (i % 2)
          x = std::nextafter(x, i % 4 < 2 ? 1e300 : -1e300);
      } else {
        x = std::ldexp(static_cast<double>(static_cast<int64_t>(random())) * 0x1p-63,
                       static_cast<int>(random() % 40) - 20) *
            largest / (i % 7 == 0 ? 1.0 : 4.0);
      }
      for (bool towardZero : {false, true}) {
        const uint64_t expected = nearestBySearch(values, f, x, towardZero), actual = encodeFloat(f, x, towardZero);
        if (expected == ~uint64_t{0})
          ASSERT_EQ(decodeFloat(f, actual), std::copysign(f.saturates ? largest : INFINITY, x))
              << name(type) << " of " << std::hexfloat << x;
        else
          ASSERT_EQ(actual, expected) << name(type) << " of " << std::hexfloat << x
                                      << (towardZero ? " toward zero" : "");
      }
    }
  }
}

TEST(FloatFormats, OverflowAndSpecials) {
  for (ScalarType type : kSmall) {
    const FloatFormat &f = floatFormat(type);
    const double largest = std::prev(valuesOf(f).end())->first, overflow = f.saturates ? largest : INFINITY;
    EXPECT_EQ(f.saturates, f.exponentBits + f.mantissaBits == 7) << name(type);
    EXPECT_EQ(decodeFloat(f, encodeFloat(f, 1e300)), overflow) << name(type);
    EXPECT_EQ(decodeFloat(f, encodeFloat(f, -1e300)), -overflow) << name(type);
    EXPECT_EQ(decodeFloat(f, encodeFloat(f, 1e300, true)), largest) << name(type);
    EXPECT_EQ(decodeFloat(f, encodeFloat(f, INFINITY)), overflow) << name(type);
    EXPECT_EQ(decodeFloat(f, encodeFloat(f, -INFINITY, true)), -overflow) << name(type);
    EXPECT_TRUE(std::isnan(decodeFloat(f, encodeFloat(f, NAN)))) << name(type);
    EXPECT_EQ(std::signbit(decodeFloat(f, encodeFloat(f, -0.0))), f.specials != Specials::UnsignedZero) << name(type);
  }
}

TEST(FloatFormats, SingleAndDoubleAreTheMachines) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t bits = random();
    const auto x = std::bit_cast<double>(bits);
    if (std::isnan(x))
      continue;
    EXPECT_EQ(decodeFloat(floatFormat(ScalarType::F64), bits), x);
    EXPECT_EQ(encodeFloat(floatFormat(ScalarType::F64), x), bits);
    EXPECT_EQ(encodeFloat(floatFormat(ScalarType::F32), x), std::bit_cast<uint32_t>(static_cast<float>(x)));
    const auto single = static_cast<uint32_t>(bits);
    if (!std::isnan(std::bit_cast<float>(single)))
      EXPECT_EQ(decodeFloat(floatFormat(ScalarType::F32), single), std::bit_cast<float>(single));
  }
}

} // namespace
