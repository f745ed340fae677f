// A compiled kernel: the binary and what a launch must know about it. Versioned; written to caches and bundles.
#pragma once

#include "core/support/ScalarType.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tegula {

/// Raised whenever the encoding or meaning below changes.
inline constexpr uint32_t kArtifactVersion = 1;

/// A fact that the compilation relied on; a launch whose arguments do not satisfy it takes another artifact.
struct Guard {
  enum class Kind : uint8_t {
    Equals,            // argument's value == operand
    DivisibleBy,       // argument's value % operand == 0
    AlignedTo,         // pointer's address % operand == 0
    AllocationBelow,   // bytes reachable from the pointer < operand
  };
  Kind kind = Kind::Equals;
  uint32_t param = 0; // index in Artifact::params
  int64_t operand = 0;
  bool operator==(const Guard &) const = default;
};

/// An argument that the launch supplies and the user never sees, appended after the parameters in this order.
enum class HiddenArgument : uint8_t { GridBase, GridSize, Scratch, PrintBuffer };

struct ArtifactParam {
  enum class Kind : uint8_t { Scalar, Pointer, Descriptor };
  std::string name;
  Kind kind = Kind::Scalar;
  ScalarType type = ScalarType::I32; // of the scalar, the pointee or the descriptor's elements
  std::vector<int64_t> block;        // of a descriptor
  bool operator==(const ArtifactParam &) const = default;
};

struct Artifact {
  std::string target;
  std::string entry;
  std::vector<ArtifactParam> params;
  std::vector<HiddenArgument> hidden;
  std::vector<Guard> guards;
  std::vector<std::string> requiredFeatures;
  uint32_t sharedBytes = 0;
  uint32_t threads = 1;      // per program
  uint32_t clusterSize = 1;
  uint32_t registerCap = 0;  // 0: none
  uint64_t scratchBytesPerProgram = 0;
  std::string sourceHash;    // of source, constants, types, target, options and build id
  std::string sourcePath;    // as given
  std::vector<uint8_t> binary;
};

/// Magic, version, checksum, metadata, binary.
std::vector<uint8_t> serialize(const Artifact &artifact);
/// Throws tegula::Error that says what is wrong: foreign, truncated, damaged or of another version.
Artifact deserializeArtifact(std::span<const uint8_t> bytes);

} // namespace tegula
