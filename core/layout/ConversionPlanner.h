// The parts of planning, which the files Conversion*.cpp share.
#pragma once

#include "core/layout/Conversion.h"
#include "core/layout/Subspace.h"

namespace tegula::layout::conversion {

/// Source and destination with the same outputs in the same order, and the destination without registers that repeat
/// other registers of the same thread: those are filled by `expand` at the end.
struct Problem {
  LinearLayout source, destination;
  LinearLayout expand; // kRegister (all of the destination's) -> kRegister (the ones kept)
  bool expands;        // false: `expand` is the identity
  ConversionOptions options;
};

/// From (kRegister, kLane, kWarp) of the destination to those of the source that hold the same, where every element
/// stays in its warp: the warp's part is the identity. Prefers to stay in the lane.
std::optional<LinearLayout> transferWithinWarp(const Problem &problem);

/// A renaming of registers, if every thread has what it needs in the same registers.
std::optional<RegisterStep> registerStep(const Problem &problem, const LinearLayout &transfer);

/// Rounds of shuffles that bring about the transfer.
std::optional<ShuffleStep> shuffleStep(const Problem &problem, const LinearLayout &transfer);

SharedStep sharedStep(const Problem &problem);

/// 32-bit shuffles that a warp makes.
uint32_t shuffleCount(const ShuffleStep &step, const ConversionOptions &options);

} // namespace tegula::layout::conversion
