// The compute capabilities that code is generated for, and which of them a device gets. Driver and code generator share
// the table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tegula::cuda {

/// A compute capability as a number, 89 for 8.9, and the largest shared memory of one block that code for it plans, in
/// bytes. Source: CUDA C++ Programming Guide, technical specifications by compute capability.
struct CompiledVersion {
  uint32_t number, sharedBytes;
};
std::span<const CompiledVersion> compiledVersions(); // ascending

/// The target to compile for, for a device of this version whose blocks can have that much shared memory: `sm_89`; for
/// 9.0 the architecture-specific `sm_90a`. A device that is not in the table gets PTX of the highest version whose code
/// it runs and whose shared memory it has, without architecture-specific instructions: `compute_90` for 10.0 with 227
/// KiB, `compute_89` for 12.0 with 99 KiB. A device older than the table is named as it is, `sm_70`, which no code
/// generator accepts.
std::string targetOf(uint32_t version, uint32_t sharedBytes);

/// The variants of such a device, as they stand behind the slash in `cuda:0/compute_80`. Each is a target whose code is
/// PTX for an older device; the driver assembles it for this one.
std::vector<std::string> variantsOf(uint32_t version, uint32_t sharedBytes);

} // namespace tegula::cuda
