// Functions against libm in higher precision, on dense samples, for the kernels of every instruction set.
#include "backends/cpu/kernels/KernelTable.h"
#include "tests/cpu/Harness.h"

#include <cmath>

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

/// |actual - expected| in units of the last place of the f32 nearest to expected.
double ulps(float actual, long double expected) {
  const auto nearest = static_cast<float>(expected);
  if (std::isnan(nearest) || std::isinf(nearest) || nearest == 0)
    return (std::isnan(nearest) && std::isnan(actual)) || actual == nearest ? 0
           : nearest == 0 && std::fabs(actual) <= 1e-45f                    ? 0.5
                                                                            : 1e9;
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - 24, -149));
  return static_cast<double>(std::fabs(static_cast<long double>(actual) - expected) / unit);
}

struct Function {
  Opcode opcode;
  long double (*reference)(long double);
};
const Function kFunctions[] = {{Opcode::Exp, [](long double x) { return std::exp(x); }},
                               {Opcode::Exp2, [](long double x) { return std::exp2(x); }},
                               {Opcode::Log, [](long double x) { return std::log(x); }},
                               {Opcode::Log2, [](long double x) { return std::log2(x); }},
                               {Opcode::Sin, [](long double x) { return std::sin(x); }},
                               {Opcode::Cos, [](long double x) { return std::cos(x); }},
                               {Opcode::Tan, [](long double x) { return std::tan(x); }},
                               {Opcode::Tanh, [](long double x) { return std::tanh(x); }},
                               {Opcode::Sinh, [](long double x) { return std::sinh(x); }},
                               {Opcode::Cosh, [](long double x) { return std::cosh(x); }},
                               {Opcode::Asin, [](long double x) { return std::asin(x); }},
                               {Opcode::Acos, [](long double x) { return std::acos(x); }},
                               {Opcode::Atan, [](long double x) { return std::atan(x); }},
                               {Opcode::Erf, [](long double x) { return std::erf(x); }},
                               {Opcode::Expm1, [](long double x) { return std::expm1(x); }},
                               {Opcode::Log1p, [](long double x) { return std::log1p(x); }}};

void checkFunction(const KernelTable &table, const Function &f, const std::vector<float> &inputs) {
  std::vector<float> out(inputs.size());
  const void *in[1] = {inputs.data()};
  table.elementwise[static_cast<size_t>(f.opcode)][0](out.data(), in, inputs.size(), 0);
  double worst = 0;
  float at = 0;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const double error = ulps(out[i], f.reference(inputs[i])); error > worst) {
      worst = error;
      at = inputs[i];
    }
  const bool exponential = f.opcode == Opcode::Exp || f.opcode == Opcode::Exp2; // relative error 2^-29
  EXPECT_LE(worst, exponential ? 0.54 : 0.51) << table.name << " " << name(f.opcode) << " at " << std::hexfloat << at;
}

TEST(Math, F32WithinHalfAnUlp) {
  // Every 20011th of all f32 bit patterns, then ranges where functions change, and special values.
  std::vector<float> inputs;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 20011)
    inputs.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (int i = -40000; i <= 40000; ++i)
    inputs.push_back(static_cast<float>(i) * 0.00263f);
  for (int i = 1; i < 2000; ++i) // near multiples of pi/2, the zeros of sine and cosine
    for (int d = -1; d <= 1; ++d)
      inputs.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(static_cast<float>(i * 1.5707963267948966)) +
                                            static_cast<uint32_t>(d)));
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 88.72283f, 88.72284f, -103.97f, -103.98f, 128.0f,
                  -149.0f, -150.0f, 1e-45f, 1.1754944e-38f, 3.4028235e38f, 1e6f, 1.0000001e6f})
    inputs.push_back(x);
  const KernelTables tables = availableKernels();
  for (size_t t = 0; t < tables.count; ++t)
    for (const Function &f : kFunctions) {
      const bool own = f.opcode == Opcode::Exp || f.opcode == Opcode::Exp2 || f.opcode == Opcode::Log ||
                       f.opcode == Opcode::Log2 || f.opcode == Opcode::Sin || f.opcode == Opcode::Cos ||
                       f.opcode == Opcode::Tanh || f.opcode == Opcode::Expm1 || f.opcode == Opcode::Erf;
      if (t == 0 || own) // libm's functions are the same in every table
        checkFunction(*tables.tables[t], f, inputs);
    }
}

TEST(Math, SignedZeros) {
  for (Opcode op : {Opcode::Sin, Opcode::Tan, Opcode::Tanh, Opcode::Expm1, Opcode::Asin, Opcode::Atan, Opcode::Sinh,
                    Opcode::Erf, Opcode::Log1p, Opcode::Sqrt}) {
    const float in[2] = {-0.0f, 0.0f};
    float out[2];
    const void *pointers[1] = {in};
    kernels().elementwise[static_cast<size_t>(op)][0](out, pointers, 2, 0);
    EXPECT_TRUE(out[0] == 0 && std::signbit(out[0])) << name(op);
    EXPECT_TRUE(out[1] == 0 && !std::signbit(out[1])) << name(op);
  }
}

TEST(Math, AllTablesAgreeOnOneElementAndOnRows) {
  // 37 elements leave a remainder for every vector width; single and repeated elements take other paths.
  const KernelTables tables = availableKernels();
  std::vector<float> x(37);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 0.03f + static_cast<float>(i) * 0.026f;
  for (size_t op = 0; op < kOpcodeCount; ++op) {
    const RowKernel first = tables.tables[0]->elementwise[op][0];
    const auto opcode = static_cast<Opcode>(op);
    if (!first || opcode < Opcode::AddF || opcode > Opcode::Log1p)
      continue;
    const void *in[3] = {x.data(), x.data() + 1, x.data() + 2};
    std::vector<float> expected(30);
    for (size_t i = 0; i < expected.size(); ++i) {
      const void *one[3] = {x.data() + i, x.data() + 1 + i, x.data() + 2 + i};
      first(&expected[i], one, 1, 0);
    }
    for (size_t t = 0; t < tables.count; ++t) {
      std::vector<float> out(30), repeated(30);
      tables.tables[t]->elementwise[op][0](out.data(), in, out.size(), 0);
      tables.tables[t]->elementwise[op][0](repeated.data(), in, repeated.size(), 7);
      for (size_t i = 0; i < out.size(); ++i) {
        EXPECT_EQ(out[i], expected[i]) << tables.tables[t]->name << " " << name(opcode) << " " << i;
        EXPECT_EQ(repeated[i], expected[0]) << tables.tables[t]->name << " " << name(opcode);
      }
    }
  }
}

TEST(Math, F64IsLibm) {
  const int64_t n = 200;
  for (auto [op, reference] : {std::pair<Opcode, double (*)(double)>{Opcode::Exp, std::exp},
                               {Opcode::Log, std::log},
                               {Opcode::Sin, std::sin},
                               {Opcode::Tanh, std::tanh},
                               {Opcode::Erf, std::erf}}) {
    std::vector<double> in(n), out(n);
    for (int64_t i = 0; i < n; ++i)
      in[static_cast<size_t>(i)] = 0.01 + static_cast<double>(i) * 0.173;
    Module m = emptyModule();
    FunctionBuilder f(m, "k");
    const Register p = f.param(pointerTo(ElementKind::F64)), o = f.param(pointerTo(ElementKind::F64));
    f.store(f.rowMajorPointers(o, {n}), f.like(op, {f.load(f.rowMajorPointers(p, {n}))}));
    f.finish();
    run(std::move(m), {}, in.data(), out.data());
    for (size_t i = 0; i < in.size(); ++i)
      EXPECT_EQ(out[i], reference(in[i]));
  }
}

TEST(Math, SmallFormatsRoundTheF32Result) {
  Array in(ElementKind::F16, 65536), out(ElementKind::F16, 65536);
  for (size_t i = 0; i < in.size(); ++i)
    in.setBits(i, i);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::F16)), o = f.param(pointerTo(ElementKind::F16));
  f.store(f.rowMajorPointers(o, {65536}), f.like(Opcode::Exp, {f.load(f.rowMajorPointers(p, {65536}))}));
  f.finish();
  run(std::move(m), {}, in, out);
  const tegula::FloatFormat &half = tegula::floatFormat(tegula::ScalarType::F16);
  for (size_t i = 0; i < in.size(); ++i) {
    const double expected =
        tegula::decodeFloat(half, tegula::encodeFloat(half, static_cast<float>(std::exp(in.number(i)))));
    if (std::isnan(expected))
      ASSERT_TRUE(std::isnan(out.number(i)));
    else
      ASSERT_EQ(out.number(i), expected) << i;
  }
}

} // namespace
