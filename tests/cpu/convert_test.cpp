// Conversions, exhaustively for the small formats and for every instruction set's kernels, against FloatFormats.
#include "backends/cpu/kernels/KernelTable.h"
#include "tests/cpu/Harness.h"

#include <cmath>

using namespace tegula;
using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

bool sameCode(const FloatFormat &format, uint64_t a, uint64_t b) {
  return a == b || (std::isnan(decodeFloat(format, a)) && std::isnan(decodeFloat(format, b)));
}

TEST(Convert, KernelsDecodeEveryCode) {
  const KernelTables tables = availableKernels();
  for (size_t t = 0; t < tables.count; ++t)
    for (ElementKind kind : kSmallFloatKinds) {
      const FloatFormat &format = floatFormat(scalarType(kind));
      const size_t count = size_t{1} << (8 * byteSize(kind));
      Array codes(kind, count);
      for (size_t i = 0; i < count; ++i)
        codes.setBits(i, i);
      std::vector<float> out(count);
      const void *in[1] = {codes.data()};
      tables.tables[t]->toF32[static_cast<size_t>(kind)](out.data(), in, count, 0);
      for (size_t i = 0; i < count; ++i) {
        const double expected = decodeFloat(format, i);
        if (std::isnan(expected))
          ASSERT_TRUE(std::isnan(out[i])) << tables.tables[t]->name << " " << name(kind) << " code " << i;
        else
          ASSERT_EQ(std::bit_cast<uint32_t>(out[i]), std::bit_cast<uint32_t>(static_cast<float>(expected)))
              << tables.tables[t]->name << " " << name(kind) << " code " << i;
      }
    }
}

/// For each code of the format its value, the midpoints to its neighbours and the floats next to both; then random
/// bits.
std::vector<float> criticalInputs(const FloatFormat &format) {
  std::vector<float> v;
  const size_t count = size_t{1} << (1 + format.exponentBits + format.mantissaBits);
  for (size_t code = 0; code < count; ++code) {
    const double x = decodeFloat(format, code), next = decodeFloat(format, code + 1 < count ? code + 1 : code);
    if (!std::isfinite(x))
      continue;
    for (double point : {x, (x + next) / 2, x * 1.03125}) {
      const auto f = static_cast<float>(point);
      v.insert(v.end(), {f, std::nextafter(f, INFINITY), std::nextafter(f, -INFINITY)});
    }
  }
  std::mt19937 random(7);
  for (int i = 0; i < 100000; ++i)
    v.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  v.insert(v.end(), {INFINITY, -INFINITY, NAN, -NAN, 3.4e38f, -3.4e38f, 1e-45f, -1e-45f, 0.0f, -0.0f});
  return v;
}

TEST(Convert, KernelsEncodeAroundEveryCode) {
  const KernelTables tables = availableKernels();
  for (ElementKind kind : kSmallFloatKinds) {
    const FloatFormat &format = floatFormat(scalarType(kind));
    const std::vector<float> inputs = criticalInputs(format);
    for (int mode = 0; mode < 2; ++mode)
      for (size_t t = 0; t < tables.count; ++t) {
        Array out(kind, inputs.size());
        const void *in[1] = {inputs.data()};
        tables.tables[t]->fromF32[mode][static_cast<size_t>(kind)](out.data(), in, inputs.size(), 0);
        for (size_t i = 0; i < inputs.size(); ++i)
          ASSERT_TRUE(sameCode(format, out.bits(i), encodeFloat(format, inputs[i], mode)))
              << tables.tables[t]->name << " " << name(kind) << " mode " << mode << " of " << std::hexfloat << inputs[i]
              << ": " << out.bits(i) << ", expected " << encodeFloat(format, inputs[i], mode);
      }
  }
}

/// Converts through the executor.
Array convert(Opcode op, Array &in, ElementKind to, std::vector<int64_t> attributes = {}) {
  const auto n = static_cast<int64_t>(in.size());
  Array out(to, in.size());
  Module m = emptyModule();
  FunctionBuilder f(m, "k");
  const Register p = f.param(pointerTo(in.kind())), o = f.param(pointerTo(to));
  f.store(f.rowMajorPointers(o, {n}), f.op(op, tile(to, {n}), {f.load(f.rowMajorPointers(p, {n}))}, attributes));
  f.finish();
  run(std::move(m), {}, in, out);
  return out;
}

TEST(Convert, FromF64RoundsOnce) {
  for (ElementKind kind : kFloatKinds) {
    const FloatFormat &format = floatFormat(scalarType(kind));
    std::vector<double> inputs;
    // Next to midpoints, closer than f32 resolves: a conversion through f32 would round twice.
    for (uint64_t code = 1; code < 200; ++code) {
      const double a = decodeFloat(format, code * 3), b = decodeFloat(format, code * 3 + 1), middle = (a + b) / 2;
      for (double x :
           {middle, std::nextafter(middle, INFINITY), std::nextafter(middle, -INFINITY), -std::nextafter(middle, 0.0)})
        inputs.push_back(x);
    }
    std::mt19937_64 random(3);
    for (int i = 0; i < 20000; ++i)
      inputs.push_back(std::bit_cast<double>(random()));
    for (int i = 0; i < 20000; ++i)
      inputs.push_back(std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 80) - 100));
    inputs.insert(inputs.end(), {1e300, -1e300, 1e-300, INFINITY, -INFINITY, NAN, 0.0, -0.0});
    Array in(ElementKind::F64, inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
      in.setBits(i, std::bit_cast<uint64_t>(inputs[i]));
    for (int64_t mode : {0, 1}) {
      const Array out = convert(Opcode::ConvertF, in, kind, {mode});
      for (size_t i = 0; i < inputs.size(); ++i)
        ASSERT_TRUE(sameCode(format, out.bits(i), encodeFloat(format, inputs[i], mode)))
            << name(kind) << " mode " << mode << " of " << std::hexfloat << inputs[i] << ": " << out.bits(i)
            << ", expected " << encodeFloat(format, inputs[i], mode);
    }
  }
}

TEST(Convert, BetweenAllFloatTypes) {
  for (ElementKind from : kSmallFloatKinds)
    for (ElementKind to : kFloatKinds) {
      if (from == to) // no conversion: infinities stay
        continue;
      const size_t count = size_t{1} << (8 * byteSize(from));
      Array in(from, count);
      for (size_t i = 0; i < count; ++i)
        in.setBits(i, i);
      const Array out = convert(Opcode::ConvertF, in, to, {0});
      const FloatFormat &format = floatFormat(scalarType(to));
      for (size_t i = 0; i < count; ++i)
        ASSERT_TRUE(sameCode(format, out.bits(i), encodeFloat(format, in.number(i))))
            << name(from) << " to " << name(to) << " code " << i;
    }
}

TEST(Convert, IntegerToFloatRoundsOnce) {
  for (ElementKind from : kIntegerKinds)
    for (ElementKind to : kFloatKinds)
      for (bool isSigned : {true, false}) {
        const unsigned bits = 8 * byteSize(from);
        std::vector<int64_t> v = interestingIntegers(bits, 3000, 11);
        for (int shift = 8; shift < 63; ++shift) // next to midpoints of 8-, 11- and 24-bit mantissas
          for (int64_t d : {-1, 0, 1})
            for (int64_t top : {0x181, 0xc01, 0x1800001})
              v.push_back(wrap(static_cast<int64_t>(static_cast<uint64_t>(top) << shift >> 8) + d, bits));
        Array in(from, v.size());
        for (size_t i = 0; i < v.size(); ++i)
          in.setBits(i, static_cast<uint64_t>(v[i]));
        const Array out = convert(isSigned ? Opcode::SIToF : Opcode::UIToF, in, to);
        const FloatFormat &format = floatFormat(scalarType(to));
        for (size_t i = 0; i < v.size(); ++i) {
          // long double holds 64-bit integers exactly; the reference takes doubles, so the sticky bit is set here.
          const auto exact = isSigned ? static_cast<long double>(in.integer(i)) : static_cast<long double>(in.bits(i));
          auto asDouble = static_cast<double>(exact);
          if (to != ElementKind::F64 && asDouble != exact) {
            if (std::fabs(static_cast<long double>(asDouble)) > std::fabs(exact))
              asDouble = std::nextafter(asDouble, 0.0);
            asDouble = std::bit_cast<double>(std::bit_cast<uint64_t>(asDouble) | 1);
          }
          ASSERT_EQ(out.bits(i), encodeFloat(format, asDouble))
              << name(from) << " to " << name(to) << " of " << in.integer(i);
        }
      }
}

TEST(Convert, FloatToIntegerTruncatesAndSaturates) {
  const double v[] = {
      0,         -0.0,   0.9,          -0.9,         1.5,           -1.5,          126.9,        127.5,
      128,       -128.9, -129,         255.7,        256,           32767,         32768,        -32769,
      65535,     65536,  2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0,
      9.2e18,    9.3e18, -9.3e18,      1.8e19,       1.9e19,        1e30,          -1e30,        INFINITY,
      -INFINITY, NAN};
  for (ElementKind from : {ElementKind::F32, ElementKind::F64, ElementKind::F16, ElementKind::BF16})
    for (ElementKind to : kIntegerKinds)
      for (bool isSigned : {true, false}) {
        Array in(from, std::size(v));
        for (size_t i = 0; i < std::size(v); ++i)
          in.setNumber(i, v[i]);
        const Array out = convert(isSigned ? Opcode::FToSI : Opcode::FToUI, in, to);
        const unsigned bits = 8 * byteSize(to);
        for (size_t i = 0; i < std::size(v); ++i) {
          const long double x = std::trunc(static_cast<long double>(in.number(i)));
          const long double top = std::ldexp(1.0L, static_cast<int>(isSigned ? bits - 1 : bits)),
                            low = isSigned ? -top : 0;
          uint64_t expected = 0;
          if (!std::isnan(x))
            expected = x >= top   ? (isSigned ? (uint64_t{1} << (bits - 1)) - 1 : ~uint64_t{0})
                       : x <= low ? (isSigned ? uint64_t{1} << (bits - 1) : 0)
                       : x < 0    ? static_cast<uint64_t>(static_cast<int64_t>(x))
                                  : static_cast<uint64_t>(x);
          ASSERT_EQ(out.integer(i), wrap(static_cast<int64_t>(expected), bits))
              << name(from) << " to " << name(to) << (isSigned ? " signed " : " unsigned ") << in.number(i);
        }
      }
}

TEST(Convert, BitcastKeepsBits) {
  const std::pair<ElementKind, ElementKind> pairs[] = {{ElementKind::F32, ElementKind::I32},
                                                       {ElementKind::I32, ElementKind::F32},
                                                       {ElementKind::F16, ElementKind::BF16},
                                                       {ElementKind::I8, ElementKind::F8E4M3},
                                                       {ElementKind::F64, ElementKind::I64}};
  for (auto [from, to] : pairs) {
    Array in(from, 64);
    std::mt19937_64 random(5);
    for (size_t i = 0; i < 64; ++i)
      in.setBits(i, random());
    const Array out = convert(Opcode::Bitcast, in, to);
    for (size_t i = 0; i < 64; ++i)
      EXPECT_EQ(out.bits(i), in.bits(i));
  }
}

TEST(Convert, BoolToNumbers) {
  for (ElementKind to : {ElementKind::I32, ElementKind::F32, ElementKind::F16})
    for (bool isSigned : {true, false}) {
      Array in(ElementKind::I1, 5);
      for (size_t i = 0; i < 5; ++i)
        in.setBits(i, i % 2);
      const bool toInt = to == ElementKind::I32;
      const Array out = convert(
          toInt ? (isSigned ? Opcode::ExtS : Opcode::ExtU) : (isSigned ? Opcode::SIToF : Opcode::UIToF), in, to);
      for (size_t i = 0; i < 5; ++i) {
        const int expected = i % 2 ? (isSigned ? -1 : 1) : 0;
        EXPECT_EQ(toInt ? static_cast<double>(out.integer(i)) : out.number(i), expected);
      }
    }
}

} // namespace
