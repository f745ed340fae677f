// Fused multiply-adds and remainders, bit for bit, against the C library.
#include "core/math/Functions.h"
#include "core/math/HostNumbers.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cstring>
#include <random>

namespace tegula::elementary::test {
namespace {

template <class T> class Exact : public testing::Test {
protected:
  using Bits = typename HostNumbers<T, false>::WholeValue;
  static constexpr unsigned kDigits = Format<HostNumbers<T, false>>::kDigits;
  static constexpr int kTop = Format<HostNumbers<T, false>>::kIsSingle ? 255 : 2047;

  T number(int exponent, Bits digits, bool sign) {
    exponent = std::clamp(exponent, 0, kTop);
    digits &= (Bits(1) << kDigits) - 1;
    return std::bit_cast<T>(Bits(sign) << (sizeof(T) * 8 - 1) | Bits(exponent) << kDigits | digits);
  }
  Bits bits() { return Bits(generator_()); }
  int below(int count) { return int(generator_() % uint64_t(count)); }
  /// Significands with few ones, all ones, or random bits.
  Bits digits() {
    switch (below(4)) {
    case 0: return Bits(1) << below(kDigits);
    case 1: return ~(Bits(1) << below(kDigits));
    case 2: return below(2) ? 0 : ~Bits(0);
    default: return bits();
    }
  }
  T any() { return number(below(16) ? below(kTop + 1) : below(2) * kTop, below(8) ? digits() : 0, below(2)); }

  /// libm's multiply-add under a rounding mode, behind a pointer that no arithmetic moves past.
  static T libmFma(T x, T y, T z, int mode) {
    static T (*volatile const multiplyAdd)(T, T, T) = [](T a, T b, T c) { return std::fma(a, b, c); };
    std::fesetround(mode);
    T result = multiplyAdd(x, y, z);
    std::fesetround(FE_TONEAREST);
    return result;
  }
  void checkFma(T x, T y, T z) {
    check<Rounding::Nearest>(x, y, z, FE_TONEAREST);
    check<Rounding::Down>(x, y, z, FE_DOWNWARD);
    check<Rounding::Up>(x, y, z, FE_UPWARD);
    check<Rounding::Zero>(x, y, z, FE_TOWARDZERO);
  }
  template <Rounding rounding> void check(T x, T y, T z, int mode) {
    using N = HostNumbers<T, false>;
    N n;
    T found = fma<N, rounding>(Real<N>{&n, x}, Real<N>{&n, y}, Real<N>{&n, z}).v, expected = libmFma(x, y, z, mode);
    bool same = (std::isnan(found) && std::isnan(expected)) || std::memcmp(&found, &expected, sizeof(T)) == 0;
    ASSERT_TRUE(same) << std::hexfloat << x << " * " << y << " + " << z << ", mode " << mode << ": " << found
                      << ", expected " << expected;
    ASSERT_EQ(n.wideShifts, 0u);
  }
  void checkRemainder(T x, T y) {
    using N = HostNumbers<T, false>;
    N n;
    T found = remainder(Real<N>{&n, x}, Real<N>{&n, y}).v, expected = std::fmod(x, y);
    bool same = (std::isnan(found) && std::isnan(expected)) || std::memcmp(&found, &expected, sizeof(T)) == 0;
    ASSERT_TRUE(same) << std::hexfloat << x << " % " << y << ": " << found << ", expected " << expected;
    ASSERT_EQ(n.wideShifts, 0u);
  }

  std::mt19937_64 generator_{7};
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Exact, Types);

TYPED_TEST(Exact, FusedMultiplyAddOfAnyNumbers) {
  for (int i = 0; i < 500000; ++i)
    this->checkFma(this->any(), this->any(), this->any());
}

/// The addend is near the product, at all distances at which their significands overlap; near the smallest and largest
/// numbers.
TYPED_TEST(Exact, FusedMultiplyAddNearCancellation) {
  int bias = this->kTop / 2, digits = int(this->kDigits);
  for (int i = 0; i < 1000000; ++i) {
    int a = this->below(this->kTop), b = this->below(this->kTop);
    if (i % 3 == 1) // subnormal results
      b = bias - a + this->below(3 * digits) - 2 * digits;
    if (i % 3 == 2)
      b = this->kTop + bias - a - this->below(8);
    TypeParam x = this->number(a, this->digits(), i & 1), y = this->number(b, this->digits(), i & 2);
    TypeParam z;
    if (i % 5 == 0) {
      z = -(x * y); // the rounding error of the product
    } else {
      z = this->number(a + b - bias + this->below(5 * digits) - 5 * digits / 2, this->digits(), i & 4);
    }
    this->checkFma(x, y, z);
  }
}

TYPED_TEST(Exact, RemaindersOfAnyNumbers) {
  for (int i = 0; i < 300000; ++i)
    this->checkRemainder(this->any(), this->any());
}

TYPED_TEST(Exact, RemaindersOfNearNumbers) {
  for (int i = 0; i < 1000000; ++i) {
    int exponent = i % 4 ? this->below(this->kTop) : this->below(4);
    TypeParam y = this->number(exponent, this->digits(), i & 1);
    TypeParam x = i % 3 ? this->number(exponent + this->below(70) - 2, this->digits(), i & 2)
                        : TypeParam(y * TypeParam(this->below(100)));
    this->checkRemainder(x, y);
  }
}

} // namespace
} // namespace tegula::elementary::test
