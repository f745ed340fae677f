// The text of tl.inline_asm_elementwise as instructions. It is the virtual assembly that Triton kernels contain,
// whatever the target: registers without number, types as suffixes, predicates.
//
//   { .reg .pred p; setp.lt.f32 p, $1, 0f00000000; @p mov.f32 $0, 0f00000000; }
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::lang {

struct AssemblyOperand {
  enum class Kind : uint8_t { Register, Number, List };
  Kind kind = Kind::Register;
  std::string name;                  // of a register: "$0", "%r1", "temp"
  uint64_t bits = 0;                 // of a number: an integer in two's complement, or the bits of a float
  unsigned floatBits = 0;            // of a float that is given by its bits: 32 or 64
  std::optional<double> real;        // of a number with a decimal point, in place of bits
  bool isInverted = false;           // of a predicate: !p
  std::vector<AssemblyOperand> list; // {a, b}: the lowest bits first
};

struct AssemblyInstruction {
  std::string text;               // as it stands, for messages
  std::vector<std::string> parts; // "cvt.rn.f16.f32" is cvt, rn, f16, f32
  std::vector<AssemblyOperand> operands;
  std::optional<AssemblyOperand> predicate; // @p, @!p

  /// Whether a modifier stands between the name and the types.
  bool has(std::string_view part) const;
};

struct AssemblyProgram {
  std::map<std::string, std::string, std::less<>> registers; // declared names and their types, without the dot
  std::vector<AssemblyInstruction> instructions;
};

/// Throws tegula::Error with a message that quotes what was not understood.
AssemblyProgram parseAssembly(std::string_view text);

} // namespace tegula::lang
