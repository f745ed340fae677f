// v_div_scale, v_div_fmas and v_div_fixup: with the steps between them, as LLVM puts them, they are IEEE's division.
#include "tests/emulator/tests/Machine.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tegula::emulator::test {
namespace {

/// v0 / v4 in f32 to v24.
const char *kSingle = "v_div_scale_f32 v10, MASK, v4, v4, v0\n"
                      "v_div_scale_f32 v11, VCC, v0, v4, v0\n"
                      "v_rcp_f32 v12, v10\n"
                      "v_fma_f32 v13, -v10, v12, 1.0\n"
                      "v_fma_f32 v12, v13, v12, v12\n"
                      "v_mul_f32 v13, v11, v12\n"
                      "v_fma_f32 v14, -v10, v13, v11\n"
                      "v_fma_f32 v13, v14, v12, v13\n"
                      "v_fma_f32 v14, -v10, v13, v11\n"
                      "v_div_fmas_f32 v14, v14, v12, v13\n"
                      "v_div_fixup_f32 v24, v14, v4, v0";
/// v[0:1] / v[4:5] in f64 to v[24:25].
const char *kDouble = "v_div_scale_f64 v[10:11], MASK, v[4:5], v[4:5], v[0:1]\n"
                      "v_rcp_f64 v[12:13], v[10:11]\n"
                      "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\n"
                      "v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\n"
                      "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\n"
                      "v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\n"
                      "v_div_scale_f64 v[16:17], VCC, v[0:1], v[4:5], v[0:1]\n"
                      "v_mul_f64 v[18:19], v[16:17], v[12:13]\n"
                      "v_fma_f64 v[10:11], -v[10:11], v[18:19], v[16:17]\n"
                      "v_div_fmas_f64 v[10:11], v[10:11], v[12:13], v[18:19]\n"
                      "v_div_fixup_f64 v[24:25], v[10:11], v[4:5], v[0:1]";
/// Halves of v0 and v4, by way of f32.
const char *kHalf = "v_cvt_f32_f16 v10, v0\n"
                    "v_cvt_f32_f16 v11, v4\n"
                    "v_rcp_f32 v11, v11\n"
                    "v_mul_f32 v10, v10, v11\n"
                    "v_cvt_f16_f32 v10, v10\n"
                    "v_div_fixup_f16 v24, v10, v4, v0";

std::string withMasks(std::string text, bool isWide) {
  for (auto [name, mask] :
       {std::pair<std::string, std::string>{"MASK", isWide ? "s[40:41]" : "s40"}, {"VCC", isWide ? "vcc" : "vcc_lo"}})
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), mask);
  return text;
}

template <class T> void checkDivision(const char *sequence, unsigned rounds, unsigned lastPlaces) {
  constexpr unsigned kWords = sizeof(T) == 8 ? 2 : 1;
  for (const std::string &target : kTargets) {
    Machine m(target);
    Random random(43);
    std::vector<Instruction> code = instructions(withMasks(sequence, m.wave.lanes == 64), target);
    for (unsigned round = 0; round < rounds; ++round) {
      m.fill(random);
      for (unsigned lane = 0; lane < m.wave.lanes; ++lane)
        for (unsigned at : {0u, 4u}) {
          uint64_t bits = anyValue(TypeOf<T>::type, random);
          if (at == 4 && chance(random, 3)) // quotients near the limits of the exponent, and near 1
            bits = (m.vector(0, lane, kWords) ^ random() % 16) & (sizeof(T) == 2 ? 0xffff : ~uint64_t(0));
          m.setVector(at, lane, bits, kWords);
        }
      m.run(code);
      for (unsigned lane = 0; lane < m.wave.lanes; ++lane) {
        T a = TypeOf<T>::from(m.vector(0, lane, kWords)), b = TypeOf<T>::from(m.vector(4, lane, kWords));
        uint64_t got = TypeOf<T>::bits(TypeOf<T>::from(m.vector(24, lane, kWords))), want = TypeOf<T>::bits(T(a / b));
        bool none = isNan(want, 8 * sizeof(T));
        ASSERT_TRUE(none ? isNan(got, 8 * sizeof(T)) : (got > want ? got - want : want - got) <= lastPlaces)
            << target << ": " << double(a) << " / " << double(b) << " gives " << std::hex << got << ", expected "
            << want;
      }
    }
  }
}

TEST(Division, Single) { checkDivision<float>(kSingle, 150, 0); }
TEST(Division, Double) { checkDivision<double>(kDouble, 150, 0); }
TEST(Division, Half) { checkDivision<_Float16>(kHalf, 50, 1); }

/// What scales: a denormal denominator, a tiny numerator, a quotient at one of the limits. The flag is VCC's, by which
/// v_div_fmas scales back.
TEST(Division, Scales) {
  struct Case {
    float value, denominator, numerator, result;
    bool flag;
  };
  const float tiny = 0x1p-140f, small = 0x1p-110f, big = 0x1p100f, huge = 0x1.8p127f;
  for (const Case &c :
       {Case{3, 3, 7, 3, false}, Case{7, 3, 7, 7, false}, Case{0, 0, 1, NAN, false}, Case{1, 0, 1, NAN, false},
        Case{small, small, big, small * 0x1p64f, true}, // the quotient overflows: the denominator
        Case{big, small, big, big, true},
        Case{tiny, tiny, 1e-30f, tiny * 0x1p64f, false}, // a denormal denominator: both
        Case{1e-30f, tiny, 1e-30f, 1e-30f * 0x1p64f, false},
        Case{huge, huge, 0.5f, huge * 0x1p-64f, true}, // and the quotient: the denominator
        Case{0.5f, huge, 0.5f, 0.5f, true},
        Case{huge, huge, 0x1p120f, huge * 0x1p-64f, false}, // its inverse alone: both
        Case{0x1p-80f, 0x1p60f, 0x1p-80f, 0x1p-16f, true},  // the quotient: the numerator
        Case{0x1p60f, 0x1p60f, 0x1p-80f, 0x1p60f, true},
        Case{0x1p-110f, 0x1p-100f, 0x1p-110f, 0x1p-46f, false}}) // a tiny numerator: both
  {
    Machine m("gfx1100");
    m.setVector(0, 0, std::bit_cast<uint32_t>(c.value));
    m.setVector(1, 0, std::bit_cast<uint32_t>(c.denominator));
    m.setVector(2, 0, std::bit_cast<uint32_t>(c.numerator));
    m.wave.setExec(1);
    m.run("v_div_scale_f32 v24, vcc_lo, v0, v1, v2");
    float got = std::bit_cast<float>(uint32_t(m.vector(24, 0)));
    EXPECT_TRUE(got == c.result || (c.result != c.result && got != got))
        << c.value << " of " << c.numerator << " / " << c.denominator << " gives " << got << ", expected " << c.result;
    EXPECT_EQ(m.wave.scalars[kVcc], c.flag) << c.value << " of " << c.numerator << " / " << c.denominator;
  }
}

} // namespace
} // namespace tegula::emulator::test
