// Parts of the verifier. Verify.cpp looks at structure and flow, VerifyTypes.cpp at each instruction's types.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"

namespace tegula::cpu {

/// Elements of the largest tile: far above Triton's 2^20, and small enough that no size of a tile overflows.
inline constexpr int64_t kMaxTileElements = int64_t{1} << 28;

/// Types and shapes of one instruction whose indices are in range. Throws Error with the reason alone.
void verifyTypes(const Module &module, const Function &function, bool isKernel, const Instruction &instruction);

/// Signature and body of the region function of a reduction, scan or map. Throws Error with the reason alone.
void verifyRegion(const Module &module, const Function &caller, const Instruction &instruction);

/// On every path a register is defined before it is read; an operand marked as last use undefines its register.
void verifyDefinitions(const Function &function);

} // namespace tegula::cpu
