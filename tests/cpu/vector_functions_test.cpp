// The CPU's vectorised functions against MPFR, for the kernels of every instruction set: what docs/math.md states.
#include "tests/cpu/Harness.h"
#include "tests/cpu/Mpfr.h"

#include "backends/cpu/kernels/Functions.h"

#include <chrono>

namespace tegula::cpu {
namespace {

using namespace test;

/// Of MPFR's results: enough to tell 0.001 ulp of f32 apart.
constexpr int kBits = 64;

struct VectorFunction {
  const char *name;
  RowKernel (*kernel)(const KernelTable &);
  Mpfr reference;
  double stated; // ulp of f32
  float low, high;
};

template <Opcode opcode> RowKernel ofOpcode(const KernelTable &table) {
  return table.elementwise[static_cast<size_t>(opcode)][0];
}
RowKernel erfcOf(const KernelTable &table) { return functionKernel(table, FunctionKind::Erfc, false); }

/// Of -0 -infinity, as IEEE 754 has it; mpfr_rec_sqrt has infinity.
int rsqrtOf(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
  mpfr_sqrt(y, x, rounding);
  return mpfr_ui_div(y, 1, y, rounding);
}

const VectorFunction kVectorFunctions[] = {
    {"exp", ofOpcode<Opcode::Exp>, mpfr_exp, 0.54, -104, 89},
    {"exp2", ofOpcode<Opcode::Exp2>, mpfr_exp2, 0.54, -150, 128},
    {"expm1", ofOpcode<Opcode::Expm1>, mpfr_expm1, 0.51, -20, 89},
    {"log", ofOpcode<Opcode::Log>, mpfr_log, 0.51, 0.5, 2},
    {"log2", ofOpcode<Opcode::Log2>, mpfr_log2, 0.51, 0.5, 2},
    {"sin", ofOpcode<Opcode::Sin>, mpfr_sin, 0.51, -1100000, 1100000},
    {"cos", ofOpcode<Opcode::Cos>, mpfr_cos, 0.51, -1100000, 1100000},
    {"tanh", ofOpcode<Opcode::Tanh>, mpfr_tanh, 0.51, -10, 10},
    {"erf", ofOpcode<Opcode::Erf>, mpfr_erf, 0.51, -4.1f, 4.1f},
    {"erfc", erfcOf, mpfr_erfc, 0.51, -4, 10.3f},
    {"rsqrt", ofOpcode<Opcode::Rsqrt>, rsqrtOf, 1.6, 0.25, 4},
};

/// Numbers of all exponents and both signs, of the range where the function changes, and around its ends.
std::vector<float> arguments(const VectorFunction &f) {
  std::vector<float> x = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-45f, -1e-45f, 0x1.fffffep-127f, 0x1.fffffep+127f};
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 400009)
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (int i = 0; i <= 20000; ++i)
    x.push_back(f.low + (f.high - f.low) * static_cast<float>(i) / 20000);
  for (int i = 1; i < 1000; ++i) // next to zeros of sine and cosine
    x.push_back(static_cast<float>(i * 1.5707963267948966));
  for (float end : {3.924f, 10.1f, 10.054f, 10.055f, 9.19456f, 1e6f, 88.72283f, -103.97f}) // where formulas change
    for (int d = -20; d <= 20; ++d)
      x.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(end) + static_cast<uint32_t>(d)));
  return x;
}

/// |found - f(x)| in ulp; 0 for equal infinities, NaN and zeros of equal sign, infinity if only one is such.
double distance(float found, float x, const VectorFunction &f, Wide &exact, int digits, int leastExponent) {
  Wide argument;
  mpfr_set_flt(argument.v, x, MPFR_RNDN);
  f.reference(exact.v, argument.v, MPFR_RNDN);
  const float nearest = mpfr_get_flt(exact.v, MPFR_RNDN);
  if (std::isnan(nearest) || std::isnan(found))
    return std::isnan(nearest) && std::isnan(found) ? 0 : INFINITY;
  if (std::isinf(nearest) || std::isinf(found))
    return nearest == found ? 0 : INFINITY;
  if (std::signbit(nearest) != std::signbit(found))
    return INFINITY;
  return ulpsApart(found, exact.v, digits, leastExponent);
}

TEST(VectorFunctions, SinglesAreAsStated) {
  const KernelTables tables = availableKernels();
  for (const VectorFunction &f : kVectorFunctions) {
    const std::vector<float> x = arguments(f);
    const void *in[1] = {x.data()};
    std::vector<std::vector<float>> found(tables.count, std::vector<float>(x.size()));
    for (size_t t = 0; t < tables.count; ++t)
      f.kernel (*tables.tables[t])(found[t].data(), in, x.size(), 0);
    Wide exact(kBits);
    double worst = 0;
    float at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      for (size_t t = 1; t < tables.count; ++t) // no instruction set fuses products and sums
        ASSERT_TRUE(found[t][i] == found[0][i] || std::isnan(found[0][i])) << f.name << " at " << x[i];
      if (const double error = distance(found[0][i], x[i], f, exact, 24, -126); error > worst) {
        worst = error;
        at = x[i];
      }
    }
    EXPECT_LE(worst, f.stated) << f.name << " at " << std::hexfloat << at;
    RecordProperty(f.name, std::to_string(worst)); // docs/math.md has it
  }
}

/// All f16: converted, the f32 function, and rounded once more.
TEST(VectorFunctions, HalvesAreTheNearest) {
  constexpr int64_t kCount = 65536;
  for (const VectorFunction &f : kVectorFunctions) {
    Array x(ElementKind::F16, kCount), y(ElementKind::F16, kCount);
    for (size_t i = 0; i < x.size(); ++i)
      x.setBits(i, i);
    const KernelTable &table = kernels();
    std::vector<float> wide(kCount), found(kCount);
    const void *halves[1] = {x.data()}, *singles[1] = {wide.data()}, *results[1] = {found.data()};
    table.toF32[static_cast<size_t>(ElementKind::F16)](wide.data(), halves, kCount, 0);
    f.kernel(table)(found.data(), singles, kCount, 0);
    table.fromF32[0][static_cast<size_t>(ElementKind::F16)](y.data(), results, kCount, 0);
    Wide exact(kBits);
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i)
      if (!std::isinf(y.number(i))) // beyond f16's numbers, or exactly infinite: as f32 tells
        worst = std::max(worst, distance(static_cast<float>(y.number(i)), wide[i], f, exact, 11, -14));
      else
        EXPECT_TRUE(std::abs(found[i]) >= 65520) << f.name << " at " << wide[i];
    EXPECT_LE(worst, 0.501) << f.name;
  }
}

double fastestRow(RowKernel kernel, float low, float high) {
  std::vector<float> x(4096), y(4096);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = low + (high - low) * static_cast<float>(i * 7919 % x.size()) / static_cast<float>(x.size());
  const void *in[1] = {x.data()};
  double best = INFINITY;
  for (int i = 0; i < 500; ++i) {
    const auto start = std::chrono::steady_clock::now();
    kernel(y.data(), in, x.size(), 0);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

TEST(VectorFunctions, TakeAtMostSixTimesExp) {
  const KernelTables tables = availableKernels();
  for (size_t t = 0; t < tables.count; ++t) {
    const KernelTable &table = *tables.tables[t];
    const double exponential = fastestRow(ofOpcode<Opcode::Exp>(table), -5, 5);
    for (const VectorFunction &f : kVectorFunctions)
      EXPECT_LE(fastestRow(f.kernel(table), std::max(f.low, -100.0f), std::min(f.high, 100.0f)), 6 * exponential)
          << table.name << " " << f.name;
  }
}

} // namespace
} // namespace tegula::cpu
