// Reorders the instructions in a function's blocks if too many registers would be alive at a time: each instruction
// moves closer to its use (core/schedule/UseOrder.h).
#pragma once

#include "backends/vulkan/spirv/Module.h"

namespace tegula::spirv {

/// True if OpLine may precede the instruction. It may not precede a phi, because phis come first in a block, nor a
/// merge instruction or a terminator, because nothing may stand between these two.
bool takesLine(spv::Op op);

/// Reorders the body of a function, given without its first label and its variables. Each instruction keeps its source
/// location.
std::vector<uint32_t> orderedByUse(std::span<const uint32_t> body, const Module &module);

} // namespace tegula::spirv
