// How many results, operands and attributes each opcode has: the table of Bytecode.h in a form that verifier and
// listing share.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"

namespace tegula::cpu {

struct OpcodeInfo {
  int results; // -1: at least 1; as many as operands (Reduce, Scan) or as the region returns (MapElements)
  unsigned minOperands, maxOperands; // inclusive
  int attributes;                    // -1: depends on the instruction, see attributeCount
};

const OpcodeInfo &info(Opcode opcode);

/// The number of integers that belong to an instruction, from Function::integers[attributes] on. The instruction's
/// indices into the function's tables must be in range.
size_t attributeCount(const Function &function, const Instruction &instruction);

/// Integer arithmetic on two operands (Add to MulHiU); float arithmetic on two (AddF to MaximumF, Atan2, Pow) and on
/// one.
bool isIntBinary(Opcode opcode);
bool isFloatBinary(Opcode opcode);
bool isFloatUnary(Opcode opcode);
bool isCast(Opcode opcode);

} // namespace tegula::cpu
