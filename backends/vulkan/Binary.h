// What Artifact::binary holds for this backend: a SPIR-V module and what a pipeline made of it must know.
#pragma once

#include "core/support/Diagnostic.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tegula::vulkan {

struct KernelBinary {
  enum class Passing : uint8_t { Push, Buffer }; // of the argument block, see Arguments.h
  Passing passing = Passing::Push;
  uint32_t subgroupSize = 0; // that the pipeline must have; 0: any
  std::vector<uint32_t> words;
  /// Where in the source a capability that the target does not promise is first needed: for messages.
  struct Need {
    uint32_t capability = 0;
    SourceLocation location;
  };
  std::vector<Need> needs;
};

std::vector<uint8_t> encode(const KernelBinary &binary);
/// Throws tegula::Error that says what is wrong: foreign, truncated, no SPIR-V.
KernelBinary decodeBinary(std::span<const uint8_t> bytes);

/// The operands of a module's OpCapability instructions.
std::vector<uint32_t> capabilitiesOf(std::span<const uint32_t> words);

} // namespace tegula::vulkan
