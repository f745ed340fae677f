#include "tests/emulator/tests/Scalars.h"

#include <cmath>

namespace tegula::emulator::test {
namespace {

template <class T> bool isNone(T x) { return !(x == x); }
template <class T> bool before(T a, T b) {
  return a < b || (a == b && std::signbit(double(a)) > std::signbit(double(b)));
}
template <class T> T least(T a, T b) { return isNone(a) ? b : isNone(b) ? a : before(b, a) ? b : a; }
template <class T> T most(T a, T b) { return isNone(a) ? b : isNone(b) ? a : before(a, b) ? b : a; }

template <class T> void checkAll(const std::string &type) {
  auto s = [&](const std::string &names) {
    std::string all;
    for (const std::string &name : words(names))
      all += "s_" + name + "_" + type + " ";
    return all;
  };
  check(s("add"), [](T a, T b) { return T(a + b); });
  check(s("sub"), [](T a, T b) { return T(a - b); });
  check(s("mul"), [](T a, T b) { return T(a * b); });
  check(s("min min_num"), [](T a, T b) { return least(a, b); });
  check(s("max max_num"), [](T a, T b) { return most(a, b); });
  check(s("minimum"), [](T a, T b) { return isNone(a) ? a : isNone(b) ? b : least(a, b); });
  check(s("maximum"), [](T a, T b) { return isNone(a) ? a : isNone(b) ? b : most(a, b); });
  check(s("floor"), [](T a) { return T(std::floor(double(a))); });
  check(s("ceil"), [](T a) { return T(std::ceil(double(a))); });
  check(s("trunc"), [](T a) { return T(std::trunc(double(a))); });
  check(s("rndne"), [](T a) { return T(std::rint(double(a))); });
  enum : unsigned { kLess = 1, kEqual = 2, kGreater = 4, kNone = 8 };
  for (auto [name, holds] : {std::pair<const char *, unsigned>{"lt", kLess},
                             {"eq", kEqual},
                             {"le", kLess | kEqual},
                             {"gt", kGreater},
                             {"ge", kGreater | kEqual},
                             {"lg", kLess | kGreater},
                             {"o", kLess | kEqual | kGreater},
                             {"u", kNone},
                             {"nge", kLess | kNone},
                             {"nlg", kEqual | kNone},
                             {"ngt", kLess | kEqual | kNone},
                             {"nle", kGreater | kNone},
                             {"neq", kLess | kGreater | kNone},
                             {"nlt", kEqual | kGreater | kNone}})
    check("s_cmp_" + std::string(name) + "_" + type, [set = holds](T a, T b) {
      return OnlyScc{(set & (a < b ? kLess : a == b ? kEqual : a > b ? kGreater : kNone)) != 0};
    });
}

template <class To> To whole(double x) {
  if (!(x == x))
    return 0;
  double least = double(std::numeric_limits<To>::min()), most = double(std::numeric_limits<To>::max());
  return x <= least ? std::numeric_limits<To>::min() : x >= most ? std::numeric_limits<To>::max() : To(x);
}

TEST(ScalarFloat, F32) { checkAll<float>("f32"); }
TEST(ScalarFloat, F16) { checkAll<_Float16>("f16"); }

TEST(ScalarFloat, Sums) {
  check("s_fmac_f32", [](float a, float b, Old<float> c) { return std::fma(a, b, c.value); });
  for (const std::string &target : {"gfx1201"}) {
    Machine machine(target);
    Random random(9);
    for (unsigned round = 0; round < 50; ++round) {
      machine.fill(random);
      float a = TypeOf<float>::from(machine.wave.scalars[8]), b = TypeOf<float>::from(machine.wave.scalars[12]);
      machine.run("s_fmaak_f32 s24, s8, s12, 0x40490fdb\ns_fmamk_f32 s25, s8, 0x40490fdb, s12");
      float k = std::bit_cast<float>(0x40490fdb);
      for (auto [got, want] : {std::pair{machine.wave.scalars[24], std::fma(a, b, k)},
                               std::pair{machine.wave.scalars[25], std::fma(a, k, b)}})
        EXPECT_TRUE(TypeOf<float>::bits(want) == got || (want != want && isNan(got, 32)));
    }
  }
}

TEST(ScalarFloat, Conversions) {
  check("s_cvt_f32_i32", [](int32_t a) { return float(a); });
  check("s_cvt_f32_u32", [](uint32_t a) { return float(a); });
  check("s_cvt_i32_f32", [](float a) { return whole<int32_t>(a); });
  check("s_cvt_u32_f32", [](float a) { return whole<uint32_t>(a); });
  check("s_cvt_f16_f32", [](float a) { return _Float16(a); });
  check("s_cvt_f32_f16", [](_Float16 a) { return float(a); });
  check("s_cvt_hi_f32_f16", [](uint32_t a) { return float(TypeOf<_Float16>::from(a >> 16)); });
}

/// By the vector unit, with an operand in a scalar register; approximated, and not documented for denormal numbers.
TEST(ScalarFloat, Functions) {
  Machine machine("gfx1201");
  Random random(11);
  struct Function {
    const char *name;
    double (*f)(double);
  };
  for (auto [name, f] : {Function{"v_s_rcp_f32", [](double x) { return 1 / x; }},
                         Function{"v_s_rsq_f32", [](double x) { return 1 / std::sqrt(x); }},
                         Function{"v_s_sqrt_f32", [](double x) { return std::sqrt(x); }}})
    for (unsigned round = 0; round < 200; ++round) {
      uint32_t bits = uint32_t(anyValue(TypeOf<float>::type, random));
      double x = asDouble(bits, 32), want = f(x);
      if ((x != 0 && std::fabs(x) < 0x1p-126) || (want != 0 && std::fabs(want) < 0x1p-126))
        continue;
      machine.wave.scalars[8] = bits;
      machine.run(std::string(name) + " s24, s8");
      double got = asDouble(machine.wave.scalars[24], 32);
      EXPECT_TRUE((want != want && got != got) || got == want || std::fabs(got - want) <= 3e-7 * std::fabs(want))
          << name << " of " << x << " gives " << got << ", expected " << want;
    }
}

} // namespace
} // namespace tegula::emulator::test
