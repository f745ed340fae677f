// Removes from a module the source locations of its instructions. The code generator writes them for disassemblers,
// validators and debuggers. The driver removes them if no such tool is active, so that a kernel that only moved within
// its file is the same kernel to device compilers and their caches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tegula::vulkan {

/// Returns the module without OpLine, OpNoLine and the file names (OpString) that they refer to.
std::vector<uint32_t> withoutLines(std::span<const uint32_t> words);

} // namespace tegula::vulkan
