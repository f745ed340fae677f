#include "tests/conformance/Policies.h"
#include "tests/conformance/Fills.h"

#include <stdexcept>

namespace tegula::conformance {

namespace {

struct Row {
  const char *function;
  double wide, narrow; // ulps of f32 and f64, and of f16 and bf16; 0: bit for bit
};

constexpr Row kRows[] = {
    {"div", 3, 1}, {"fdiv", 3, 1},   {"sqrt", 3, 1},    {"rsqrt", 4, 1}, {"exp", 4, 1},  {"exp2", 4, 1},
    {"log", 4, 1}, {"log2", 4, 1},   {"sin", 4, 1},     {"cos", 4, 1},   {"erf", 4, 1},  {"sigmoid", 8, 1},
    {"fma", 0, 1}, {"div_rn", 0, 0}, {"sqrt_rn", 0, 0}, {"floor", 0, 0}, {"ceil", 0, 0}, {"abs", 0, 0},
};

} // namespace

Policy ofFunction(const std::string &function, DType type) {
  for (const Row &row : kRows)
    if (function == row.function) {
      double allowed = byteSize(type) == 2 ? row.narrow : row.wide;
      return allowed == 0 ? exact() : ulps(allowed);
    }
  throw std::logic_error("no accuracy is stated for " + function);
}

Policy ofSum(int64_t n, double magnitude, DType accumulator) {
  double terms = static_cast<double>(n);
  return near(terms * std::ldexp(1.0, -precisionOf(accumulator)) * terms * magnitude);
}

Policy ofDot(int64_t k, double magnitude, DType inputs, DType accumulator) {
  if (inputs == DType::F32)
    return ofPrecision("tf32", k, magnitude);
  double terms = static_cast<double>(k), products = terms * magnitude * magnitude;
  return near(terms * std::ldexp(1.0, -precisionOf(accumulator)) * products);
}

Policy ofPrecision(const std::string &precision, int64_t k, double magnitude) {
  struct Precision {
    const char *name;
    int products; // of the numbers that stand for two inputs
    double error; // of the sum of these products, for inputs of magnitude 1
  };
  constexpr Precision kPrecisions[] = {{"ieee", 1, 0},
                                       {"tf32", 1, 2 * 0x1p-11},
                                       {"tf32x3", 3, 4 * 0x1p-22},
                                       {"bf16x3", 3, 4 * 0x1p-16},
                                       {"bf16x6", 6, 4 * 0x1p-24}};
  for (const Precision &each : kPrecisions)
    if (precision == each.name) {
      double terms = static_cast<double>(k * each.products), products = static_cast<double>(k) * magnitude * magnitude;
      return near((terms * std::ldexp(1.0, -precisionOf(DType::F32)) + each.error) * products);
    }
  throw std::logic_error("no accuracy is stated for the precision " + precision);
}

} // namespace tegula::conformance
