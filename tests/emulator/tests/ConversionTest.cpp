#include "tests/emulator/tests/Machine.h"
#include "tests/emulator/tests/Vectors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tegula::emulator::test {
namespace {

/// Towards zero, saturated; NaN is 0.
template <class To> To whole(double x) {
  if (!(x == x))
    return 0;
  if (x >= double(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return x <= double(std::numeric_limits<To>::min()) ? std::numeric_limits<To>::min() : To(x);
}

/// The f16 next to x towards zero; infinities stay.
uint16_t halfTowardsZero(float x) {
  if (!std::isfinite(x))
    return TypeOf<_Float16>::bits(_Float16(x));
  unsigned best = 0;
  for (unsigned bits = 0x7bff, step = 0x4000; step; step /= 2) // by halves: the greatest that is not above |x|
    if ((best | step) <= bits && double(TypeOf<_Float16>::from(best | step)) <= std::fabs(double(x)))
      best |= step;
  return uint16_t(best | (std::signbit(x) ? 0x8000 : 0));
}

TEST(Conversion, Numbers) {
  std::vector<Row> rows = {
      row("v_cvt_f32_f16", [](_Float16 a) { return float(a); }),
      row("v_cvt_f32_f64", [](double a) { return float(a); }),
      row("v_cvt_f32_i32", [](int32_t a) { return float(a); }),
      row("v_cvt_f32_u32", [](uint32_t a) { return float(a); }),
      row("v_cvt_f64_f32", [](float a) { return double(a); }),
      row("v_cvt_f64_i32", [](int32_t a) { return double(a); }),
      row("v_cvt_f64_u32", [](uint32_t a) { return double(a); }),
      row("v_cvt_f16_f32", [](float a) { return _Float16(a); }),
      row("v_cvt_f16_i16", [](int16_t a) { return _Float16(a); }),
      row("v_cvt_f16_u16", [](uint16_t a) { return _Float16(a); }),
      row("v_cvt_i32_f32", [](float a) { return whole<int32_t>(a); }),
      row("v_cvt_u32_f32", [](float a) { return whole<uint32_t>(a); }),
      row("v_cvt_i32_f64", [](double a) { return whole<int32_t>(a); }),
      row("v_cvt_u32_f64", [](double a) { return whole<uint32_t>(a); }),
      row("v_cvt_i16_f16", [](_Float16 a) { return whole<int16_t>(double(a)); }).with(Upper::Either),
      row("v_cvt_u16_f16", [](_Float16 a) { return whole<uint16_t>(double(a)); }).with(Upper::Either),
      row("v_cvt_flr_i32_f32 v_cvt_floor_i32_f32", [](float a) { return whole<int32_t>(std::floor(a)); }),
      row("v_cvt_rpi_i32_f32 v_cvt_nearest_i32_f32",
          [](float a) { return whole<int32_t>(std::floor(double(a) + 0.5)); }),
      row("v_cvt_i32_i16", [](int16_t a) { return int32_t(a); }),
      row("v_cvt_u32_u16", [](uint16_t a) { return uint32_t(a); }),
      row("v_cvt_pkrtz_f16_f32 v_cvt_pk_rtz_f16_f32",
          [](float a, float b) { return halfTowardsZero(a) | uint32_t(halfTowardsZero(b)) << 16; })
          .where([](const uint64_t *x) { return !isNan(x[0], 32) && !isNan(x[1], 32); }),
  };
  for (unsigned byte = 0; byte < 4; ++byte)
    rows.push_back(row("v_cvt_f32_ubyte" + std::to_string(byte),
                       [byte](uint32_t a) { return float(a / (1u << 8 * byte) % 256); }));
  checkRows(rows);
}

/// f32 of an 8-bit float: OCP's formats, or (`fnuz`) those of gfx942, whose bias is greater by one and whose only
/// special code is 0x80, NaN.
float fromByte(uint8_t code, unsigned digits, bool fnuz) {
  int bias = (1 << (6 - digits)) - 1 + fnuz, exponent = code >> digits & ((1 << (7 - digits)) - 1);
  int fraction = code & ((1 << digits) - 1);
  float sign = code >> 7 ? -1 : 1;
  if (fnuz ? code == 0x80 : digits == 3 ? (code & 0x7f) == 0x7f : exponent == 31 && fraction)
    return NAN;
  if (!fnuz && digits == 2 && exponent == 31)
    return sign * HUGE_VALF;
  double size = exponent ? std::ldexp(fraction + (1 << digits), exponent - 1) : fraction;
  return sign * float(std::ldexp(size, 1 - bias - int(digits)));
}

/// The nearest code, by trying all of them; of two, the even one. Beyond the greatest number: what MODE's default (no
/// saturation) makes of it, NaN or infinity.
uint8_t toByte(float x, unsigned digits, bool fnuz) {
  if (x != x)
    return fnuz ? 0x80 : 0x7f;
  unsigned sign = std::signbit(x) ? 0x80 : 0, best = 0, overflow = fnuz ? 0x80 : digits == 3 ? 0x7f : 0x7c;
  double size = std::fabs(double(x)), nearest = HUGE_VAL, greatest = 0;
  for (unsigned code = 0; code < 128; ++code) {
    double value = double(fromByte(uint8_t(code), digits, fnuz));
    if (!std::isfinite(value))
      continue;
    double distance = std::fabs(value - size);
    if (distance < nearest || (distance == nearest && code % 2 == 0))
      nearest = distance, best = code;
    greatest = std::max(greatest, value);
  }
  double step = greatest - double(fromByte(uint8_t((fnuz ? 0x7f : digits == 3 ? 0x7e : 0x7b) - 1), digits, fnuz));
  bool isBeyond = size > greatest + step / 2 || (size == greatest + step / 2 && best % 2);
  if (isBeyond)
    return uint8_t(fnuz ? 0x80 : sign | overflow);
  return uint8_t(best == 0 && fnuz ? 0 : sign | best);
}

struct SmallFloat {
  const char *name;
  unsigned digits;
};

class EightBits : public ::testing::TestWithParam<std::string> {
protected:
  EightBits() : machine(GetParam()), fnuz(machine.isGfx9()) {}
  void SetUp() override {
    if (GetParam() != "gfx942" && GetParam() != "gfx1201")
      GTEST_SKIP() << "it has no 8-bit floats";
  }
  static uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
  static bool same(uint32_t actual, float expected) {
    return expected != expected ? isNan(actual, 32) : actual == bits(expected);
  }
  Machine machine;
  bool fnuz;
  Random random{3};
};

TEST_P(EightBits, ToF32) {
  for (auto [name, digits] : {SmallFloat{"fp8", 3}, SmallFloat{"bf8", 2}})
    for (unsigned byte = 0; byte < 4; ++byte) {
      std::string text = std::string("v_cvt_f32_") + name;
      if (byte && fnuz)
        text += "_sdwa v24, v0 src0_sel:BYTE_" + std::to_string(byte);
      else
        text += byte ? "_e64 v24, v0 byte_sel:" + std::to_string(byte) : " v24, v0";
      for (unsigned round = 0; round < 8; ++round) {
        machine.fill(random);
        for (unsigned lane = 0; lane < machine.wave.lanes; ++lane) // all codes, in turns
          machine.setVector(0, lane, (round * 32 + lane) % 256 << 8 * byte);
        machine.run(text);
        for (unsigned lane = 0; lane < machine.wave.lanes; ++lane) {
          uint8_t code = uint8_t(machine.vector(0, lane) >> 8 * byte);
          ASSERT_TRUE(same(uint32_t(machine.vector(24, lane)), fromByte(code, digits, fnuz)))
              << text << " of code " << unsigned(code) << " gives " << std::hex << machine.vector(24, lane);
        }
      }
    }
}

TEST_P(EightBits, PairsToF32) {
  for (auto [name, digits] : {SmallFloat{"fp8", 3}, SmallFloat{"bf8", 2}})
    for (bool upper : {false, true}) {
      std::string text = std::string("v_cvt_pk_f32_") + name;
      text += !upper ? " v[24:25], v0" : fnuz ? "_sdwa v[24:25], v0 src0_sel:WORD_1" : "_e64 v[24:25], v0 op_sel:[1,0]";
      for (unsigned round = 0; round < 4; ++round) {
        machine.fill(random);
        machine.run(text);
        for (unsigned lane = 0; lane < machine.wave.lanes; ++lane) {
          uint64_t codes = machine.vector(0, lane) >> (upper ? 16 : 0);
          ASSERT_TRUE(same(uint32_t(machine.vector(24, lane)), fromByte(uint8_t(codes), digits, fnuz))) << text;
          ASSERT_TRUE(same(uint32_t(machine.vector(25, lane)), fromByte(uint8_t(codes >> 8), digits, fnuz))) << text;
        }
      }
    }
}

TEST_P(EightBits, FromF32) {
  for (auto [name, digits] : {SmallFloat{"fp8", 3}, SmallFloat{"bf8", 2}})
    for (bool upper : {false, true})
      for (bool negate : {false, true})
        for (unsigned round = 0; round < 8; ++round) {
          std::string text = std::string("v_cvt_pk_") + name + "_f32 v24, " + (negate ? "-v0" : "v0") + ", v4" +
                             (upper ? " op_sel:[0,0,1]" : "");
          machine.fill(random);
          for (unsigned lane = 0; lane < machine.wave.lanes; ++lane) {
            float near = std::ldexp(float(int(random() % 4096) - 2048), int(below(random, 24)) - 20);
            machine.setVector(0, lane, bits(near));
            machine.setVector(4, lane, anyValue(TypeOf<float>::type, random));
          }
          std::vector<uint32_t> before = machine.wave.vectors;
          machine.run(text);
          for (unsigned lane = 0; lane < machine.wave.lanes; ++lane) {
            float a = std::bit_cast<float>(uint32_t(machine.vector(0, lane))) * (negate ? -1 : 1);
            float b = std::bit_cast<float>(uint32_t(machine.vector(4, lane)));
            uint32_t pair = toByte(a, digits, fnuz) | uint32_t(toByte(b, digits, fnuz)) << 8,
                     old = before[24 * machine.wave.lanes + lane], got = uint32_t(machine.vector(24, lane));
            // A NaN's sign is not documented.
            uint32_t ignored = b != b && !fnuz ? 0x8000 : 0, shift = upper ? 16 : 0;
            ASSERT_EQ(got >> (16 - shift) & 0xffff, old >> (16 - shift) & 0xffff) << text;
            ASSERT_EQ((got >> shift & 0xffff) | ignored, pair | ignored) << text << " of " << a << " and " << b;
          }
        }
}

INSTANTIATE_TEST_SUITE_P(Conversion, EightBits, ::testing::ValuesIn(kTargets),
                         [](const auto &target) { return target.param; });

} // namespace
} // namespace tegula::emulator::test
