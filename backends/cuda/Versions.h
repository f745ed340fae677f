// The compute capabilities that the backend generates code for, and the target that each device gets. The driver and
// the code generator share this table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tegula::cuda {

/// A compute capability (8.9 is number 89), and the most bytes of shared memory that code for it may use in one block.
/// Source: CUDA C++ Programming Guide, technical specifications by compute capability.
struct CompiledVersion {
  uint32_t number, sharedBytes;
};
std::span<const CompiledVersion> compiledVersions(); // ascending

/// The target to compile for, given a device's compute capability and its largest shared memory of one block in bytes.
/// A device in the table gets its own target: `sm_89`; for 9.0 the architecture-specific `sm_90a`. A device that is
/// missing in the table gets PTX text, without architecture-specific instructions, of the highest version that it runs
/// and whose shared memory it has: `compute_90` for 10.0 with 227 KiB, `compute_89` for 12.0 with 99 KiB. A device
/// older than the table gets its own name, such as `sm_70`, which no code generator accepts.
std::string targetOf(uint32_t version, uint32_t sharedBytes);

/// The device's variants: other targets that it can run, written after the slash in `cuda:0/compute_80`. Each is PTX
/// text for an older device, which the driver assembles for this one.
std::vector<std::string> variantsOf(uint32_t version, uint32_t sharedBytes);

} // namespace tegula::cuda
