// Matrix instructions of a wave: D = A * B + C. Layouts by AMD's instruction set manuals and its articles on WMMA and
// MFMA. Products of f16 and bf16 are exact in f64; sums are rounded to f32 once, at the end: the hardware's order of
// additions is not documented. Denormals of gfx90a: AMD's documentation of MIOpen, "MI200 MFMA behavior specifics".
#include "tests/emulator/Wave.h"

namespace tegula::emulator {
namespace {

struct Half {
  static constexpr double least = 0x1p-14; // normal number
  static double read(uint16_t bits) { return double(halfToFloat(bits)); }
};
struct Brain {
  static constexpr double least = 0x1p-126;
  static double read(uint16_t bits) { return double(std::bit_cast<float>(uint32_t(bits) << 16)); }
};

/// Row and column of element `r` of C and D in a lane.
struct Place {
  unsigned row, column;
};
/// WMMA of gfx11: rows alternate between the two halves of the wave.
struct Gfx11 {
  static constexpr unsigned lanes = 32, m = 16, n = 16, k = 16, each = 16, sums = 8;
  static constexpr bool copies = true; // lanes 16 to 31 hold A and B once more
  static constexpr bool flushes = false;
  static Place place(unsigned lane, unsigned r) { return {2 * r + lane / 16, lane % 16}; }
};
struct Gfx12 {
  static constexpr unsigned lanes = 32, m = 16, n = 16, k = 16, each = 8, sums = 8;
  static constexpr bool copies = false;
  static constexpr bool flushes = false;
  static Place place(unsigned lane, unsigned r) { return {r + 8 * (lane / 16), lane % 16}; }
};
/// MFMA of gfx942. That of gfx90a takes denormal numbers for zero, in operands and sums.
struct Mfma32 {
  static constexpr unsigned lanes = 64, m = 32, n = 32, k = 8, each = 4, sums = 16;
  static constexpr bool copies = false;
  static constexpr bool flushes = false;
  static Place place(unsigned lane, unsigned r) { return {8 * (r / 4) + 4 * (lane / 32) + r % 4, lane % 32}; }
};
struct Mfma32Flushing : Mfma32 {
  static constexpr bool flushes = true;
};
struct Mfma16 {
  static constexpr unsigned lanes = 64, m = 16, n = 16, k = 16, each = 4, sums = 4;
  static constexpr bool copies = false;
  static constexpr bool flushes = false;
  static Place place(unsigned lane, unsigned r) { return {4 * (lane / 16) + r, lane % 16}; }
};

struct Mfma16Flushing : Mfma16 {
  static constexpr bool flushes = true;
};

/// The rows of A, or the columns of B, each with its depth: `each` 16-bit elements a lane. Lanes with the same row hold
/// one part of the depth after another. (Which of A and B is at which depth does not matter as long as both agree.)
template <class Shape, class Type>
std::vector<double> operandOf(const Wave &w, const Instruction &i, const Operand &o, unsigned extent) {
  std::vector<double> values(size_t(extent) * Shape::k);
  for (unsigned lane = 0; lane < Shape::lanes; ++lane)
    for (unsigned e = 0; e < Shape::each; ++e) {
      uint32_t word = w.word(o, lane, e / 2);
      double value = Type::read(uint16_t(e % 2 ? word >> 16 : word));
      if (Shape::flushes && std::abs(value) < Type::least)
        value = std::copysign(0.0, value);
      unsigned part = Shape::copies ? 0 : lane / extent;
      double &cell = values[(lane % extent) * Shape::k + part * Shape::each + e];
      if (Shape::copies && lane >= extent && std::bit_cast<uint64_t>(cell) != std::bit_cast<uint64_t>(value) &&
          !(cell != cell && value != value))
        throw Fault("the upper lanes of an operand of '" + i.text + "' do not hold copies of the lower ones");
      cell = value;
    }
  return values;
}

template <class Shape> float flushed(float value) {
  return Shape::flushes && std::abs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}

template <class Shape, class Type> void multiply(Wave &w, const Instruction &i) {
  if (i.codes != std::array<uint32_t, 4>{} || i.negLo || i.negHi || i.clamp)
    throw Fault("'" + i.text + "' has a modifier that the emulator does not know");
  if (w.lanes != Shape::lanes || w.exec() != (Shape::lanes == 64 ? ~uint64_t(0) : 0xffffffff))
    throw Fault("'" + i.text + "' is executed with some lanes inactive");
  std::vector<double> a = operandOf<Shape, Type>(w, i, i.operands[1], Shape::m);
  std::vector<double> b = operandOf<Shape, Type>(w, i, i.operands[2], Shape::n);
  const Operand &c = i.operands[3];
  std::array<float, Shape::sums> sums[Shape::lanes];
  for (unsigned lane = 0; lane < Shape::lanes; ++lane)
    for (unsigned r = 0; r < Shape::sums; ++r) {
      Place at = Shape::place(lane, r);
      double sum = double(flushed<Shape>(std::bit_cast<float>(w.word(c, lane, c.isRegister() ? r : 0))));
      for (unsigned k = 0; k < Shape::k; ++k)
        sum += a[at.row * Shape::k + k] * b[at.column * Shape::k + k];
      sums[lane][r] = flushed<Shape>(float(sum));
    }
  for (unsigned lane = 0; lane < Shape::lanes; ++lane)
    for (unsigned r = 0; r < Shape::sums; ++r)
      w.setWord(i.operands[0], lane, std::bit_cast<uint32_t>(sums[lane][r]), r);
}

template <class Type> void multiply16(Wave &w, const Instruction &i) {
  if (w.family == Family::Gfx12)
    multiply<Gfx12, Type>(w, i);
  else
    multiply<Gfx11, Type>(w, i);
}

} // namespace

void addMatrix(HandlerTable &t) {
  t.emplace_back("v_wmma_f32_16x16x16_f16", multiply16<Half>);
  t.emplace_back("v_wmma_f32_16x16x16_bf16", multiply16<Brain>);
  t.emplace_back("v_mfma_f32_32x32x8f16", multiply<Mfma32Flushing, Half>); // names of gfx90a
  t.emplace_back("v_mfma_f32_32x32x8bf16_1k", multiply<Mfma32Flushing, Brain>);
  t.emplace_back("v_mfma_f32_16x16x16f16", multiply<Mfma16Flushing, Half>);
  t.emplace_back("v_mfma_f32_16x16x16bf16_1k", multiply<Mfma16Flushing, Brain>);
  t.emplace_back("v_mfma_f32_32x32x8_f16", multiply<Mfma32, Half>);
  t.emplace_back("v_mfma_f32_32x32x8_bf16", multiply<Mfma32, Brain>);
  t.emplace_back("v_mfma_f32_16x16x16_f16", multiply<Mfma16, Half>);
  t.emplace_back("v_mfma_f32_16x16x16_bf16", multiply<Mfma16, Brain>);
}

} // namespace tegula::emulator
