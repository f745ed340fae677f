// Orders the instructions of a function's blocks by their use, where too many registers would be alive
// (core/schedule/UseOrder.h).
#pragma once

#include "backends/vulkan/spirv/Module.h"

namespace tegula::spirv {

/// Whether OpLine may stand before the instruction. Not before phis and ends of blocks: phis come first in a block, and
/// nothing may stand between a merge instruction and its branch.
bool takesLine(spv::Op op);

/// The body of a function, from behind its first label and its variables, with blocks in another order of instructions.
/// Each instruction keeps its place in the source.
std::vector<uint32_t> orderedByUse(std::span<const uint32_t> body, const Module &module);

} // namespace tegula::spirv
