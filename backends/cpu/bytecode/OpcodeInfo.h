// The numbers of results, operands and attributes of each opcode: the table of Bytecode.h in a form that the verifier
// and the listing share.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"

namespace tegula::cpu {

struct OpcodeInfo {
  int results; // -1: at least 1; as many as operands (Reduce, Scan), or as the region returns (MapElements)
  unsigned minOperands, maxOperands; // inclusive
  int attributes;                    // -1: depends on the instruction, see attributeCount
};

const OpcodeInfo &info(Opcode opcode);

/// The number of an instruction's attributes, which begin at Function::integers[attributes]. The instruction's indices
/// into the function's tables must be in range.
size_t attributeCount(const Function &function, const Instruction &instruction);

/// True for integer arithmetic on two operands: the opcodes from Add to MulHiU.
bool isIntBinary(Opcode opcode);
/// True for float arithmetic on two operands: the opcodes from AddF to MaximumF, Atan2 and Pow.
bool isFloatBinary(Opcode opcode);
/// True for float arithmetic on one operand.
bool isFloatUnary(Opcode opcode);
bool isCast(Opcode opcode);

} // namespace tegula::cpu
