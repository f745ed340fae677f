// Matrix instructions against the plain product of matrices. Layouts are those of AMD's matrix instruction calculator,
// in its direction: from an element of a matrix to the lane and the register that hold it.
#include "tests/emulator/tests/Machine.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tegula::emulator::test {
namespace {

/// Where an element of a matrix is: `element` counts those that a lane's registers hold.
struct Spot {
  unsigned lane, element;
};

// --- element (row, k) of A, and (k, column) of B: `index` is the row or the column ---
template <unsigned extent, unsigned each> Spot operandSpot(unsigned index, unsigned k) {
  return {extent * (k / each) + index, k % each};
}
/// gfx12, 16-bit elements: four k in the lower lanes, four in the upper ones, four in the lower ones, ...
Spot gfx12Halves(unsigned index, unsigned k) { return {16 * (k / 4 % 2) + index, 4 * (k / 8) + k % 4}; }
/// gfx11: the whole depth in one lane, and once more in the lane 16 above.
Spot wholeSpot(unsigned index, unsigned k) { return {index, k}; }

// --- element (row, column) of C and D ---
Spot sum32(unsigned row, unsigned column) { return {32 * (row / 4) % 64 + column, 4 * (row / 8) + row % 4}; }
Spot sum16(unsigned row, unsigned column) { return {16 * (row / 4) + column, row % 4}; }
Spot sum64Bits(unsigned row, unsigned column) { return {16 * (row % 4) + column, row / 4}; }
Spot sumGfx11(unsigned row, unsigned column) { return {16 * row % 32 + column, row / 2}; }
Spot sumGfx12(unsigned row, unsigned column) { return {16 * (row / 8) + column, row % 8}; }

/// Elements of A or B: how many bits each, which ones a test takes, and the number that they mean, a multiple of 2^-17.
struct Format {
  unsigned bits;
  uint64_t (*draw)(Random &);
  double (*value)(uint64_t);
};

int between(Random &random, int64_t least, int64_t most) {
  return int(least + below(random, unsigned(most - least + 1)));
}
uint64_t anyByte(Random &random) { return below(random, 256); }

uint64_t bits32(double x) { return std::bit_cast<uint32_t>(float(x)); }
double value16(uint64_t bits) { return double(TypeOf<_Float16>::from(bits)); }
double value32(uint64_t bits) { return double(std::bit_cast<float>(uint32_t(bits))); }

const Format kF16 = {16, [](Random &r) { return TypeOf<_Float16>::bits(_Float16(between(r, -1023, 1023) / 32.0)); },
                     value16};
const Format kBf16 = {16, [](Random &r) { return bits32(between(r, -127, 127) / 8.0) >> 16; },
                      [](uint64_t bits) { return value32(bits << 16); }};
/// All 24 bits of the significand: products have 48.
const Format kF32 = {32, [](Random &r) { return bits32(between(r, -0xffffff, 0xffffff) * 0x1p-12); }, value32};
/// Numbers of which the 13 last bits of the significand are dropped: |x| becomes a multiple of 2^-10 of its power of
/// two.
const Format kXf32 = {32, [](Random &r) { return bits32(between(r, -0xffffff, 0xffffff) * 0x1p-12); },
                      [](uint64_t bits) {
                        double x = value32(bits);
                        if (x == 0)
                          return x;
                        double step = std::exp2(std::floor(std::log2(std::fabs(x))) - 10);
                        return std::trunc(x / step) * step;
                      }};
const Format kF64 = {64, [](Random &r) { return std::bit_cast<uint64_t>(between(r, -1 << 30, 1 << 30) / 7.0); },
                     [](uint64_t bits) { return std::bit_cast<double>(bits); }};
const Format kI8 = {8, anyByte, [](uint64_t bits) { return bits < 128 ? double(bits) : double(bits) - 256; }};
const Format kU8 = {8, anyByte, [](uint64_t bits) { return double(bits); }};

/// An 8-bit float with `digits` bits of fraction: (-1)^s * 1.f * 2^(e - bias), or 0.f * 2^(1 - bias) where e is 0.
template <int digits, int bias> double smallValue(uint64_t code) {
  int exponent = int(code >> digits) & ((1 << (7 - digits)) - 1);
  double fraction = double(code & ((1u << digits) - 1)) * std::exp2(-digits);
  double size = exponent == 0 ? fraction * std::exp2(1 - bias) : (1 + fraction) * std::exp2(exponent - bias);
  return code & 0x80 ? -size : size;
}
/// Finite numbers: magnitudes up to `greatest`. FNUZ has no negative zero.
template <unsigned greatest, bool fnuz> uint64_t smallCode(Random &random) {
  unsigned magnitude = below(random, greatest + 1);
  return (fnuz && magnitude == 0) || chance(random, 2) ? magnitude : magnitude | 0x80;
}
const Format kFp8Fnuz = {8, smallCode<0x7f, true>, smallValue<3, 8>};
const Format kBf8Fnuz = {8, smallCode<0x7f, true>, smallValue<2, 16>};
const Format kFp8 = {8, smallCode<0x7e, false>, smallValue<3, 7>};
const Format kBf8 = {8, smallCode<0x7b, false>, smallValue<2, 15>};

/// Elements of C and D.
struct Sum {
  unsigned bits;
  uint64_t (*draw)(Random &);
  /// The sum of c and of the products of a row and a column.
  uint64_t (*model)(uint64_t c, const std::vector<double> &row, const std::vector<double> &column, bool clamp);
};

/// Rounded once: exact as a count of 2^-34.
uint64_t floatSum(uint64_t c, const std::vector<double> &row, const std::vector<double> &column, bool) {
  auto count = [](double x, int exponent) { return __int128(std::ldexp(x, exponent)); };
  __int128 sum = count(value32(c), 34);
  for (size_t k = 0; k < row.size(); ++k)
    sum += count(row[k], 17) * count(column[k], 17);
  return std::bit_cast<uint32_t>(std::ldexp(float(sum), -34));
}
uint64_t doubleSum(uint64_t c, const std::vector<double> &row, const std::vector<double> &column, bool) {
  double sum = std::bit_cast<double>(c);
  for (size_t k = 0; k < row.size(); ++k)
    sum = std::fma(row[k], column[k], sum);
  return std::bit_cast<uint64_t>(sum);
}
uint64_t integerSum(uint64_t c, const std::vector<double> &row, const std::vector<double> &column, bool clamp) {
  int64_t sum = int32_t(uint32_t(c));
  for (size_t k = 0; k < row.size(); ++k)
    sum += int64_t(row[k]) * int64_t(column[k]);
  if (clamp)
    sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
  return uint32_t(sum);
}
const Sum kFloat = {32, [](Random &r) { return bits32(between(r, -0xfffff, 0xfffff) / 1024.0); }, floatSum};
const Sum kDouble = {64, [](Random &r) { return std::bit_cast<uint64_t>(between(r, -1 << 30, 1 << 30) / 3.0); },
                     doubleSum};
/// Half of them near the limits, where sums overflow.
const Sum kInteger = {32,
                      [](Random &r) {
                        auto any = uint32_t(r());
                        return uint64_t(chance(r, 2) ? any
                                                     : (chance(r, 2) ? 0x7fffffffu : 0x80000000u) ^ (any & 0xfff));
                      },
                      integerSum};

struct Shape {
  std::string names;
  unsigned extent, depth;
  Format a, b;
  Sum sum;
  std::vector<std::string> targets;
  unsigned each; // elements of an operand in a lane
  Spot (*operandAt)(unsigned index, unsigned k);
  Spot (*sumAt)(unsigned row, unsigned column);
};

const std::vector<std::string> kCdna = {"gfx90a", "gfx942"}, kRdna3 = {"gfx1100", "gfx1151"}, kRdna4 = {"gfx1201"};

/// The instruction of 32 x 32 or 16 x 16, by its depth.
Shape mfma32(const std::string &names, unsigned depth, const Format &a, const Format &b, const Sum &sum,
             Spot (*operandAt)(unsigned, unsigned)) {
  return {names, 32, depth, a, b, sum, kCdna, depth / 2, operandAt, sum32};
}
Shape mfma16(const std::string &names, unsigned depth, const Format &a, const Format &b, const Sum &sum,
             Spot (*operandAt)(unsigned, unsigned)) {
  return {names, 16, depth, a, b, sum, kCdna, depth / 4, operandAt, sum.bits == 64 ? sum64Bits : sum16};
}
Shape wmma11(const std::string &names, const Format &a, const Format &b, const Sum &sum) {
  return {names, 16, 16, a, b, sum, kRdna3, 16, wholeSpot, sumGfx11};
}
Shape wmma12(const std::string &names, const Format &a, const Format &b, const Sum &sum) {
  return {names, 16, 16, a, b, sum, kRdna4, 8, a.bits == 16 ? gfx12Halves : operandSpot<16, 8>, sumGfx12};
}

std::vector<Shape> shapes() {
  std::vector<Shape> all = {
      mfma32("v_mfma_f32_32x32x8f16 v_mfma_f32_32x32x8_f16", 8, kF16, kF16, kFloat, operandSpot<32, 4>),
      mfma16("v_mfma_f32_16x16x16f16 v_mfma_f32_16x16x16_f16", 16, kF16, kF16, kFloat, operandSpot<16, 4>),
      mfma32("v_mfma_f32_32x32x8bf16_1k v_mfma_f32_32x32x8_bf16", 8, kBf16, kBf16, kFloat, operandSpot<32, 4>),
      mfma16("v_mfma_f32_16x16x16bf16_1k v_mfma_f32_16x16x16_bf16", 16, kBf16, kBf16, kFloat, operandSpot<16, 4>),
      mfma32("v_mfma_f32_32x32x2f32 v_mfma_f32_32x32x2_f32", 2, kF32, kF32, kFloat, operandSpot<32, 1>),
      mfma16("v_mfma_f32_16x16x4f32 v_mfma_f32_16x16x4_f32", 4, kF32, kF32, kFloat, operandSpot<16, 1>),
      mfma16("v_mfma_f64_16x16x4f64 v_mfma_f64_16x16x4_f64", 4, kF64, kF64, kDouble, operandSpot<16, 1>),
      mfma32("v_mfma_i32_32x32x8i8", 8, kI8, kI8, kInteger, operandSpot<32, 4>),
      mfma16("v_mfma_i32_16x16x16i8", 16, kI8, kI8, kInteger, operandSpot<16, 4>),
      mfma32("v_mfma_i32_32x32x16_i8", 16, kI8, kI8, kInteger, operandSpot<32, 8>),
      mfma16("v_mfma_i32_16x16x32_i8", 32, kI8, kI8, kInteger, operandSpot<16, 8>),
      mfma32("v_mfma_f32_32x32x4_xf32", 4, kXf32, kXf32, kFloat, operandSpot<32, 2>),
      mfma16("v_mfma_f32_16x16x8_xf32", 8, kXf32, kXf32, kFloat, operandSpot<16, 2>),
      wmma11("v_wmma_f32_16x16x16_f16", kF16, kF16, kFloat),
      wmma11("v_wmma_f32_16x16x16_bf16", kBf16, kBf16, kFloat),
      wmma12("v_wmma_f32_16x16x16_f16", kF16, kF16, kFloat),
      wmma12("v_wmma_f32_16x16x16_bf16", kBf16, kBf16, kFloat),
  };
  for (bool isBrainA : {false, true})
    for (bool isBrainB : {false, true}) {
      std::string types = std::string(isBrainA ? "_bf8" : "_fp8") + (isBrainB ? "_bf8" : "_fp8");
      const Format &a = isBrainA ? kBf8Fnuz : kFp8Fnuz, &b = isBrainB ? kBf8Fnuz : kFp8Fnuz;
      all.push_back(mfma32("v_mfma_f32_32x32x16" + types, 16, a, b, kFloat, operandSpot<32, 8>));
      all.push_back(mfma16("v_mfma_f32_16x16x32" + types, 32, a, b, kFloat, operandSpot<16, 8>));
      all.push_back(wmma12("v_wmma_f32_16x16x16" + types, isBrainA ? kBf8 : kFp8, isBrainB ? kBf8 : kFp8, kFloat));
    }
  return all;
}

/// Element `e` of the registers from `first` on.
void setElement(Machine &m, std::vector<uint32_t> &file, unsigned first, Spot at, unsigned bits, uint64_t value) {
  unsigned begin = at.element * bits;
  uint32_t &word = file[(first + begin / 32) * m.wave.lanes + at.lane];
  if (bits == 64)
    file[(first + begin / 32 + 1) * m.wave.lanes + at.lane] = uint32_t(value >> 32);
  if (bits >= 32) {
    word = uint32_t(value);
    return;
  }
  uint32_t mask = ((1u << bits) - 1) << begin % 32;
  word = (word & ~mask) | uint32_t(value) << begin % 32;
}
uint64_t elementAt(Machine &m, const std::vector<uint32_t> &file, unsigned first, Spot at, unsigned bits) {
  uint32_t word = file[(first + at.element * bits / 32) * m.wave.lanes + at.lane];
  return bits == 32 ? word : word | uint64_t(file[(first + at.element * 2 + 1) * m.wave.lanes + at.lane]) << 32;
}

constexpr unsigned kA = 0, kB = 8, kC = 16, kD = 32;

/// The instruction with `modifiers`, D, C in vector registers or accumulators.
std::string textOf(const Shape &shape, const std::string &name, unsigned lanes, const std::string &modifiers,
                   bool inAccumulators) {
  unsigned sums = shape.extent * shape.extent / lanes * shape.sum.bits / 32, operand = shape.each * shape.a.bits / 32;
  char letter = inAccumulators ? 'a' : 'v';
  return name + " " + registers(letter, kD, sums) + ", " + registers('v', kA, operand) + ", " +
         registers('v', kB, operand) + ", " + registers(letter, kC, sums) + modifiers;
}

/// A: a row's, B: a column's elements by k.
void checkShape(const Shape &shape, const std::string &name, const std::string &target, bool inAccumulators,
                const std::string &modifiers = "", bool clamp = false) {
  Machine m(target);
  Random random(29);
  m.fill(random);
  unsigned extent = shape.extent;
  std::vector<std::vector<double>> a(extent), b(extent);
  std::vector<uint64_t> c(extent * extent);
  auto place = [&](std::vector<double> &to, const Format &format, unsigned first, unsigned index) {
    for (unsigned k = 0; k < shape.depth; ++k) {
      uint64_t bits = format.draw(random);
      to.push_back(format.value(bits));
      Spot at = shape.operandAt(index, k);
      setElement(m, m.wave.vectors, first, at, format.bits, bits);
      if (shape.operandAt == wholeSpot)
        setElement(m, m.wave.vectors, first, {at.lane + 16, at.element}, format.bits, bits);
    }
  };
  std::vector<uint32_t> &file = inAccumulators ? m.wave.accumulators : m.wave.vectors;
  for (unsigned row = 0; row < extent; ++row) {
    place(a[row], shape.a, kA, row);
    place(b[row], shape.b, kB, row);
    for (unsigned column = 0; column < extent; ++column) {
      c[row * extent + column] = shape.sum.draw(random);
      setElement(m, file, kC, shape.sumAt(row, column), shape.sum.bits, c[row * extent + column]);
    }
  }
  m.run(textOf(shape, name, m.wave.lanes, modifiers, inAccumulators));
  for (unsigned row = 0; row < extent; ++row)
    for (unsigned column = 0; column < extent; ++column)
      ASSERT_EQ(elementAt(m, file, kD, shape.sumAt(row, column), shape.sum.bits),
                shape.sum.model(c[row * extent + column], a[row], b[column], clamp))
          << target << " " << name << modifiers << ", row " << row << ", column " << column;
}

TEST(Matrix, Products) {
  for (const Shape &shape : shapes())
    for (const std::string &target : shape.targets)
      for (const std::string &name : words(shape.names)) {
        bool isCdna = target.starts_with("gfx9");
        std::vector<Instruction> code = instructions(textOf(shape, name, isCdna ? 64 : 32, "", false), target);
        if (code.empty() || code[0].name != name)
          continue; // the other architecture's name
        checkShape(shape, name, target, false);
        if (isCdna)
          checkShape(shape, name, target, true);
      }
}

/// neg_lo says which operands are signed; `clamp` saturates.
TEST(Matrix, BytesWithAndWithoutSign) {
  const std::string name = "v_wmma_i32_16x16x16_iu8";
  for (bool isSignedA : {false, true})
    for (bool isSignedB : {false, true})
      for (bool clamp : {false, true}) {
        std::string modifiers = !isSignedA && !isSignedB ? ""
                                                         : std::string(" neg_lo:[") + (isSignedA ? "1," : "0,") +
                                                               (isSignedB ? "1,0]" : "0,0]");
        modifiers += clamp ? " clamp" : "";
        const Format &a = isSignedA ? kI8 : kU8, &b = isSignedB ? kI8 : kU8;
        for (const std::string &target : kRdna3)
          checkShape(wmma11(name, a, b, kInteger), name, target, false, modifiers, clamp);
        checkShape(wmma12(name, a, b, kInteger), name, "gfx1201", false, modifiers, clamp);
      }
}

/// The element (0, 0) of D, where A and B hold `a` and `b` there, C holds `c`, and all else is zero: two registers, of
/// which the second one belongs to the element only where it has 64 bits.
uint64_t first(const std::string &target, const std::string &text, uint64_t a, uint64_t b, uint64_t c = 0) {
  Machine m(target);
  m.setVector(kA, 0, a, 2);
  m.setVector(kB, 0, b, 2);
  m.setVector(kC, 0, c, 2);
  m.run(text);
  return m.vector(kD, 0, 2);
}

/// gfx90a takes denormal f16, bf16 and their sums for zero; its f32 and f64 instructions, and gfx942, keep them.
TEST(Matrix, DenormalNumbers) {
  constexpr uint64_t kOneHalf = 0x3c00, kOneBrain = 0x3f80, kOne = 0x3f800000, kOneDouble = 0x3ff0000000000000;
  const std::string ofTwo = " v[32:35], v[0:1], v[8:9], v[16:19]", ofOne = " v[32:35], v0, v8, v[16:19]";
  EXPECT_EQ(first("gfx90a", "v_mfma_f32_16x16x16f16" + ofTwo, 1, kOneHalf), 0u);
  EXPECT_EQ(first("gfx90a", "v_mfma_f32_16x16x16f16" + ofTwo, kOneHalf, 1), 0u);
  EXPECT_EQ(first("gfx90a", "v_mfma_f32_16x16x16f16" + ofTwo, 0, 0, 1), 0u);
  EXPECT_EQ(first("gfx90a", "v_mfma_f32_16x16x16bf16_1k" + ofTwo, 1, kOneBrain), 0u);
  EXPECT_EQ(first("gfx942", "v_mfma_f32_16x16x16_f16" + ofTwo, 1, kOneHalf), bits32(0x1p-24));
  EXPECT_EQ(first("gfx942", "v_mfma_f32_16x16x16_f16" + ofTwo, 0, 0, 1), 1u);
  EXPECT_EQ(first("gfx90a", "v_mfma_f32_16x16x4f32" + ofOne, 1, kOne), 1u);
  EXPECT_EQ(first("gfx90a", "v_mfma_f32_16x16x4f32" + ofOne, 0, kOne, 5), 5u);
  EXPECT_EQ(first("gfx90a", "v_mfma_f64_16x16x4f64 v[32:39], v[0:1], v[8:9], v[16:23]", 1, kOneDouble, 1), 2u);
  EXPECT_EQ(first("gfx942", "v_mfma_f32_16x16x8_xf32" + ofTwo, 0x2001, kOne), 0x2000u);
}

/// NaN and infinity of 8-bit floats.
TEST(Matrix, SpecialBytes) {
  auto cdna = [](uint64_t a, uint64_t b) {
    std::string text = "v_mfma_f32_16x16x32_fp8_bf8 v[32:35], v[0:1], v[8:9], v[16:19]";
    return std::bit_cast<float>(uint32_t(first("gfx942", text, a, b)));
  };
  auto rdna = [](uint64_t a, uint64_t b) {
    std::string text = "v_wmma_f32_16x16x16_fp8_bf8 v[32:39], v[0:1], v[8:9], v[16:23]";
    return std::bit_cast<float>(uint32_t(first("gfx1201", text, a, b)));
  };
  EXPECT_TRUE(std::isnan(cdna(0x80, 0)));
  EXPECT_TRUE(std::isnan(cdna(0, 0x80)));
  EXPECT_EQ(cdna(0x7f, 0x7f), 240.0f * 57344.0f);
  EXPECT_TRUE(std::isnan(rdna(0xff, 0)));
  EXPECT_TRUE(std::isnan(rdna(0, 0x7d)));
  EXPECT_EQ(rdna(0x7e, 0x7c), HUGE_VALF);
  EXPECT_EQ(rdna(0x7e, 0x7b), 448.0f * 57344.0f);
}

/// C may be a constant.
TEST(Matrix, ConstantAddend) {
  Machine cdna("gfx942"), rdna("gfx1201");
  cdna.run("v_mfma_f64_16x16x4_f64 v[32:39], v[0:1], v[2:3], 1.0");
  EXPECT_EQ(cdna.vector(38, 63, 2), std::bit_cast<uint64_t>(1.0));
  cdna.run("v_mfma_f32_16x16x4_f32 v[32:35], v0, v2, -2.0");
  EXPECT_EQ(cdna.vector(35, 63), bits32(-2));
  cdna.run("v_mfma_i32_16x16x32_i8 v[32:35], v[0:1], v[2:3], -5");
  EXPECT_EQ(cdna.vector(34, 17), uint32_t(-5));
  rdna.run("v_wmma_i32_16x16x16_iu8 v[32:39], v[0:1], v[2:3], 7");
  EXPECT_EQ(rdna.vector(39, 31), 7u);
}

/// Modifiers of a matrix instruction that the emulator does not have, and lanes that are missing, are faults.
TEST(Matrix, WhatIsNotThereIsAFault) {
  Machine cdna("gfx942"), rdna("gfx1100");
  EXPECT_THROW(cdna.run("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3] cbsz:1"), Fault);
  EXPECT_THROW(rdna.run("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] neg_lo:[0,0,1]"), Fault);
  EXPECT_THROW(cdna.run("v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7] neg:[1,0,0]"), Fault);
  EXPECT_THROW(rdna.run("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] neg_lo:[1,0,0]"), Fault);
  EXPECT_THROW(rdna.run("v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[12:15], v[0:7] neg_lo:[0,0,1]"), Fault);
  rdna.setVector(9, 20, 0x100);
  EXPECT_THROW(rdna.run("v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[12:15], v[0:7]"), Fault); // no copy
  cdna.wave.setExec(1);
  EXPECT_THROW(cdna.run("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]"), Fault);
}

} // namespace
} // namespace tegula::emulator::test
