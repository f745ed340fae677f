// The content of Artifact::binary for this backend: a SPIR-V module, and the properties that its pipeline needs.
#pragma once

#include "core/support/Diagnostic.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tegula::vulkan {

struct KernelBinary {
  enum class Passing : uint8_t { Push, Buffer }; // how the argument block is passed, see Arguments.h
  Passing passing = Passing::Push;
  uint32_t subgroupSize = 0; // the pipeline's required subgroup size; 0: any
  std::vector<uint32_t> words;
  /// A capability beyond the target's profile and the first place in the source that needs it, for messages.
  struct Need {
    uint32_t capability = 0;
    SourceLocation location;
  };
  std::vector<Need> needs;
};

std::vector<uint8_t> encode(const KernelBinary &binary);
/// Throws tegula::Error with the defect: not this backend's format, truncated, no SPIR-V.
KernelBinary decodeBinary(std::span<const uint8_t> bytes);

/// The capabilities that a module declares, as numbers of the SPIR-V registry.
std::vector<uint32_t> capabilitiesOf(std::span<const uint32_t> words);

} // namespace tegula::vulkan
