// Which simt ops the printer makes a loop of, beside scf's own loops, and how often loops go round at most: asked by
// the printer, and by the pass that checks rounds.
#pragma once

#include "backends/vulkan/Profiles.h"
#include "core/ir/simt/Simt.h"

namespace tegula::vulkan {

/// Whether one element of global memory can be accessed without the word around it. Types of 32 bits and more can.
bool isAccessible(ScalarType type, const Profile &profile);

/// Whether an atomic on elements of the type is one instruction; else it is a loop of compare-and-exchange.
bool isAtomicInstruction(tile::AtomicKind kind, ScalarType type, const Profile &profile);

/// What `roundsOf` gives for loops whose rounds are not known, and for all that go round more often.
inline constexpr uint64_t kUnknownRounds = uint64_t(1) << 32;

/// How often all loops together go round at most while a block or an op is executed once by one subgroup. A loop of n
/// iterations has n + 1 rounds, the last one being its end. A device that runs a subgroup's lanes in lockstep passes
/// through whatever a branch skips, with no lane active: both ways of a branch count, and what is inside a loop counts
/// in the loop's last round too.
uint64_t roundsOf(mlir::Operation *op, const Profile &profile);
uint64_t roundsOf(mlir::Block &block, const Profile &profile);

} // namespace tegula::vulkan
