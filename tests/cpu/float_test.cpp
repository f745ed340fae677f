// Float arithmetic of every type against double, rounded as Bytecode.h defines: small formats are computed in f32.
#include "tests/cpu/Harness.h"

#include <cmath>

using namespace tegula;
using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

std::vector<double> interestingNumbers() {
  return {0.0,   -0.0,  1.0,    -1.0, 0.5, 1.5,  -2.25, 3.0,   1e-3,     -7e-3,     100.0,
          240.0, 447.0, -448.0, 1e5,  6e4, 1e-8, 1e30,  -1e38, INFINITY, -INFINITY, NAN};
}

template <class T> T referenceFloat(Opcode op, T a, T b) {
  switch (op) {
  case Opcode::AddF: return a + b;
  case Opcode::SubF: return a - b;
  case Opcode::MulF: return a * b;
  case Opcode::DivF: return a / b;
  case Opcode::RemF: return std::fmod(a, b);
  case Opcode::MinNumF:
  case Opcode::MinimumF:
    if (std::isnan(a) || std::isnan(b))
      return op == Opcode::MinimumF ? static_cast<T>(NAN) : std::isnan(a) ? b : a;
    return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
  default:
    if (std::isnan(a) || std::isnan(b))
      return op == Opcode::MaximumF ? static_cast<T>(NAN) : std::isnan(a) ? b : a;
    return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
  }
}

void expectSame(double actual, double expected, const std::string &what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << what << " = " << actual;
    return;
  }
  EXPECT_EQ(actual, expected) << what;
  EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << what;
}

TEST(Float, Binary) {
  const std::vector<double> v = interestingNumbers();
  const auto n = static_cast<int64_t>(v.size() * v.size());
  for (ElementKind kind : kFloatKinds)
    for (Opcode op : {Opcode::AddF, Opcode::SubF, Opcode::MulF, Opcode::DivF, Opcode::RemF, Opcode::MinNumF,
                      Opcode::MaxNumF, Opcode::MinimumF, Opcode::MaximumF}) {
      Array a(kind, n), b(kind, n), out(kind, n);
      for (int64_t i = 0; i < n; ++i) {
        a.setNumber(i, v[static_cast<size_t>(i) % v.size()]);
        b.setNumber(i, v[static_cast<size_t>(i) / v.size()]);
      }
      Module m = emptyModule();
      FunctionBuilder f(m, "k");
      const Register pa = f.param(pointerTo(kind)), pb = f.param(pointerTo(kind)), po = f.param(pointerTo(kind));
      f.store(f.rowMajorPointers(po, {n}),
              f.like(op, {f.load(f.rowMajorPointers(pa, {n})) | kLastUse, f.load(f.rowMajorPointers(pb, {n}))}));
      f.finish();
      run(std::move(m), {}, a, b, out);
      for (int64_t i = 0; i < n; ++i) {
        const double x = a.number(i), y = b.number(i);
        double expected = kind == ElementKind::F64
                              ? referenceFloat<double>(op, x, y)
                              : referenceFloat<float>(op, static_cast<float>(x), static_cast<float>(y));
        const FloatFormat &format = floatFormat(scalarType(kind));
        expected = decodeFloat(format, encodeFloat(format, expected));
        expectSame(out.number(i), expected,
                   std::string(name(op)) + " " + std::string(name(kind)) + " " + std::to_string(x) + " " +
                       std::to_string(y));
      }
    }
}

bool compareFloats(FloatPredicate p, double a, double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  switch (p) {
  case FloatPredicate::OEq: return a == b;
  case FloatPredicate::ONe: return !unordered && a != b;
  case FloatPredicate::OLt: return a < b;
  case FloatPredicate::OLe: return a <= b;
  case FloatPredicate::OGt: return a > b;
  case FloatPredicate::OGe: return a >= b;
  case FloatPredicate::Ord: return !unordered;
  case FloatPredicate::UEq: return unordered || a == b;
  case FloatPredicate::UNe: return unordered || a != b;
  case FloatPredicate::ULt: return unordered || a < b;
  case FloatPredicate::ULe: return unordered || a <= b;
  case FloatPredicate::UGt: return unordered || a > b;
  case FloatPredicate::UGe: return unordered || a >= b;
  default: return unordered;
  }
}

TEST(Float, Compare) {
  const std::vector<double> v = interestingNumbers();
  const auto n = static_cast<int64_t>(v.size() * v.size());
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64, ElementKind::F16, ElementKind::F8E5M2})
    for (int p = 0; p < 14; ++p) {
      Array a(kind, n), b(kind, n), out(ElementKind::I1, n);
      for (int64_t i = 0; i < n; ++i) {
        a.setNumber(i, v[static_cast<size_t>(i) % v.size()]);
        b.setNumber(i, v[static_cast<size_t>(i) / v.size()]);
      }
      Module m = emptyModule();
      FunctionBuilder f(m, "k");
      const Register pa = f.param(pointerTo(kind)), pb = f.param(pointerTo(kind)),
                     po = f.param(pointerTo(ElementKind::I1));
      f.store(f.rowMajorPointers(po, {n}),
              f.compare(static_cast<FloatPredicate>(p), f.load(f.rowMajorPointers(pa, {n})),
                        f.load(f.rowMajorPointers(pb, {n}))));
      f.finish();
      run(std::move(m), {}, a, b, out);
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(out.bits(i), compareFloats(static_cast<FloatPredicate>(p), a.number(i), b.number(i)))
            << p << " " << a.number(i) << " " << b.number(i);
    }
}

/// x * y + z of 16-bit floats by their bits.
uint16_t smallFma(ElementKind kind, const std::vector<uint16_t> &in) {
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(kind)), o = f.param(pointerTo(kind));
  Register v[3];
  for (int i = 0; i < 3; ++i)
    v[i] = f.load(f.addPtr(p, f.constInt(ElementKind::I32, i)));
  f.store(o, f.like(Opcode::Fma, {v[0], v[1], v[2]}));
  f.finish();
  uint16_t out = 0;
  run(std::move(m), {}, in.data(), &out);
  return out;
}

TEST(Float, FmaOf16BitsRoundsOnce) {
  // 683 * 3 is 2049, halfway between two f16; 2^-24 decides, and an f32 between would lose it.
  EXPECT_EQ(smallFma(ElementKind::F16, {0x6156, 0x4200, 0x0001}), 0x6801); // 2050
  EXPECT_EQ(smallFma(ElementKind::F16, {0x6156, 0x4200, 0x8001}), 0x6800); // 2048
  EXPECT_EQ(smallFma(ElementKind::F16, {0x6156, 0x4200, 0x0000}), 0x6800);
  EXPECT_EQ(smallFma(ElementKind::F16, {0x7bff, 0x4000, 0x0000}), 0x7c00);
  // 3 * 43 is 129, which is exact; 129 * 3 is 387, halfway between two bf16. The addend has 1e-38 of its size.
  EXPECT_EQ(smallFma(ElementKind::BF16, {0x4301, 0x4040, 0x0080}), 0x43c2); // 388
  EXPECT_EQ(smallFma(ElementKind::BF16, {0x4301, 0x4040, 0x8080}), 0x43c1); // 386
  EXPECT_EQ(smallFma(ElementKind::BF16, {0xc301, 0x4040, 0x8080}), 0xc3c2);
  EXPECT_EQ(smallFma(ElementKind::BF16, {0x7f80, 0x0000, 0x0000}) & 0x7fc0, 0x7fc0); // NaN
}

TEST(Float, FmaRoundsOnce) {
  // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 with a fused multiply-add; a rounded product loses it.
  const float x = 1.0f + 0x1p-12f;
  std::vector<float> in = {x, x, -(1.0f + 0x1p-11f)}, out(4);
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(ElementKind::F32)), o = f.param(pointerTo(ElementKind::F32));
  Register v[3];
  for (int i = 0; i < 3; ++i)
    v[i] = f.load(f.addPtr(p, f.constInt(ElementKind::I32, i)));
  const Register row = f.load(f.rowMajorPointers(p, {1}));
  f.store(o, f.like(Opcode::Fma, {v[0], v[1], v[2]}));
  // Again with a row operand, and with two of three operands repeated.
  const Register wide = f.op(Opcode::Broadcast, tile(ElementKind::F32, {3}), {row});
  f.store(f.rowMajorPointers(f.addPtr(o, f.constInt(ElementKind::I32, 1)), {3}),
          f.like(Opcode::Fma, {wide, f.splat(v[1], {3}), f.splat(v[2], {3})}));
  f.finish();
  run(std::move(m), {}, in.data(), out.data());
  for (float r : out)
    EXPECT_EQ(r, 0x1p-24f);
}

TEST(Float, UnaryExact) {
  std::vector<double> v = interestingNumbers();
  for (double x : {0.49999997, 2.5, -0.5, 8388609.0, 4194305.5, -1.5, 0.7})
    v.push_back(x);
  const auto n = static_cast<int64_t>(v.size());
  struct Case {
    Opcode op;
    double (*reference)(double);
  };
  const Case cases[] = {{Opcode::NegF, [](double x) { return -x; }},
                        {Opcode::AbsF, [](double x) { return std::fabs(x); }},
                        {Opcode::Ceil, [](double x) { return std::ceil(x); }},
                        {Opcode::Floor, [](double x) { return std::floor(x); }},
                        {Opcode::Trunc, [](double x) { return std::trunc(x); }},
                        {Opcode::Round, [](double x) { return std::round(x); }},
                        {Opcode::Sqrt, [](double x) { return std::sqrt(x); }}};
  for (ElementKind kind :
       {ElementKind::F32, ElementKind::F64, ElementKind::F16, ElementKind::BF16, ElementKind::F8E5M2})
    for (const Case &c : cases) {
      Array in(kind, n), out(kind, n);
      for (int64_t i = 0; i < n; ++i)
        in.setNumber(i, v[static_cast<size_t>(i)]);
      Module m = emptyModule();
      FunctionBuilder f(m, "k");
      const Register p = f.param(pointerTo(kind)), o = f.param(pointerTo(kind));
      f.store(f.rowMajorPointers(o, {n}), f.like(c.op, {f.load(f.rowMajorPointers(p, {n})) | kLastUse}));
      f.finish();
      run(std::move(m), {}, in, out);
      for (int64_t i = 0; i < n; ++i) {
        const FloatFormat &format = floatFormat(scalarType(kind));
        double expected = c.reference(in.number(i));
        if (kind != ElementKind::F64)
          expected = static_cast<float>(expected);
        expected = decodeFloat(format, encodeFloat(format, expected));
        expectSame(out.number(i), expected,
                   std::string(name(c.op)) + " " + std::string(name(kind)) + " of " + std::to_string(in.number(i)));
      }
    }
}

TEST(Float, ConstantsRoundToNearest) {
  for (ElementKind kind : kFloatKinds)
    for (double x : {0.1, 1.0 / 3, -2.7182818284590452, 1e10, -0.0, static_cast<double>(INFINITY), 465.0}) {
      Array out(kind, 3);
      Module m = emptyModule();
      FunctionBuilder f(m, "k");
      const Register o = f.param(pointerTo(kind));
      f.store(f.rowMajorPointers(o, {3}), f.constFloat(kind, x, {3}));
      f.finish();
      run(std::move(m), {}, out);
      for (int i = 0; i < 3; ++i)
        EXPECT_EQ(out.bits(i), kind == ElementKind::F8E5M2 && std::isinf(x)
                                   ? 0x7c // a constant may be infinite, although conversions saturate
                                   : encodeFloat(floatFormat(scalarType(kind)), x))
            << name(kind) << " " << x;
    }
}

} // namespace
