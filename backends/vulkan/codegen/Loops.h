// The simt ops that the printer expands to loops, in addition to the loops of scf, and the largest number of rounds of
// all loops. The printer and the pass that checks rounds use them.
#pragma once

#include "backends/vulkan/Profiles.h"
#include "core/ir/simt/Simt.h"

namespace tegula::vulkan {

/// True if one element of global memory can be accessed without accessing the 32-bit word that contains it. Always true
/// for types of at least 32 bits.
bool isAccessible(ScalarType type, const Profile &profile);

/// True if an atomic on elements of the type is one instruction; otherwise it is a compare-exchange loop.
bool isAtomicInstruction(tile::AtomicKind kind, ScalarType type, const Profile &profile);

/// The result of `roundsOf` for loops with an unknown number of rounds, and the upper limit of its results.
inline constexpr uint64_t kUnknownRounds = uint64_t(1) << 32;

/// The largest number of rounds of all loops together while one subgroup executes a block or an op once. A loop of n
/// iterations has n + 1 rounds; the last round finds the condition false. A device that runs a subgroup's lanes in
/// lockstep also passes, with no lane active, through code that a branch skips: therefore both arms of a branch count,
/// and a loop's body counts in its last round, too.
uint64_t roundsOf(mlir::Operation *op, const Profile &profile);
uint64_t roundsOf(mlir::Block &block, const Profile &profile);

} // namespace tegula::vulkan
