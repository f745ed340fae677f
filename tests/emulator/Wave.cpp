#include "tests/emulator/Wave.h"

#include <algorithm>

namespace tegula::emulator {
namespace {

using Part = Operand::Part;

uint32_t partOf(uint32_t word, Part part, bool extends) {
  auto byte = [&](unsigned shift) {
    return extends ? uint32_t(int32_t(int8_t(word >> shift))) : uint32_t(uint8_t(word >> shift));
  };
  auto half = [&](unsigned shift) {
    return extends ? uint32_t(int32_t(int16_t(word >> shift))) : uint32_t(uint16_t(word >> shift));
  };
  switch (part) {
  case Part::Word: return word;
  case Part::Byte0: return byte(0);
  case Part::Byte1: return byte(8);
  case Part::Byte2: return byte(16);
  case Part::Byte3: return byte(24);
  case Part::Half0: return half(0);
  case Part::Half1: return half(16);
  }
  return word;
}

/// Where a part is in its word: its first bit and its mask.
std::pair<unsigned, uint32_t> placeOf(Part part) {
  switch (part) {
  case Part::Word: return {0, 0xffffffff};
  case Part::Byte0: return {0, 0xff};
  case Part::Byte1: return {8, 0xff};
  case Part::Byte2: return {16, 0xff};
  case Part::Byte3: return {24, 0xff};
  case Part::Half0: return {0, 0xffff};
  case Part::Half1: return {16, 0xffff};
  }
  return {0, 0xffffffff};
}

/// |x| and -x act on the sign bit, of numbers that are none too.
template <class Bits> Bits modified(const Operand &o, Bits bits) {
  constexpr Bits kSign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  if (o.absolute)
    bits = Bits(bits & ~kSign);
  if (o.negate)
    bits = Bits(bits ^ kSign);
  return bits;
}

/// Output modifiers (mul:2, mul:4, div:2) do nothing where denormal numbers are kept, says every manual.
template <class Float> Float limited(const Instruction &i, Float value) {
  if (i.clamp)
    value = value > 0 ? std::min(value, Float(1)) : Float(0); // what is no number becomes zero
  return value;
}

} // namespace

void Counters::add(const Counters &other) {
  instructions += other.instructions;
  for (size_t i = 0; i < kClasses; ++i)
    issued[i] += other.issued[i];
  bankConflicts += other.bankConflicts;
  lines += other.lines;
}

const Counters &Wave::counted() {
  std::ranges::sort(lines);
  counters.lines += size_t(std::ranges::unique(lines).begin() - lines.begin());
  lines.clear();
  return counters;
}

void Wave::count(const Instruction &i) {
  counted();
  ++counters.instructions;
  ++counters.issued[size_t(i.counted)];
}

void Wave::access(uint64_t address, size_t bytes, const Instruction &i) {
  group->memory->check(address, bytes, i.text.c_str());
  constexpr uint64_t kLine = 64;
  for (uint64_t line = address / kLine; line <= (address + bytes - 1) / kLine; ++line)
    if (lines.empty() || lines.back() != line)
      lines.push_back(line);
}

uint32_t Wave::scalar32(const Operand &o) const {
  switch (o.kind) {
  case Operand::Kind::Scalar: return o.index == kNull ? 0 : scalars[o.index];
  case Operand::Kind::Real: return std::bit_cast<uint32_t>(float(o.real));
  default: return uint32_t(o.bits);
  }
}

uint64_t Wave::scalar64(const Operand &o) const {
  switch (o.kind) {
  case Operand::Kind::Scalar:
    if (o.index == kNull)
      return 0;
    return o.words == 1 ? scalars[o.index] : pair(o.index);
  case Operand::Kind::Real: return std::bit_cast<uint64_t>(o.real);
  default: return uint64_t(o.bits);
  }
}

uint32_t Wave::word(const Operand &o, unsigned lane, unsigned word) const {
  switch (o.kind) {
  case Operand::Kind::Vector:
    return o.index == kMoved ? moved[word * lanes + lane] : vectors[size_t(o.index + word) * lanes + lane];
  case Operand::Kind::Accumulator: return accumulators[size_t(o.index + word) * lanes + lane];
  case Operand::Kind::Scalar: return o.index == kNull ? 0 : scalars[o.index + word];
  case Operand::Kind::Real: return std::bit_cast<uint32_t>(float(o.real));
  default: return uint32_t(uint64_t(o.bits) >> 32 * word);
  }
}

void Wave::setWord(const Operand &o, unsigned lane, uint32_t value, unsigned word) {
  if (o.kind == Operand::Kind::Vector)
    vectors[size_t(o.index + word) * lanes + lane] = value;
  else if (o.kind == Operand::Kind::Accumulator)
    accumulators[size_t(o.index + word) * lanes + lane] = value;
  else
    throw Fault("a result of a lane goes to no vector register");
}

uint32_t Wave::b32(const Operand &o, unsigned lane) const { return partOf(word(o, lane), o.part, o.extends); }

uint64_t Wave::b64(const Operand &o, unsigned lane) const {
  if (!o.isRegister())
    return scalar64(o);
  if (o.kind == Operand::Kind::Scalar)
    return scalar64(o);
  return word(o, lane, 0) | uint64_t(word(o, lane, 1)) << 32;
}

uint16_t Wave::b16(const Operand &o, unsigned lane) const {
  if (o.kind == Operand::Kind::Real)
    return floatToHalf(float(o.real));
  uint32_t bits = b32(o, lane);
  return uint16_t(o.upper && o.isRegister() ? bits >> 16 : bits);
}

float Wave::f32(const Operand &o, unsigned lane) const {
  return std::bit_cast<float>(modified<uint32_t>(o, b32(o, lane)));
}

double Wave::f64(const Operand &o, unsigned lane) const {
  uint64_t bits = o.kind == Operand::Kind::Literal ? uint64_t(uint32_t(o.bits)) << 32 : b64(o, lane);
  return std::bit_cast<double>(modified<uint64_t>(o, bits));
}

float Wave::f16(const Operand &o, unsigned lane) const { return halfToFloat(modified<uint16_t>(o, b16(o, lane))); }

void Wave::setB32(const Instruction &i, unsigned lane, uint32_t value, unsigned operand) {
  const Operand &to = i.operands[operand];
  if (to.part != Part::Word) {
    auto [shift, mask] = placeOf(to.part);
    uint32_t old = word(to, lane), part = value & mask;
    if (i.unusedPreserve)
      value = (old & ~(mask << shift)) | part << shift;
    else if (i.unusedSext)
      value = (part >> (std::bit_width(mask) - 1) & 1 ? part | ~mask : part) << shift;
    else
      value = part << shift;
  }
  setWord(to, lane, value);
}

void Wave::setB64(const Instruction &i, unsigned lane, uint64_t value, unsigned operand) {
  setWord(i.operands[operand], lane, uint32_t(value), 0);
  setWord(i.operands[operand], lane, uint32_t(value >> 32), 1);
}

void Wave::setB16(const Instruction &i, unsigned lane, uint16_t value) {
  const Operand &to = i.operands[0];
  if (to.part != Part::Word || i.sdwa)
    return setB32(i, lane, value);
  uint32_t old = word(to, lane);
  if (i.opSel & 8)
    setWord(to, lane, (old & 0xffff) | uint32_t(value) << 16);
  else
    setWord(to, lane, (family == Family::Gfx9 && !i.keepsUpper ? 0 : old & 0xffff0000) | value);
}

void Wave::setF32(const Instruction &i, unsigned lane, float value) {
  setB32(i, lane, std::bit_cast<uint32_t>(limited(i, value)));
}

void Wave::setF64(const Instruction &i, unsigned lane, double value) {
  setB64(i, lane, std::bit_cast<uint64_t>(limited(i, value)));
}

void Wave::setF16(const Instruction &i, unsigned lane, float value) { setB16(i, lane, floatToHalf(limited(i, value))); }

} // namespace tegula::emulator
