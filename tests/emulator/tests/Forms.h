// Forms of a vector instruction: which operands are registers or constants, and all modifiers.
#pragma once

#include "tests/emulator/tests/Machine.h"

namespace tegula::emulator::test {

/// A part of a register in SDWA: its first bit and its width.
struct PartForm {
  const char *name = "DWORD";
  unsigned first = 0, bits = 32;
};

struct SourceForm {
  enum class Kind : uint8_t { Vector, Scalar, Constant, Mask, Hidden };
  Kind kind = Kind::Vector;
  Type type;
  unsigned index = 0;    // of the register
  uint64_t constant = 0; // as the instruction reads it
  std::string text;
  bool negate = false, absolute = false, upper = false, extends = false;
  PartForm part;
};

struct Form {
  std::string text; // the whole instruction
  std::string kind; // for messages and counts
  std::vector<SourceForm> sources;
  bool clamp = false, upper = false, isSdwa = false; // upper: op_sel of the destination
  PartForm part;
  enum class Unused : uint8_t { Pad, Sext, Preserve } unused = Unused::Pad;
  std::function<int(int lane)> moves; // DPP: the lane that a lane reads; negative: none
  unsigned rowMask = 0xf, bankMask = 0xf;
  bool boundControl = false, fetchInactive = false, isDpp8 = false;
  bool isPartial = false; // some lanes are inactive
  unsigned maskIndex = 0; // the scalar register of a resulting mask
};

constexpr unsigned kDestination = 24; // v24
/// Source `i` is v[4 * i], or s[8 + 4 * i].
constexpr unsigned vectorOf(unsigned source) { return 4 * source; }
constexpr unsigned scalarOf(unsigned source) { return 8 + 4 * source; }
constexpr unsigned kMaskSource = 40, kMaskResult = 44; // s[40:41], s[44:45]

/// Forms of the instruction `name`, most with random choices. Many do not exist on an architecture; the assembler
/// tells.
std::vector<Form> formsOf(const Row &row, const std::string &name, const Machine &machine, Random &random);

} // namespace tegula::emulator::test
