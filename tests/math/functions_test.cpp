// Functions of one float, on dense samples, against higher precision: f32 over all exponents and signs against long
// double, f64 against MPFR; without and with fused multiply-adds.
#include "tests/math/Measure.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace tegula::elementary::test {
namespace {

std::vector<float> specials32() {
  std::vector<float> all;
  for (uint32_t exponent = 0; exponent < 256; ++exponent)
    for (uint32_t digits : {0u, 1u, 2u, 0x3fffffu, 0x400000u, 0x7ffffeu, 0x7fffffu})
      for (uint32_t sign : {0u, 1u})
        all.push_back(std::bit_cast<float>(sign << 31 | exponent << 23 | digits));
  for (int k = -1100; k <= 1100; ++k) { // near multiples of the values at which functions change
    for (float x : {float(k), float(k) * 0.5f, float(k) * 0.69314718f, float(k) * 0.78539816f, 1 + float(k) * 0x1p-23f})
      for (int step = -2; step <= 2; ++step)
        all.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(x) + uint32_t(step)));
  }
  return all;
}

std::vector<double> specials64() {
  std::vector<double> all;
  for (uint64_t exponent = 0; exponent < 2048; ++exponent)
    for (uint64_t digits : {uint64_t(0), uint64_t(1), (uint64_t(1) << 51), (uint64_t(1) << 52) - 1})
      for (uint64_t sign : {0, 1})
        all.push_back(std::bit_cast<double>(sign << 63 | exponent << 52 | digits));
  for (int k = -1100; k <= 1100; ++k)
    for (double x : {double(k), k * 0.5, k * 0.693147180559945309, k * 0.785398163397448310, 1 + k * 0x1p-52})
      for (int step = -1; step <= 1; ++step)
        all.push_back(std::bit_cast<double>(std::bit_cast<uint64_t>(x) + uint64_t(step)));
  // The double nearest to a multiple of pi/2 (J.-M. Muller, "Elementary Functions", section 11.3.2).
  all.push_back(0x1.6ac5b262ca1ffp+849);
  return all;
}

class Functions : public testing::TestWithParam<const Function *> {
protected:
  /// lgamma has zeros near each negative integer below -2, where its terms cancel: two_test.cpp has these.
  static bool cancels(double x) { return std::string(GetParam()->name) == "lgamma" && x < -2.2; }
  /// Of special arguments every seventh is taken where the reference iterates.
  static size_t stride() { return GetParam()->thin > 100 ? 7 : 1; }
  void check32(float x, Error &largest) {
    const Function &f = *GetParam();
    if (cancels(x))
      return;
    long double expected = f.reference32(x);
    largest.take(errorOf(x, f.single(x), expected));
    largest.take(errorOf(x, f.singleFused(x), expected));
  }
  void check64(double x, Error &largest) {
    const Function &f = *GetParam();
    if (cancels(x))
      return;
    Precise expected = f.reference64(x);
    largest.take(errorOf(x, f.wide(x), expected));
    largest.take(errorOf(x, f.wideFused(x), expected));
  }
};

TEST_P(Functions, SingleOverAllExponents) {
  Error largest;
  const std::vector<float> specials = specials32();
  for (size_t i = 0; i < specials.size(); i += stride())
    check32(specials[i], largest);
  std::mt19937 generator(1);
  for (int i = 0; i < 1500000 / GetParam()->thin; ++i)
    check32(std::bit_cast<float>(uint32_t(generator())), largest);
  std::uniform_real_distribution<float> usual(-110, 110), small(-2, 2);
  for (int i = 0; i < 500000 / GetParam()->thin; ++i) {
    check32(usual(generator), largest);
    check32(small(generator), largest);
    check32(1 + 0.5f * small(generator), largest);
  }
  RecordProperty("ulp", largest.str());
  std::printf("%s f32: %s\n", GetParam()->name, largest.str().c_str());
  EXPECT_LE(largest.ulps, GetParam()->stated32) << largest.str();
}

TEST_P(Functions, DoubleOverAllExponents) {
  Error largest;
  const std::vector<double> specials = specials64();
  for (size_t i = 0; i < specials.size(); i += stride())
    check64(specials[i], largest);
  std::mt19937_64 generator(2);
  for (int i = 0; i < 100000 / GetParam()->thin; ++i)
    check64(std::bit_cast<double>(uint64_t(generator())), largest);
  std::uniform_real_distribution<double> usual(-760, 760), small(-2, 2), middle(-8, 8);
  for (int i = 0; i < 50000 / std::min(GetParam()->thin, 4); ++i) {
    check64(usual(generator), largest);
    check64(middle(generator), largest);
    check64(small(generator), largest);
    check64(1 + 0.5 * small(generator), largest);
  }
  RecordProperty("ulp", largest.str());
  std::printf("%s f64: %s\n", GetParam()->name, largest.str().c_str());
  EXPECT_LE(largest.ulps, GetParam()->stated64) << largest.str();
}

#if defined(__SSE2__)
/// Sets the host to flush subnormal arguments and results to zero while it lives.
struct Flushing {
  Flushing() : before(_mm_getcsr()) { _mm_setcsr(before | 0x8040); }
  ~Flushing() { _mm_setcsr(before); }
  unsigned before;
};

/// Checked where arguments and results are normal numbers; log and exp2, which work on bits, everywhere.
TEST_P(Functions, SingleOnADeviceThatFlushes) {
  const Function &f = *GetParam();
  std::string name = f.name;
  bool keepsAll = name == "exp" || name == "exp2" || name == "log" || name == "log2";
  std::vector<float> arguments = specials32();
  std::mt19937 generator(3);
  for (int i = 0; i < 300000; ++i)
    arguments.push_back(std::bit_cast<float>(uint32_t(generator())));
  for (int i = 0; i < 100000; ++i)
    arguments.push_back(std::bit_cast<float>(uint32_t(generator() & 0x807fffff)));
  if (f.thin > 1) // their references are slow, and they are made of the others
    arguments.resize(arguments.size() / size_t(f.thin));
  std::uniform_real_distribution<float> low(-152, -80);
  for (int i = 0; i < 100000; ++i)
    arguments.push_back(low(generator));
  std::vector<float> results;
  {
    Flushing flushing;
    for (float x : arguments)
      results.push_back(f.single(x));
  }
  Error largest;
  for (size_t i = 0; i < arguments.size(); ++i) {
    long double expected = f.reference32(arguments[i]);
    bool isNormal = std::fpclassify(arguments[i]) != FP_SUBNORMAL &&
                    (expected == 0 || std::abs(expected) > 1.2e-38L || std::isnan(expected));
    if ((keepsAll || isNormal) && !cancels(arguments[i]))
      largest.take(errorOf(arguments[i], results[i], expected));
  }
  EXPECT_LE(largest.ulps, f.stated32) << largest.str();
}
#endif

/// The error of exp computed by an exp2 with an error of up to 2.5 ulp of its own result. Next to a power of two that
/// result may lie in the next binade, where an ulp is twice the true result's: then the error is halved.
template <class T> Error errorOfExpByExp2(T x, const Function &exp) {
  HostNumbers<T, true> numbers;
  T found = expByExp2(Real<HostNumbers<T, true>>{&numbers, x}).v;
  Error error;
  if constexpr (std::is_same_v<T, float>)
    error = errorOf(x, found, exp.reference32(x));
  else
    error = errorOf(x, found, exp.reference64(x));
  if (std::isfinite(error.found) && error.expected > 0 && std::ilogb(error.found) > std::ilogb(error.expected))
    error.ulps /= 2;
  return error;
}

TEST(ExpByExp2, IsAsStated) {
  const Function &exp = *functionsBegin();
  ASSERT_STREQ(exp.name, "exp");
  Error single, wide;
  for (float x : specials32())
    single.take(errorOfExpByExp2(x, exp));
  for (double x : specials64())
    wide.take(errorOfExpByExp2(x, exp));
  std::mt19937_64 generator(4);
  std::uniform_real_distribution<double> usual(-110, 90), far(-750, 710);
  for (int i = 0; i < 1000000; ++i)
    single.take(errorOfExpByExp2(float(usual(generator)), exp));
  for (int i = 0; i < 100000; ++i)
    wide.take(errorOfExpByExp2(far(generator), exp));
  std::printf("expByExp2: %s, %s\n", single.str().c_str(), wide.str().c_str());
  EXPECT_LE(single.ulps, 3.2) << single.str();
  EXPECT_LE(wide.ulps, 3.2) << wide.str();
}

INSTANTIATE_TEST_SUITE_P(Math, Functions, testing::Range(functionsBegin(), functionsEnd()),
                         [](const auto &info) { return std::string(info.param->name); });

} // namespace
} // namespace tegula::elementary::test
