// How many results, operands and attributes each opcode has: the table of Bytecode.h in a form that verifier and
// listing share.
#pragma once

#include "backends/cpu/Bytecode.h"

namespace tegula::cpu {

struct OpcodeInfo {
  int results; // -1: as many as operands (Reduce, Scan) or the region returns (MapElements), at least 1
  unsigned minOperands, maxOperands; // inclusive
  int attributes;                    // -1: depends on the instruction, see attributeCount
};

const OpcodeInfo &info(Opcode opcode);

/// Integers that belong to an instruction of the function, from `attributes` on. The function's indices must be in
/// range.
size_t attributeCount(const Function &function, const Instruction &instruction);

/// Integer arithmetic on two operands (Add to MulHiU), floats on two (AddF to MaximumF, Atan2, Pow), floats on one.
bool isIntBinary(Opcode opcode);
bool isFloatBinary(Opcode opcode);
bool isFloatUnary(Opcode opcode);
bool isCast(Opcode opcode);

} // namespace tegula::cpu
