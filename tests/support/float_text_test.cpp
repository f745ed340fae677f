// Floats as text.
#include "core/support/FloatFormats.h"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cmath>
#include <random>

namespace tegula {
namespace {

TEST(FloatText, IsShortAndTellsThatItIsAFloat) {
  EXPECT_EQ(floatText(0.1), "0.1");
  EXPECT_EQ(floatText(1), "1.0");
  EXPECT_EQ(floatText(-0.0), "-0.0");
  EXPECT_EQ(floatText(1e20), "1e+20");
  EXPECT_EQ(floatText(1e-5), "1e-05");
  EXPECT_EQ(floatText(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(floatText(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(floatText(HUGE_VAL) + floatText(-HUGE_VAL) + floatText(std::nan("")), "inf-infnan");
}

TEST(FloatText, ReadsBackAsTheSameNumber) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    auto value = std::bit_cast<double>(random());
    if (std::isfinite(value))
      EXPECT_EQ(std::strtod(floatText(value).c_str(), nullptr), value);
  }
}

TEST(FloatText, IsTheSameInAllLocales) {
  for (const char *name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
    if (std::setlocale(LC_ALL, name))
      break;
  EXPECT_EQ(floatText(1234567.5), "1234567.5");
  std::setlocale(LC_ALL, "C");
}

} // namespace
} // namespace tegula
