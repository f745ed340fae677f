// Parts of the verifier. Verify.cpp looks at structure and flow, VerifyTypes.cpp at each instruction's types.
#pragma once

#include "backends/cpu/Bytecode.h"

namespace tegula::cpu {

/// Elements of the largest tile: far above Triton's 2^20, and small enough that no size of a tile overflows.
inline constexpr int64_t kMaxTileElements = int64_t{1} << 28;

/// One instruction of a function whose indices are known to be in range. Throws Error with the reason alone.
void verifyTypes(const Module &module, const Function &function, bool isKernel, const Instruction &instruction);

/// What a reduction, scan or map asks of its region; throws Error with the reason alone.
void verifyRegion(const Module &module, const Function &caller, const Instruction &instruction);

/// Registers are defined before they are read on every path, where a last use takes the register's value away.
void verifyDefinitions(const Function &function);

} // namespace tegula::cpu
