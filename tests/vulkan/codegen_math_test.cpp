// Quotients, roots and remainders of f32 are correctly rounded; functions are within their stated errors.
#include "tests/vulkan/ElementwiseTest.h"

#include <bit>
#include <random>

namespace tegula::vulkan::test {
namespace {

class VulkanMath : public ElementwiseTest {
protected:
  const Number f32_ = kFloats[2];
};

Bits anyBits(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  Bits bits(count);
  for (uint64_t &value : bits)
    value = generator();
  return bits;
}

float asFloat(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
uint64_t asBits(float value) { return std::bit_cast<uint32_t>(value); }

TEST_P(VulkanMath, QuotientsAreCorrectlyRounded) {
  // All exponents; and significands close to each other, near ties, subnormal.
  Bits x = anyBits(1 << 17, 1), y = anyBits(1 << 17, 2);
  for (size_t i = 0; i < x.size(); i += 2)
    y[i] = (y[i] & 0x807fffff) | (((x[i] >> 23 & 0xff) ^ (i % 8 / 2)) << 23);
  for (size_t i = 1; i < x.size(); i += 8)
    x[i] &= 0x807fffff;
  for (size_t i = 3; i < x.size(); i += 8)
    x[i] = asBits(asFloat(y[i]) * float(i % 1000 + 1) / 8);
  Bits found = evaluate("arith.divf %x, %y : IN", f32_, f32_, {x, y, {}});
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_TRUE(isSame(ScalarType::F32, found[i], asBits(asFloat(x[i]) / asFloat(y[i]))))
        << hex(x[i]) << " / " << hex(y[i]) << ": " << hex(found[i]);
}

TEST_P(VulkanMath, RootsAreCorrectlyRounded) {
  Bits x = anyBits(1 << 17, 3);
  for (size_t i = 0; i < x.size(); i += 4)
    x[i] &= 0x7fffff; // subnormal
  for (size_t i = 1; i < x.size(); i += 4)
    x[i] = asBits(float(i) * float(i)) - 1 + i % 3; // near squares
  Bits found = evaluate("math.sqrt %x : IN", f32_, f32_, {x, {}, {}});
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_TRUE(isSame(ScalarType::F32, found[i], asBits(std::sqrt(asFloat(x[i])))))
        << hex(x[i]) << ' ' << hex(found[i]);
}

TEST_P(VulkanMath, RemaindersAreExact) {
  Bits x = anyBits(1 << 15, 4), y = anyBits(1 << 15, 5);
  for (size_t i = 0; i < x.size(); i += 4)
    y[i] &= 0x807fffff;
  for (size_t i = 1; i < x.size(); i += 4)
    y[i] = asBits(asFloat(x[i]) / float(i % 50 + 1));
  for (size_t i = 2; i < x.size(); i += 4)
    y[i] = (y[i] & 0x007fffff) | (x[i] & 0x7f800000) | 0x00800000;
  Bits found = evaluate("arith.remf %x, %y : IN", f32_, f32_, {x, y, {}});
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_TRUE(isSame(ScalarType::F32, found[i], asBits(std::fmod(asFloat(x[i]), asFloat(y[i])))))
        << hex(x[i]) << " % " << hex(y[i]) << ": " << hex(found[i]) << ' '
        << hex(asBits(std::fmod(asFloat(x[i]), asFloat(y[i]))));
}

TEST_P(VulkanMath, FastMathTakesTheDevicesQuotient) {
  std::string kernel = body("%v = simt.load %x[%t] : !tile.ptr<f32>, i32 -> f32\n"
                            "%q = arith.divf %v, %v fastmath<arcp> : f32\n"
                            "simt.store %o[%t], %q : !tile.ptr<f32>, i32, f32",
                            "f32", "f32");
  Artifact fast = compileFor(kernel, target()),
           exact = compileFor(replaced(kernel, {{" fastmath<arcp>", ""}}), target());
  EXPECT_LT(fast.binary.size() * 2, exact.binary.size());
}

struct Function {
  const char *name;
  double (*reference)(double);
  double low, high;
  double relative, absolute; // one of both bounds must hold
};

TEST_P(VulkanMath, FunctionsAreNear) {
  const Function functions[] = {
      {"exp", std::exp, -20, 20, 8e-6, 0},
      {"exp2", std::exp2, -20, 20, 4e-6, 0},
      {"expm1", std::expm1, -5, 5, 1e-5, 0},
      {"log", std::log, 0.01, 100, 4e-6, 4e-7},
      {"log2", std::log2, 0.01, 100, 4e-6, 4e-7},
      {"log10", std::log10, 0.01, 100, 4e-6, 4e-7},
      {"log1p", std::log1p, -0.5, 100, 1e-5, 4e-7},
      {"sin", std::sin, -3.1, 3.1, 0, 5e-4},
      {"cos", std::cos, -3.1, 3.1, 0, 5e-4},
      {"tan", std::tan, -1, 1, 2e-3, 5e-4},
      {"asin", std::asin, -1, 1, 2e-3, 5e-4},
      {"acos", std::acos, -1, 1, 2e-3, 5e-4},
      {"atan", std::atan, -9, 9, 1e-3, 5e-4},
      {"sinh", std::sinh, -4, 4, 1e-4, 1e-5},
      {"cosh", std::cosh, -4, 4, 1e-4, 0},
      {"tanh", std::tanh, -9, 9, 4e-6, 0},
      {"asinh", std::asinh, 0.1, 9, 1e-4, 1e-5},
      {"acosh", std::acosh, 1.1, 9, 1e-4, 1e-5},
      {"atanh", std::atanh, -0.9, 0.9, 1e-4, 1e-5},
      {"erf", std::erf, -4, 4, 0, 5e-7},
      {"cbrt", std::cbrt, -90, 90, 1e-6, 0},
      {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0.01, 90, 4e-7, 0},
  };
  std::mt19937 generator(9);
  for (const Function &function : functions) {
    std::uniform_real_distribution<double> uniform(function.low, function.high);
    Bits x(512);
    for (uint64_t &bits : x)
      bits = asBits(float(uniform(generator)));
    Bits found = evaluate(std::string("math.") + function.name + " %x : IN", f32_, f32_, {x, {}, {}});
    for (size_t i = 0; i < x.size(); ++i) {
      double expected = function.reference(asFloat(x[i]));
      EXPECT_NEAR(asFloat(found[i]), expected, std::max(std::fabs(expected) * function.relative, function.absolute))
          << function.name << ' ' << asFloat(x[i]);
    }
    Bits half(512); // narrow floats are computed in f32 and rounded
    for (size_t i = 0; i < x.size(); ++i)
      half[i] = encodeFloat(floatFormat(ScalarType::F16), asFloat(x[i]));
    Bits foundHalf =
        evaluate(std::string("math.") + function.name + " %x : IN", kFloats[0], kFloats[0], {half, {}, {}});
    for (size_t i = 0; i < x.size(); ++i) {
      double in = decodeFloat(floatFormat(ScalarType::F16), half[i]), expected = function.reference(in);
      double out = decodeFloat(floatFormat(ScalarType::F16), foundHalf[i]);
      if (std::fabs(expected) < 65000 && std::fabs(expected) > 1e-4)
        EXPECT_NEAR(out, expected, std::fabs(expected) * (0x1p-11 + 2 * function.relative) + function.absolute)
            << function.name << " f16 " << in;
    }
  }
}

TEST_P(VulkanMath, PowersAndAngles) {
  Bits x(512), y(512);
  for (size_t i = 0; i < 512; ++i) {
    x[i] = asBits(float(i % 23) - 11);
    y[i] = asBits(float(i % 9) - 4);
  }
  Bits powers = evaluate("math.powf %x, %y : IN", f32_, f32_, {x, y, {}});
  Bits angles = evaluate("math.atan2 %x, %y : IN", f32_, f32_, {x, y, {}});
  for (size_t i = 0; i < 512; ++i) {
    float power = std::pow(asFloat(x[i]), asFloat(y[i])), angle = std::atan2(asFloat(x[i]), asFloat(y[i]));
    if (std::isfinite(power))
      EXPECT_NEAR(asFloat(powers[i]), power, std::fabs(power) * 2e-5) << asFloat(x[i]) << ' ' << asFloat(y[i]);
    else
      EXPECT_EQ(asFloat(powers[i]), power) << asFloat(x[i]) << ' ' << asFloat(y[i]);
    if (asFloat(x[i]) != 0 || asFloat(y[i]) != 0)
      EXPECT_NEAR(asFloat(angles[i]), angle, 2e-3) << asFloat(x[i]) << ' ' << asFloat(y[i]);
  }
}

TEGULA_ON_EACH_DEVICE(VulkanMath);

} // namespace
} // namespace tegula::vulkan::test
