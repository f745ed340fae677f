// The parts of the verifier: Verify.cpp tests structure and control flow, VerifyTypes.cpp the types of each
// instruction.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"

namespace tegula::cpu {

/// The most elements of a tile: far more than Triton's 2^20, and few enough that no tile's size in bytes overflows.
inline constexpr int64_t kMaxTileElements = int64_t{1} << 28;

/// Verifies types and shapes of one instruction, whose indices must be in range. Throws Error with the reason only.
void verifyTypes(const Module &module, const Function &function, bool isKernel, const Instruction &instruction);

/// Verifies signature and body of the region function of a reduction, scan or map. Throws Error with the reason only.
void verifyRegion(const Module &module, const Function &caller, const Instruction &instruction);

/// Verifies that on every path a register is defined before it is read. An operand marked as last use undefines its
/// register.
void verifyDefinitions(const Function &function);

} // namespace tegula::cpu
