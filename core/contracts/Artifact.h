// A compiled kernel: the binary, and the metadata that a launch needs. The encoding is versioned; caches and bundles
// store it.
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

/// The version of the encoding. It must be raised when the encoding or the meaning of a declaration below changes.
/// Additions of each version:
/// 2: launch flags, descriptor recipes, the form of hidden arguments and descriptors.
/// 3: messages.
/// 4: the number of matrix products.
/// 5: messages about limits of the device.
/// 6: whether the code depends on facts about the arguments.
/// 7: descriptors that the launch derives from other parameters.
/// 8: the conditions of such a descriptor on the grid.
/// 9: resident programs.
/// 10: descriptors whose copies round to tf32.
/// 11: conditions of code without derived descriptors.
/// 12: resident programs in clusters.
/// 13: programs in pairs.
/// 14: memory that the launch supplies; grids of several programs for each program of the caller's grid.
/// 15: the parameters through which the code writes.
/// 16: pairs of parameters whose memory must not overlap.
inline constexpr uint32_t kArtifactVersion = 16;

/// A fact that the code relies on. A launch whose arguments do not satisfy it runs another artifact.
struct Guard {
  enum class Kind : uint8_t {
    Equals,          // the argument's value == operand
    DivisibleBy,     // the argument's value % operand == 0
    AlignedTo,       // the pointer's address % operand == 0
    AllocationBelow, // bytes that can be reached from the pointer < operand
  };
  Kind kind = Kind::Equals;
  uint32_t param = 0; // index in Artifact::params
  int64_t operand = 0;
  bool operator==(const Guard &) const = default;
};

/// An argument that the launch supplies and the user does not see. Hidden arguments follow the parameters in this
/// order. If the code has both GridBase and GridSize, a grid that exceeds the device's limits is split into several
/// launches: a program's position is GridBase plus its position in the launch, and the number of programs is GridSize.
enum class HiddenArgument : uint8_t {
  GridBase,    // three i32 arguments: axes 0, 1, 2
  GridSize,    // three i32 arguments: axes 0, 1, 2
  Scratch,     // an address
  PrintBuffer, // address of the buffer for prints and assertions; see DeviceOutput.h
  SafeAddress, // address of at least 256 readable zero bytes, from which masked-off lanes load
};

/// A parameter of the code. A scalar is passed as its bytes (i1: one byte), a pointer as a 64-bit address, a descriptor
/// as its DescriptorRecipe says. A descriptor without a recipe is passed in parts, unless the backend defines another
/// form: by value, as one structure of 16 + 16 r bytes, aligned to 8, where r is the rank of the block:
///
///   address of the first element   8
///   r extents, r strides           8 each, in elements, in the order of the tensor's axes
///   padding is NaN                 4: 0 or 1
///   zero                           4
struct ArtifactParam {
  enum class Kind : uint8_t { Scalar, Pointer, Descriptor };
  std::string name;
  Kind kind = Kind::Scalar;
  ScalarType type = ScalarType::I32; // of the scalar, of the pointee, or of the descriptor's elements
  std::vector<int64_t> block = {};   // extents of a descriptor's block
  /// Set for a descriptor that the launch derives from earlier parameters, so that the caller does not pass it. Such
  /// parameters are the last ones.
  std::optional<DerivedTensor> tensor = {};
  /// Memory that the launch supplies to the kernel, aligned to 256 bytes.
  struct Workspace {
    uint64_t bytesPerProgram = 0; // for each launched program, of which there are gridFactor for each of the grid
    bool isZero = false;          // the memory holds zeros before the launch and after it
    bool operator==(const Workspace &) const = default;
  };
  /// Set for a pointer to memory that the launch supplies, so that the caller does not pass it. Such parameters stand
  /// after the passed ones and before the derived descriptors.
  std::optional<Workspace> workspace = {};
  /// The accesses that the code may make to the memory of a pointer or descriptor, or through pointers that it loads
  /// from there.
  enum class Access : uint8_t {
    Reads,       // never writes
    Accumulates, // writes, and adds to the present contents: a repeated launch has another result
    Writes,      // may write; also if nothing is known
  };
  Access access = Access::Writes;
  bool operator==(const ArtifactParam &) const = default;
};

/// How a launch encodes a tensor descriptor for hardware that copies boxes of a tensor. The encoded descriptor is
/// passed by value in place of the parameter: 128 bytes, aligned to 64.
///
/// A copy moves one box. In shared memory the box is row-major with packed rows, and the 16-byte pieces of each span of
/// `swizzleBytes` bytes are permuted: in a shared address that counts bytes from a multiple of 8 * swizzleBytes, the
/// bits that number a piece within its span, from bit 4 on, are XORed with as many bits from bit 7 on:
///
///   swizzleBytes  address bits
///       0         as they are
///      32         4    ^= 7
///      64         5:4  ^= 8:7
///     128         6:4  ^= 9:7
///
/// A load fills elements outside of the tensor with padding; a store drops them. A box must begin at a multiple of 16
/// bytes along the contiguous axis: measured on one device, a copy from another offset ended in an illegal instruction,
/// with and without a swizzle.
struct DescriptorRecipe {
  enum class Fill : uint8_t { AsPassed, Zero, NaN }; // padding; AsPassed: that of the launch's descriptor
  uint32_t param = 0;                // index of a descriptor in Artifact::params; at most one recipe for each
  ScalarType type = ScalarType::F32; // element type for the hardware, of the same width as the parameter's
  std::vector<uint32_t> box;         // elements along each axis of the tensor; the last axis is contiguous
  uint32_t swizzleBytes = 0;         // 0, 32, 64 or 128; if not 0, at least the bytes of a box's row
  Fill fill = Fill::AsPassed;
  bool roundsToTf32 = false; // loads round f32 elements to tf32
  bool operator==(const DescriptorRecipe &) const = default;
};

/// The constant part of a print, of an assertion, or of a limit of the device. (If a kernel reaches a limit, its
/// launch's results are invalid.) Records in the print buffer refer to it by its index in Artifact::messages.
struct DeviceMessage {
  enum class Kind : uint8_t { Print, Assert, Limit };
  enum class Format : uint8_t { None, Signed, Unsigned, Float, Hex, Address }; // None: no value follows the text
  Kind kind = Kind::Print;
  Format format = Format::None;
  ScalarType type = ScalarType::I32; // of the value; `format` distinguishes floats, integers and addresses
  std::string text;                  // a print's prefix, an assertion's message, or advice about a limit
  bool hasElements = false;          // each record is of one element of a tensor of shape `shape`
  std::vector<int64_t> shape;
  std::vector<SourceLocation> locations; // the innermost one first, then the call sites
};

/// The numbers of a kernel's matrix products: `eligible` ones have types for which the target has a matrix instruction;
/// `served` ones use one.
struct ProductCount {
  uint32_t eligible = 0, served = 0;
  bool operator==(const ProductCount &) const = default;
};

/// Bits of Artifact::launchFlags.
enum LaunchFlag : uint32_t {
  /// All programs are resident at once, so that they may wait for each other.
  kLaunchTogether = 1,
  /// The kernel may start before the previous kernel in the stream has ended; its code waits where necessary.
  kLaunchEarly = 2,
  /// A persistent kernel: along axis 0, as many programs are launched as the device has multiprocessors, in whole
  /// clusters. Each executes several programs of the grid, or none. The hidden argument GridSize is the grid's size.
  kLaunchResident = 4,
  /// Along axis 0, as many programs are launched as the grid has, or half as many, rounded up. In the second case each
  /// executes two consecutive programs of the grid. The hidden argument GridSize is the grid's size.
  kLaunchInPairs = 8,
  kKnownLaunchFlags = 15,
  /// The flags with which a launched program executes several programs of the grid.
  kLaunchSeveral = kLaunchResident | kLaunchInPairs,
};

struct Artifact {
  std::string target;
  std::string entry;
  std::vector<ArtifactParam> params;
  /// Launched programs along axis 0 for each program of the caller's grid. (Declared beside `params`, because each
  /// launch reads both.)
  uint32_t gridFactor = 1;
  /// The number of parameters that the caller passes. They stand first, then the workspaces, then the derived
  /// descriptors.
  size_t passedParams() const;
  /// The parameters that are memory supplied by the launch; and those that are derived descriptors.
  std::span<const ArtifactParam> workspaces() const;
  std::span<const ArtifactParam> derived() const;
  /// True if the code is correct for all arguments in all grids.
  bool servesAll() const { return guards.empty() && !conditions; }
  std::vector<HiddenArgument> hidden;
  std::vector<Guard> guards;
  /// The conditions that a launch must meet in addition to the guards. Code that has them is called *conditional*; a
  /// launch that does not meet them runs other code. Code with derived descriptors always has them.
  std::optional<LaunchConditions> conditions;
  std::vector<DescriptorRecipe> descriptors;
  std::vector<DeviceMessage> messages;       // empty unless the code takes a print buffer
  std::vector<std::string> requiredFeatures; // names that the target's driver must know, or it refuses the artifact
  uint32_t launchFlags = 0;                  // of LaunchFlag
  uint32_t sharedBytes = 0;                  // sized by the launch; without memory that the code declares
  uint32_t threads = 1;                      // per program
  /// Programs along axis 0 that can access each other's shared memory. The grid must be a multiple of it, unless the
  /// artifact has a flag of kLaunchSeveral.
  uint32_t clusterSize = 1;
  uint32_t registerCap = 0; // 0: none
  uint64_t scratchBytesPerProgram = 0;
  ProductCount products;
  bool ignoresFacts = false; // the code is the same whatever facts about the arguments are known
  std::string sourceHash;    // hash of source, constants, types, target, options and build id
  std::string sourcePath;    // as given
  std::vector<uint8_t> binary;
};

/// Encodes an artifact: magic, version, checksum, metadata, binary.
std::vector<uint8_t> serialize(const Artifact &artifact);
/// Throws tegula::Error with the defect: the bytes are no artifact, truncated, damaged (a guard or recipe without
/// parameter, an unknown flag) or of another version.
Artifact deserializeArtifact(std::span<const uint8_t> bytes);

} // namespace tegula
