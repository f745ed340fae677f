// A compiled kernel: the binary and the metadata that a launch needs. Versioned; stored in caches and bundles.
#pragma once

#include "core/contracts/DerivedTensor.h"
#include "core/contracts/ProgramExpression.h"
#include "core/support/Diagnostic.h"
#include "core/support/ScalarType.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tegula {

/// Raised whenever the encoding or meaning below changes.
/// 2: launch flags, descriptor recipes, the form of hidden arguments and descriptors.
/// 3: messages.
/// 4: the number of matrix products.
/// 5: messages about limits of the device.
/// 6: whether the code depends on facts about the arguments.
/// 7: descriptors that the launch derives from other parameters.
/// 8: what such a descriptor needs of the grid.
/// 9: resident programs.
/// 10: descriptors whose copies round to tf32.
/// 11: conditions of code without derived descriptors.
/// 12: resident programs in clusters.
/// 13: programs in pairs.
/// 14: memory that the launch supplies, grids of several programs for each that the caller asks for.
/// 15: which parameters the code writes through.
inline constexpr uint32_t kArtifactVersion = 15;

/// A fact that the code relies on; a launch whose arguments do not satisfy it takes another artifact.
struct Guard {
  enum class Kind : uint8_t {
    Equals,          // argument's value == operand
    DivisibleBy,     // argument's value % operand == 0
    AlignedTo,       // pointer's address % operand == 0
    AllocationBelow, // bytes reachable from the pointer < operand
  };
  Kind kind = Kind::Equals;
  uint32_t param = 0; // index in Artifact::params
  int64_t operand = 0;
  bool operator==(const Guard &) const = default;
};

/// An argument that the launch supplies and the user never sees, appended after the parameters in this order. A grid
/// beyond the device's limits becomes several launches where the code has both of the first two: a program's place is
/// GridBase plus its place in its launch, the number of programs is GridSize.
enum class HiddenArgument : uint8_t {
  GridBase,    // three i32 arguments: axes 0, 1, 2
  GridSize,    // three i32 arguments: axes 0, 1, 2
  Scratch,     // an address
  PrintBuffer, // an address: where prints and assertions go; see DeviceOutput.h
  SafeAddress, // of zeros that may be read, at least 256 bytes: where masked-off lanes load from
};

/// A parameter of the code. A scalar is passed as its bytes (i1: one byte), a pointer as a 64-bit address, a descriptor
/// as its DescriptorRecipe says. A descriptor without a recipe is passed by value as its parts, unless the backend
/// defines another form: with rank r, the rank of its block, one structure of 16 + 16 r bytes, aligned to 8:
///
///   address of the first element   8
///   r extents, r strides           8 each, of elements, in the order of the tensor's axes
///   whether it pads with NaN       4: 0 or 1
///   zero                           4
struct ArtifactParam {
  enum class Kind : uint8_t { Scalar, Pointer, Descriptor };
  std::string name;
  Kind kind = Kind::Scalar;
  ScalarType type = ScalarType::I32; // of the scalar, the pointee or the descriptor's elements
  std::vector<int64_t> block = {};   // of a descriptor
  /// Of a descriptor that the caller does not pass: the launch makes it of earlier parameters. Such parameters are the
  /// last ones.
  std::optional<DerivedTensor> tensor = {};
  /// Memory that the launch supplies, aligned to 256 bytes.
  struct Workspace {
    uint64_t bytesPerProgram = 0; // for each launched program: gridFactor for each of the caller's
    bool isZero = false;          // it holds zeros, and does again when the launch has ended
    bool operator==(const Workspace &) const = default;
  };
  /// Of a pointer that the caller does not pass. Such parameters follow those that are passed, before the derived ones.
  std::optional<Workspace> workspace = {};
  /// What the code may do to the memory that a pointer or descriptor leads to, also by pointers that it loads there.
  enum class Access : uint8_t {
    Reads,       // never writes
    Accumulates, // writes, and adds to what is there: a repeated launch has another result
    Writes,      // or nothing is known
  };
  Access access = Access::Writes;
  bool operator==(const ArtifactParam &) const = default;
};

/// How a launch encodes a tensor descriptor for hardware that copies boxes of a tensor by itself. The code receives an
/// encoded descriptor in the place of its parameter: 128 bytes, aligned to 64, by value, and nothing else beside it.
///
/// A copy moves one box, row-major in shared memory, its rows packed. The 16-byte pieces of each span of `swizzleBytes`
/// are permuted: with a shared address counted in bytes from a multiple of 8 * swizzleBytes, piece bits 4.. are
/// exclusive-ored with the bits from 7 up, as many as number the pieces of a span:
///
///   swizzleBytes  address bits
///       0         as they are
///      32         4    ^= 7
///      64         5:4  ^= 8:7
///     128         6:4  ^= 9:7
///
/// Elements outside of the tensor are filled on the way in and dropped on the way out. A box begins at a multiple of 16
/// bytes along the contiguous axis: where that was measured, a copy from elsewhere ended in an illegal instruction,
/// with and without a swizzle.
struct DescriptorRecipe {
  enum class Fill : uint8_t { AsPassed, Zero, NaN }; // AsPassed: as the launch's descriptor says
  uint32_t param = 0;                // index in Artifact::params, of a descriptor; each has at most one recipe
  ScalarType type = ScalarType::F32; // of the elements as the hardware sees them; as wide as the parameter's
  std::vector<uint32_t> box;         // elements along each axis, in the order of the tensor's; the last is contiguous
  uint32_t swizzleBytes = 0;         // 0, 32, 64 or 128; a box's row is no longer, unless 0
  Fill fill = Fill::AsPassed;
  bool roundsToTf32 = false; // copies to the code round f32 elements to tf32
  bool operator==(const DescriptorRecipe &) const = default;
};

/// The constant part of a print, of an assertion, or of a limit of the device: a kernel that meets the limit makes its
/// launch's results void. Records in the print buffer refer to it by its index in
/// Artifact::messages.
struct DeviceMessage {
  enum class Kind : uint8_t { Print, Assert, Limit };
  enum class Format : uint8_t { None, Signed, Unsigned, Float, Hex, Address }; // None: no value follows the text
  Kind kind = Kind::Print;
  Format format = Format::None;
  ScalarType type = ScalarType::I32; // of the value; where floats, integers and addresses differ by `format`
  std::string text;                  // a print's prefix, an assertion's message, what to do about a limit
  bool hasElements = false;          // records are of elements of a tensor of `shape`
  std::vector<int64_t> shape;
  std::vector<SourceLocation> locations; // the innermost first, then its callers
};

/// The matrix products of a kernel: `eligible` have types that a matrix instruction of the target takes; `served` use
/// one.
struct ProductCount {
  uint32_t eligible = 0, served = 0;
  bool operator==(const ProductCount &) const = default;
};

/// Bits of Artifact::launchFlags.
enum LaunchFlag : uint32_t {
  kLaunchTogether = 1, // all programs are resident at once: they may wait for each other
  kLaunchEarly = 2,    // may start before its predecessor in the stream has ended; the code waits where it must
  kLaunchResident = 4, // as many programs, in one row, as the device has multiprocessors, in whole clusters; each
                       // executes several of the grid, or none; the grid's size is the hidden argument GridSize
  kLaunchInPairs = 8,  // in one row, as many programs as the grid has, or half as many, rounded up: then each executes
                       // two that follow one another; the grid's size is the hidden argument GridSize
  kKnownLaunchFlags = 15,
  kLaunchSeveral = kLaunchResident | kLaunchInPairs, // a launched program executes several of the grid
};

struct Artifact {
  std::string target;
  std::string entry;
  std::vector<ArtifactParam> params;
  /// Programs along axis 0 for each that the caller's grid has there. (Beside `params`: each launch reads both.)
  uint32_t gridFactor = 1;
  /// How many parameters the caller passes. They stand before the workspaces, and these before the derived descriptors.
  size_t passedParams() const;
  /// The parameters that are memory of the launch, and those that are derived descriptors.
  std::span<const ArtifactParam> workspaces() const;
  std::span<const ArtifactParam> derived() const;
  /// Whether the code is right for all arguments in all grids.
  bool servesAll() const { return guards.empty() && !conditions; }
  std::vector<HiddenArgument> hidden;
  std::vector<Guard> guards;
  /// What the code needs of a launch besides guards; code that has this is called *conditional*. Launches that do not
  /// meet it run other code. Code with derived descriptors always has it.
  std::optional<LaunchConditions> conditions;
  std::vector<DescriptorRecipe> descriptors;
  std::vector<DeviceMessage> messages;       // none, unless the code takes a print buffer
  std::vector<std::string> requiredFeatures; // names that the target's driver knows; others are refused
  uint32_t launchFlags = 0;                  // of LaunchFlag
  uint32_t sharedBytes = 0;                  // sized by the launch; not what the code declares itself
  uint32_t threads = 1;                      // per program
  /// Programs along axis 0 that see each other's shared memory. The grid is a multiple of it, if not kLaunchSeveral.
  uint32_t clusterSize = 1;
  uint32_t registerCap = 0; // 0: none
  uint64_t scratchBytesPerProgram = 0;
  ProductCount products;
  bool ignoresFacts = false; // the same code comes out whatever is known of the arguments
  std::string sourceHash;    // of source, constants, types, target, options and build id
  std::string sourcePath;    // as given
  std::vector<uint8_t> binary;
};

/// Magic, version, checksum, metadata, binary.
std::vector<uint8_t> serialize(const Artifact &artifact);
/// Throws tegula::Error that says what is wrong: foreign, truncated, damaged (a guard or recipe of no parameter, an
/// unknown flag) or of another version.
Artifact deserializeArtifact(std::span<const uint8_t> bytes);

} // namespace tegula
