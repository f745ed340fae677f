// Matrix instructions of a wave: D = A * B + C. An instruction is a row of data: a shape, the formats of the elements
// of A and B, and a kind of sum.
//
// Layouts: AMD's instruction set manuals and AMD's matrix instruction calculator.
//
// Sums of floats: the hardware's order of additions is not documented. Sums in f32 are formed in f64, where products of
// all formats are exact, and rounded to f32 once, at the end; sums in f64 are fused multiply-adds in the order of k.
// Sums of integers wrap.
//
// Denormal numbers: gfx90a takes those of f16 and bf16 operands, and denormal sums of these instructions, for zero. Its
// instructions on f32 and f64, and all other architectures, keep them. Sources: AMD's documentation of MIOpen, "MI200
// MFMA behavior specifics", which names F16, BF16 and BF16_1K; PyTorch's note "Numerical accuracy", which states that
// f32 and f64 are kept.
#include "tests/emulator/Conversions.h"
#include "tests/emulator/Wave.h"

#include <algorithm>

namespace tegula::emulator {
namespace {

/// Which lane holds which elements of the matrices of D = A * B + C. A is extent x depth, B is depth x extent, C and D
/// are extent x extent.
///
/// A and B: lane l holds elements of row l % extent of A, and of column l % extent of B. The lanes that share a row
/// divide its depth: lane l holds part l / extent of it. With `copies`, each lane holds the whole depth, and lane l
/// holds the same elements as lane l % extent. Element e of a lane is in bits [e * width, (e + 1) * width) of the
/// lane's registers.
///
/// C and D: lane l holds elements of column l % extent. Groups of `run` consecutive rows are dealt to the lanes of a
/// column in turns, the first group to the lane with the lowest number. A lane's elements are its rows in ascending
/// order:
///
///   32 x 32 in 64 lanes, run 4         16 x 16 in 64 lanes, run 1
///   rows     lanes    elements         rows            lanes    elements
///   0 - 3    0 - 31   0 - 3            0, 4, 8, 12     0 - 15   0, 1, 2, 3
///   4 - 7    32 - 63  0 - 3            1, 5, 9, 13     16 - 31  0, 1, 2, 3
///   8 - 11   0 - 31   4 - 7            2, 6, 10, 14    32 - 47  0, 1, 2, 3
struct Shape {
  unsigned lanes, extent, depth, run;
  bool copies;

  constexpr unsigned groups() const { return lanes / extent; } // lanes of a row
  constexpr unsigned each() const { return copies ? depth : depth / groups(); }
  constexpr unsigned sums() const { return extent * extent / lanes; }
  constexpr unsigned part(unsigned lane) const { return copies ? 0 : lane / extent; }
  constexpr unsigned row(unsigned lane, unsigned element) const {
    return element / run * run * groups() + lane / extent * run + element % run;
  }
};
constexpr Shape mfma(unsigned extent, unsigned depth, unsigned run = 4) { return {64, extent, depth, run, false}; }
constexpr Shape kGfx11 = {32, 16, 16, 1, true};
/// Of 16-bit operands the hardware has another order of k, the same in A and B, which sums do not depend on.
constexpr Shape kGfx12 = {32, 16, 16, 8, false};

/// The format of the elements of A or B: their bits, and the value of these, exact in f64.
struct Format {
  unsigned width;
  double (*read)(uint64_t bits);
};
double half(uint64_t bits) { return double(halfToFloat(uint16_t(bits))); }
double brain(uint64_t bits) { return double(std::bit_cast<float>(uint32_t(bits) << 16)); }
double single(uint64_t bits) { return double(std::bit_cast<float>(uint32_t(bits))); }
double flushed(double value, double leastNormal) {
  return std::abs(value) < leastNormal ? std::copysign(0.0, value) : value;
}
constexpr Format kHalf = {16, half};
constexpr Format kBrain = {16, brain};
constexpr Format kHalfFlushed = {16, [](uint64_t bits) { return flushed(half(bits), 0x1p-14); }};
constexpr Format kBrainFlushed = {16, [](uint64_t bits) { return flushed(brain(bits), 0x1p-126); }};
constexpr Format kSingle = {32, single};
constexpr Format kDouble = {64, [](uint64_t bits) { return std::bit_cast<double>(bits); }};
/// f32 of which the instruction reads the 10 upper bits of the mantissa: truncated, not rounded. AMD does not document
/// it; Xie et al., "MMA-Sim", compared their model with gfx942 bit by bit.
constexpr Format kTruncated = {32, [](uint64_t bits) { return single(bits & ~uint64_t(0x1fff)); }};
constexpr Format kSigned = {8, [](uint64_t bits) { return double(int8_t(bits)); }};
constexpr Format kUnsigned = {8, [](uint64_t bits) { return double(uint8_t(bits)); }};
/// 8-bit floats of gfx942.
constexpr Format kFp8Fnuz = {8, [](uint64_t bits) { return double(smallToFloat(uint8_t(bits), 8, 3, true)); }};
constexpr Format kBf8Fnuz = {8, [](uint64_t bits) { return double(smallToFloat(uint8_t(bits), 16, 2, true)); }};
/// 8-bit floats of OCP.
constexpr Format kFp8 = {8, [](uint64_t bits) { return double(smallToFloat(uint8_t(bits), 7, 3, false)); }};
constexpr Format kBf8 = {8, [](uint64_t bits) { return double(smallToFloat(uint8_t(bits), 15, 2, false)); }};

/// The elements of C and D, and how products are added to them. Sums of integers are exact in f64.
struct Sum {
  unsigned width;
  double (*read)(uint64_t bits);
  double (*add)(double sum, double a, double b);
  uint64_t (*bits)(double sum, bool clamp);
};
double add(double sum, double a, double b) { return sum + a * b; }
uint64_t roundedBits(double sum, bool) { return std::bit_cast<uint32_t>(float(sum)); }
uint64_t integerBits(double sum, bool clamp) {
  return uint32_t(int64_t(clamp ? std::clamp(sum, -0x1p31, 0x1p31 - 1) : sum));
}
constexpr Sum kRounded = {32, single, add, roundedBits};
constexpr Sum kRoundedFlushed = {
    32, [](uint64_t bits) { return flushed(single(bits), 0x1p-126); }, add,
    [](double sum, bool clamp) { return roundedBits(flushed(double(float(sum)), 0x1p-126), clamp); }};
constexpr Sum kFused = {64, kDouble.read, [](double sum, double a, double b) { return std::fma(a, b, sum); },
                        [](double sum, bool) { return std::bit_cast<uint64_t>(sum); }};
constexpr Sum kInteger = {32, [](uint64_t bits) { return double(int32_t(uint32_t(bits))); }, add, integerBits};

/// Element `e` of those that a lane's registers hold.
uint64_t elementOf(const Wave &w, const Operand &o, unsigned lane, unsigned e, unsigned width) {
  unsigned first = e * width;
  uint64_t word = w.word(o, lane, first / 32);
  if (width == 64)
    return word | uint64_t(w.word(o, lane, first / 32 + 1)) << 32;
  return word >> first % 32 & ((uint64_t(1) << width) - 1);
}

/// C may be a constant, which all its elements have.
uint64_t addendOf(const Wave &w, const Operand &c, unsigned lane, unsigned e, unsigned width) {
  if (c.isRegister())
    return elementOf(w, c, lane, e, width);
  return width == 64 ? w.scalar64(c) : w.scalar32(c);
}

/// The rows of A, or the columns of B, each with its depth.
template <Shape shape, const Format &format>
std::vector<double> operandOf(const Wave &w, const Instruction &i, const Operand &o) {
  std::vector<double> values(size_t(shape.extent) * shape.depth);
  for (unsigned lane = 0; lane < shape.lanes; ++lane)
    for (unsigned e = 0; e < shape.each(); ++e) {
      double value = format.read(elementOf(w, o, lane, e, format.width));
      double &cell = values[(lane % shape.extent) * shape.depth + shape.part(lane) * shape.each() + e];
      if (shape.copies && lane >= shape.extent && std::bit_cast<uint64_t>(cell) != std::bit_cast<uint64_t>(value) &&
          !(cell != cell && value != value))
        throw Fault("the upper lanes of an operand of '" + i.text + "' do not hold copies of the lower ones");
      cell = value;
    }
  return values;
}

/// Modifiers that an instruction may have.
struct Modifiers {
  uint8_t negLo = 0;
  bool clamp = false;
};
void check(const Wave &w, const Instruction &i, unsigned lanes, Modifiers known = {}) {
  if (i.codes != std::array<uint32_t, 4>{} || (i.negLo & ~known.negLo) || i.negHi || (i.clamp && !known.clamp))
    throw Fault("'" + i.text + "' has a modifier that the emulator does not know");
  if (w.lanes != lanes || w.exec() != (lanes == 64 ? ~uint64_t(0) : 0xffffffff))
    throw Fault("'" + i.text + "' is executed with some lanes inactive");
}

/// D may be in the registers of an operand: it is written when all is read.
template <Shape shape, const Format &formatA, const Format &formatB, const Sum &sums>
void product(Wave &w, const Instruction &i) {
  std::vector<double> a = operandOf<shape, formatA>(w, i, i.operands[1]);
  std::vector<double> b = operandOf<shape, formatB>(w, i, i.operands[2]);
  std::array<uint64_t, shape.sums()> results[shape.lanes];
  for (unsigned lane = 0; lane < shape.lanes; ++lane)
    for (unsigned e = 0; e < shape.sums(); ++e) {
      const double *row = &a[shape.row(lane, e) * shape.depth], *column = &b[lane % shape.extent * shape.depth];
      double sum = sums.read(addendOf(w, i.operands[3], lane, e, sums.width));
      for (unsigned k = 0; k < shape.depth; ++k)
        sum = sums.add(sum, row[k], column[k]);
      results[lane][e] = sums.bits(sum, i.clamp);
    }
  for (unsigned lane = 0; lane < shape.lanes; ++lane)
    for (unsigned e = 0; e < shape.sums(); ++e)
      for (unsigned word = 0; word < sums.width / 32; ++word)
        w.setWord(i.operands[0], lane, uint32_t(results[lane][e] >> 32 * word), e * (sums.width / 32) + word);
}

template <Shape shape, const Format &formatA, const Format &formatB, const Sum &sums>
void multiply(Wave &w, const Instruction &i) {
  check(w, i, shape.lanes);
  product<shape, formatA, formatB, sums>(w, i);
}

/// WMMA: the same name is another shape on gfx12.
template <const Format &formatA, const Format &formatB, const Sum &sums>
void productOfFamily(Wave &w, const Instruction &i) {
  if (w.family == Family::Gfx12)
    product<kGfx12, formatA, formatB, sums>(w, i);
  else
    product<kGfx11, formatA, formatB, sums>(w, i);
}

template <const Format &formatA, const Format &formatB, const Sum &sums> void wmma(Wave &w, const Instruction &i) {
  check(w, i, 32);
  productOfFamily<formatA, formatB, sums>(w, i);
}

/// iu8: bit 0 of neg_lo says that A is signed, bit 1 that B is; `clamp` saturates the sums.
void wmmaOfBytes(Wave &w, const Instruction &i) {
  static constexpr Handler kBySigns[] = {
      productOfFamily<kUnsigned, kUnsigned, kInteger>, productOfFamily<kSigned, kUnsigned, kInteger>,
      productOfFamily<kUnsigned, kSigned, kInteger>, productOfFamily<kSigned, kSigned, kInteger>};
  check(w, i, 32, {.negLo = 3, .clamp = true});
  kBySigns[i.negLo](w, i);
}

} // namespace

void addMatrix(HandlerTable &t) {
  // Names of gfx90a, then those of gfx942.
  t.emplace_back("v_mfma_f32_32x32x8f16", multiply<mfma(32, 8), kHalfFlushed, kHalfFlushed, kRoundedFlushed>);
  t.emplace_back("v_mfma_f32_16x16x16f16", multiply<mfma(16, 16), kHalfFlushed, kHalfFlushed, kRoundedFlushed>);
  t.emplace_back("v_mfma_f32_32x32x8bf16_1k", multiply<mfma(32, 8), kBrainFlushed, kBrainFlushed, kRoundedFlushed>);
  t.emplace_back("v_mfma_f32_16x16x16bf16_1k", multiply<mfma(16, 16), kBrainFlushed, kBrainFlushed, kRoundedFlushed>);
  t.emplace_back("v_mfma_f32_32x32x2f32", multiply<mfma(32, 2), kSingle, kSingle, kRounded>);
  t.emplace_back("v_mfma_f32_16x16x4f32", multiply<mfma(16, 4), kSingle, kSingle, kRounded>);
  t.emplace_back("v_mfma_f64_16x16x4f64", multiply<mfma(16, 4, 1), kDouble, kDouble, kFused>);
  t.emplace_back("v_mfma_i32_32x32x8i8", multiply<mfma(32, 8), kSigned, kSigned, kInteger>);
  t.emplace_back("v_mfma_i32_16x16x16i8", multiply<mfma(16, 16), kSigned, kSigned, kInteger>);

  t.emplace_back("v_mfma_f32_32x32x8_f16", multiply<mfma(32, 8), kHalf, kHalf, kRounded>);
  t.emplace_back("v_mfma_f32_16x16x16_f16", multiply<mfma(16, 16), kHalf, kHalf, kRounded>);
  t.emplace_back("v_mfma_f32_32x32x8_bf16", multiply<mfma(32, 8), kBrain, kBrain, kRounded>);
  t.emplace_back("v_mfma_f32_16x16x16_bf16", multiply<mfma(16, 16), kBrain, kBrain, kRounded>);
  t.emplace_back("v_mfma_f32_32x32x2_f32", multiply<mfma(32, 2), kSingle, kSingle, kRounded>);
  t.emplace_back("v_mfma_f32_16x16x4_f32", multiply<mfma(16, 4), kSingle, kSingle, kRounded>);
  t.emplace_back("v_mfma_f64_16x16x4_f64", multiply<mfma(16, 4, 1), kDouble, kDouble, kFused>);
  t.emplace_back("v_mfma_i32_32x32x16_i8", multiply<mfma(32, 16), kSigned, kSigned, kInteger>);
  t.emplace_back("v_mfma_i32_16x16x32_i8", multiply<mfma(16, 32), kSigned, kSigned, kInteger>);
  t.emplace_back("v_mfma_f32_32x32x4_xf32", multiply<mfma(32, 4), kTruncated, kTruncated, kRounded>);
  t.emplace_back("v_mfma_f32_16x16x8_xf32", multiply<mfma(16, 8), kTruncated, kTruncated, kRounded>);
  t.emplace_back("v_mfma_f32_32x32x16_fp8_fp8", multiply<mfma(32, 16), kFp8Fnuz, kFp8Fnuz, kRounded>);
  t.emplace_back("v_mfma_f32_32x32x16_fp8_bf8", multiply<mfma(32, 16), kFp8Fnuz, kBf8Fnuz, kRounded>);
  t.emplace_back("v_mfma_f32_32x32x16_bf8_fp8", multiply<mfma(32, 16), kBf8Fnuz, kFp8Fnuz, kRounded>);
  t.emplace_back("v_mfma_f32_32x32x16_bf8_bf8", multiply<mfma(32, 16), kBf8Fnuz, kBf8Fnuz, kRounded>);
  t.emplace_back("v_mfma_f32_16x16x32_fp8_fp8", multiply<mfma(16, 32), kFp8Fnuz, kFp8Fnuz, kRounded>);
  t.emplace_back("v_mfma_f32_16x16x32_fp8_bf8", multiply<mfma(16, 32), kFp8Fnuz, kBf8Fnuz, kRounded>);
  t.emplace_back("v_mfma_f32_16x16x32_bf8_fp8", multiply<mfma(16, 32), kBf8Fnuz, kFp8Fnuz, kRounded>);
  t.emplace_back("v_mfma_f32_16x16x32_bf8_bf8", multiply<mfma(16, 32), kBf8Fnuz, kBf8Fnuz, kRounded>);

  t.emplace_back("v_wmma_f32_16x16x16_f16", wmma<kHalf, kHalf, kRounded>);
  t.emplace_back("v_wmma_f32_16x16x16_bf16", wmma<kBrain, kBrain, kRounded>);
  t.emplace_back("v_wmma_i32_16x16x16_iu8", wmmaOfBytes);
  // Of gfx12 alone.
  t.emplace_back("v_wmma_f32_16x16x16_fp8_fp8", multiply<kGfx12, kFp8, kFp8, kRounded>);
  t.emplace_back("v_wmma_f32_16x16x16_fp8_bf8", multiply<kGfx12, kFp8, kBf8, kRounded>);
  t.emplace_back("v_wmma_f32_16x16x16_bf8_fp8", multiply<kGfx12, kBf8, kFp8, kRounded>);
  t.emplace_back("v_wmma_f32_16x16x16_bf8_bf8", multiply<kGfx12, kBf8, kBf8, kRounded>);
}

} // namespace tegula::emulator
