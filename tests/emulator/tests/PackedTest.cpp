// Instructions on two elements at once, and those that mix f16 with f32.
#include "tests/emulator/tests/Machine.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tegula::emulator::test {
namespace {

enum class Element : uint8_t { Unsigned, Signed, Float };

struct PackedRow {
  const char *name;
  Element element;
  unsigned sources;
  bool clamps; // `clamp` is documented
  double (*model)(double a, double b, double c);
};

double shifted(double x, double n, bool left) {
  return left ? std::ldexp(x, int(n) & 15) : std::floor(std::ldexp(x, -(int(n) & 15)));
}

/// Integers are exact in f64, and so are sums and products of f16 before they are rounded.
const PackedRow kPacked16[] = {
    {"v_pk_add_u16", Element::Unsigned, 2, true, [](double a, double b, double) { return a + b; }},
    {"v_pk_sub_u16", Element::Unsigned, 2, true, [](double a, double b, double) { return a - b; }},
    {"v_pk_mul_lo_u16", Element::Unsigned, 2, false, [](double a, double b, double) { return a * b; }},
    {"v_pk_mad_u16", Element::Unsigned, 3, true, [](double a, double b, double c) { return a * b + c; }},
    {"v_pk_lshlrev_b16", Element::Unsigned, 2, false, [](double n, double x, double) { return shifted(x, n, true); }},
    {"v_pk_lshrrev_b16", Element::Unsigned, 2, false, [](double n, double x, double) { return shifted(x, n, false); }},
    {"v_pk_min_u16", Element::Unsigned, 2, false, [](double a, double b, double) { return a < b ? a : b; }},
    {"v_pk_max_u16", Element::Unsigned, 2, false, [](double a, double b, double) { return a < b ? b : a; }},
    {"v_pk_add_i16", Element::Signed, 2, true, [](double a, double b, double) { return a + b; }},
    {"v_pk_sub_i16", Element::Signed, 2, true, [](double a, double b, double) { return a - b; }},
    {"v_pk_mad_i16", Element::Signed, 3, true, [](double a, double b, double c) { return a * b + c; }},
    {"v_pk_ashrrev_i16", Element::Signed, 2, false, [](double n, double x, double) { return shifted(x, n, false); }},
    {"v_pk_min_i16", Element::Signed, 2, false, [](double a, double b, double) { return a < b ? a : b; }},
    {"v_pk_max_i16", Element::Signed, 2, false, [](double a, double b, double) { return a < b ? b : a; }},
    {"v_pk_add_f16", Element::Float, 2, true, [](double a, double b, double) { return a + b; }},
    {"v_pk_mul_f16", Element::Float, 2, true, [](double a, double b, double) { return a * b; }},
};

uint16_t bitsOf(double result, Element element, bool clamp) {
  if (element == Element::Float) {
    if (clamp)
      result = result > 0 ? std::min(result, 1.0) : 0;
    return TypeOf<_Float16>::bits(_Float16(result));
  }
  if (clamp)
    result = element == Element::Unsigned ? std::max(0.0, std::min(result, 65535.0))
                                          : std::max(-32768.0, std::min(result, 32767.0));
  return uint16_t(int64_t(result));
}

/// Modifiers of one source of a packed instruction.
struct Source {
  enum : uint8_t { kVector, kScalar, kInline } kind = kVector;
  bool lowUpper = false, highUpper = true, negateLow = false, negateHigh = false;
  uint32_t constant = 0;
  std::string text;
};

std::string listOf(const std::vector<Source> &sources, bool Source::*flag) {
  std::string text = "[";
  for (const Source &s : sources)
    text += s.*flag ? "1," : "0,";
  text.back() = ']';
  return text;
}

std::vector<Source> anySources(unsigned count, bool isFloat, bool is32, Random &random) {
  std::vector<Source> sources(count);
  bool hasConstant = chance(random, 3); // at most one scalar or constant
  unsigned constantAt = below(random, count);
  for (unsigned i = 0; i < count; ++i) {
    Source &s = sources[i];
    s.lowUpper = chance(random, 3);
    s.highUpper = !chance(random, 3);
    s.negateLow = isFloat && chance(random, 3);
    s.negateHigh = isFloat && chance(random, 3);
    s.text = registers('v', 4 * i, is32 ? 2 : 1);
    if (!hasConstant || i != constantAt)
      continue;
    if (chance(random, 2)) {
      s.kind = Source::kScalar;
      s.text = registers('s', 8, is32 ? 2 : 1);
      continue;
    }
    s.kind = Source::kInline;
    int value = int(below(random, 81)) - 16;
    s.text = isFloat ? "-4.0" : std::to_string(value);
    s.constant = isFloat ? (is32 ? 0xc0800000 : 0xc400) : uint32_t(value);
    if (is32)
      s.lowUpper = false, s.highUpper = false; // both are the constant
  }
  return sources;
}

std::string textOf(const std::string &name, unsigned resultWords, const std::vector<Source> &sources, bool isFloat,
                   bool clamp) {
  std::string text = name + " " + registers('v', 24, resultWords);
  for (const Source &s : sources)
    text += ", " + s.text;
  text += " op_sel:" + listOf(sources, &Source::lowUpper) + " op_sel_hi:" + listOf(sources, &Source::highUpper);
  if (isFloat)
    text += " neg_lo:" + listOf(sources, &Source::negateLow) + " neg_hi:" + listOf(sources, &Source::negateHigh);
  return text + (clamp ? " clamp" : "");
}

TEST(Packed, Halves) {
  for (const std::string &target : kTargets) {
    Machine m(target);
    Random random(31);
    for (const PackedRow &row : kPacked16)
      for (unsigned round = 0; round < 40; ++round) {
        bool isFloat = row.element == Element::Float, clamp = row.clamps && chance(random, 3);
        std::vector<Source> sources = anySources(row.sources, isFloat, false, random);
        std::string text = textOf(row.name, 1, sources, isFloat, clamp);
        m.fill(random);
        m.wave.setExec(random64(random) & m.allLanes());
        Type type = isFloat ? TypeOf<_Float16>::type : TypeOf<uint16_t>::type;
        auto pair = [&] { return anyValue(type, random) | anyValue(type, random) << 16; };
        for (unsigned i = 0; i < row.sources; ++i)
          for (unsigned lane = 0; lane < m.wave.lanes; ++lane)
            m.setVector(4 * i, lane, pair());
        m.wave.scalars[8] = uint32_t(pair());
        Wave before = m.wave;
        m.run(text);
        for (unsigned lane = 0; lane < m.wave.lanes; ++lane) {
          uint32_t got = uint32_t(m.vector(24, lane));
          if (!before.isActive(lane)) {
            ASSERT_EQ(got, before.vectors[24 * before.lanes + lane]);
            continue;
          }
          for (unsigned half = 0; half < 2; ++half) {
            double x[3] = {};
            for (unsigned i = 0; i < row.sources; ++i) {
              const Source &s = sources[i];
              uint32_t word = s.kind == Source::kVector   ? before.vectors[4 * i * before.lanes + lane]
                              : s.kind == Source::kScalar ? before.scalars[8]
                                                          : s.constant;
              uint16_t bits = uint16_t((half ? s.highUpper : s.lowUpper) ? word >> 16 : word);
              bits = uint16_t(bits ^ ((half ? s.negateHigh : s.negateLow) ? 0x8000 : 0));
              x[i] = isFloat                          ? asDouble(bits, 16)
                     : row.element == Element::Signed ? double(int16_t(bits))
                                                      : double(bits);
            }
            uint16_t want = bitsOf(row.model(x[0], x[1], x[2]), row.element, clamp), part = uint16_t(got >> 16 * half);
            ASSERT_TRUE(part == want || (isFloat && isNan(part, 16) && isNan(want, 16)))
                << target << " '" << text << "' half " << half << " of " << x[0] << " " << x[1] << " gives " << std::hex
                << part << ", expected " << want;
          }
        }
      }
  }
}

struct FloatRow {
  const char *name;
  unsigned sources;
  float (*model)(float a, float b, float c);
};
const FloatRow kPacked32[] = {
    {"v_pk_add_f32", 2, [](float a, float b, float) { return a + b; }},
    {"v_pk_mul_f32", 2, [](float a, float b, float) { return a * b; }},
    {"v_pk_fma_f32", 3, [](float a, float b, float c) { return std::fma(a, b, c); }},
};

TEST(Packed, Floats) {
  for (const std::string &target : {"gfx90a", "gfx942"}) {
    Machine m(target);
    Random random(37);
    for (const FloatRow &row : kPacked32)
      for (unsigned round = 0; round < 40; ++round) {
        std::vector<Source> sources = anySources(row.sources, true, true, random);
        bool clamp = chance(random, 4);
        std::string text = textOf(row.name, 2, sources, true, clamp);
        m.fill(random);
        for (unsigned i = 0; i < row.sources; ++i)
          for (unsigned word = 0; word < 2; ++word)
            for (unsigned lane = 0; lane < m.wave.lanes; ++lane)
              m.setVector(4 * i + word, lane, anyValue(TypeOf<float>::type, random));
        m.wave.scalars[8] = std::bit_cast<uint32_t>(1.5f), m.wave.scalars[9] = std::bit_cast<uint32_t>(-7.25f);
        Wave before = m.wave;
        m.run(text);
        for (unsigned lane = 0; lane < m.wave.lanes; ++lane)
          for (unsigned half = 0; half < 2; ++half) {
            float x[3] = {};
            for (unsigned i = 0; i < row.sources; ++i) {
              const Source &s = sources[i];
              unsigned upper = half ? s.highUpper : s.lowUpper;
              uint32_t bits = s.kind == Source::kVector   ? before.vectors[(4 * i + upper) * before.lanes + lane]
                              : s.kind == Source::kScalar ? before.scalars[8 + upper]
                                                          : s.constant;
              x[i] = std::bit_cast<float>(bits) * ((half ? s.negateHigh : s.negateLow) ? -1 : 1);
            }
            float want = row.model(x[0], x[1], x[2]);
            if (clamp)
              want = want > 0 ? std::min(want, 1.0f) : 0;
            uint32_t got = uint32_t(m.vector(24 + half, lane));
            ASSERT_TRUE(got == std::bit_cast<uint32_t>(want) || (isNan(got, 32) && std::isnan(want))) << target << text;
          }
      }
    m.run("v_pk_mov_b32 v[24:25], v[0:1], v[4:5] op_sel:[1,0]\nv_pk_mov_b32 v[26:27], v[0:1], v[4:5] op_sel:[0,1]");
    for (unsigned lane = 0; lane < m.wave.lanes; ++lane)
      for (auto [to, from] : {std::pair{24u, 1u}, std::pair{25u, 4u}, std::pair{26u, 0u}, std::pair{27u, 5u}})
        ASSERT_EQ(m.vector(to, lane), m.vector(from, lane));
  }
}

/// v_fma_mix: op_sel_hi makes a source an f16, of the half that op_sel names.
TEST(Packed, Mixed) {
  for (const std::string &target : kTargets) {
    Machine m(target);
    Random random(41);
    for (const std::string &name : {"v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16"})
      for (unsigned round = 0; round < 60; ++round) {
        m.fill(random);
        m.wave.setExec(random64(random) & m.allLanes());
        unsigned halves = below(random, 8), uppers = below(random, 8), negates = below(random, 8),
                 absolutes = below(random, 8);
        bool clamp = chance(random, 4);
        std::string text = name + " v24";
        for (unsigned i = 0; i < 3; ++i) {
          std::string source = registers('v', 4 * i, 1);
          source = absolutes >> i & 1 ? "|" + source + "|" : source;
          text += ", " + ((negates >> i & 1 ? "-" : "") + source);
          for (unsigned lane = 0; lane < m.wave.lanes; ++lane) {
            Type type = halves >> i & 1 ? TypeOf<_Float16>::type : TypeOf<float>::type;
            uint64_t value = anyValue(type, random);
            m.setVector(4 * i, lane, type.bits == 16 ? value | anyValue(type, random) << 16 : value);
          }
        }
        auto list = [](unsigned bits) {
          return std::string("[") + (bits & 1 ? "1," : "0,") + (bits & 2 ? "1," : "0,") + (bits & 4 ? "1]" : "0]");
        };
        text += " op_sel:" + list(uppers) + " op_sel_hi:" + list(halves) + (clamp ? " clamp" : "");
        Wave before = m.wave;
        m.run(text);
        for (unsigned lane = 0; lane < m.wave.lanes; ++lane) {
          uint32_t old = before.vectors[24 * before.lanes + lane], got = uint32_t(m.vector(24, lane));
          if (!before.isActive(lane)) {
            ASSERT_EQ(got, old);
            continue;
          }
          float x[3];
          for (unsigned i = 0; i < 3; ++i) {
            uint32_t word = before.vectors[4 * i * before.lanes + lane];
            x[i] = halves >> i & 1 ? float(TypeOf<_Float16>::from(uppers >> i & 1 ? word >> 16 : word))
                                   : std::bit_cast<float>(word);
            x[i] = absolutes >> i & 1 ? std::fabs(x[i]) : x[i];
            x[i] = negates >> i & 1 ? -x[i] : x[i];
          }
          using Quad = __float128;
          Quad product = Quad(x[0]) * Quad(x[1]), z = Quad(x[2]), sum = product + z;
          Quad back = sum - product, rest = (product - (sum - back)) + (z - back); // what the sum's rounding lost
          bool isNone = !(sum == sum);
          if (clamp)
            sum = sum > 0 ? (sum < 1 ? sum : Quad(1)) : Quad(0), rest = sum > 0 && sum < 1 ? rest : Quad(0),
            isNone = false;
          uint32_t want;
          unsigned bits = name == "v_fma_mix_f32" ? 32 : 16, shift = name == "v_fma_mixhi_f16" ? 16 : 0;
          if (bits == 32) {
            float single = std::fma(x[0], x[1], x[2]);
            want = std::bit_cast<uint32_t>(clamp ? (single > 0 ? std::min(single, 1.0f) : 0.0f) : single);
          } else {
            want = TypeOf<_Float16>::bits(toHalf(sum, rest > 0 ? 1 : rest < 0 ? -1 : 0));
            ASSERT_EQ(got >> (16 - shift) & 0xffff, old >> (16 - shift) & 0xffff) << target << text;
            got = got >> shift & 0xffff;
          }
          ASSERT_TRUE(got == want || (isNone && isNan(got, bits)))
              << target << " '" << text << "' of " << x[0] << " " << x[1] << " " << x[2] << " gives " << std::hex << got
              << ", expected " << want;
        }
      }
  }
}

} // namespace
} // namespace tegula::emulator::test
