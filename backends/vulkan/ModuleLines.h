// The places in the kernel's source that a module names for its instructions. Compiled kernels have them, for
// disassemblers, validators and debuggers. The driver leaves them out where nothing reads them: to device compilers and
// their caches, a kernel that moved in its file is then the same kernel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tegula::vulkan {

/// The module without OpLine, OpNoLine and the file names (OpString) that they refer to.
std::vector<uint32_t> withoutLines(std::span<const uint32_t> words);

} // namespace tegula::vulkan
