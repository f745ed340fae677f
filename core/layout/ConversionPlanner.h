// The interfaces between the files Conversion*.cpp.
#pragma once

#include "core/layout/Conversion.h"
#include "core/layout/Subspace.h"

namespace tegula::layout::conversion {

/// Source and destination with the same outputs in the same order. The destination lacks registers that repeat other
/// registers of the same thread; `expand` fills them at the end.
struct Problem {
  LinearLayout source, destination;
  LinearLayout expand; // kRegister (all of the destination's) -> kRegister (the ones kept)
  bool expands;        // false: `expand` is the identity
  ConversionOptions options;
};

/// If every element stays in its warp: a map from (kRegister, kLane, kWarp) of the destination to those of the source
/// that hold the same element; the warp's part is the identity. Prefers the same lane.
std::optional<LinearLayout> transferWithinWarp(const Problem &problem);

/// A renaming of registers, if no element changes its thread and the renaming is the same in all threads.
std::optional<RegisterStep> registerStep(const Problem &problem, const LinearLayout &transfer);

/// An exchange of pairs, if all lanes of the destination that differ in one bit hold the same elements, which are those
/// of both in the source.
std::optional<PairStep> pairStep(const Problem &problem, const LinearLayout &transfer);

/// Swaps of lane bits with register bits, and a renaming behind them where it is needed, if such a sequence performs
/// the transfer; none where there would be more swaps than the options allow, or where a lane bit would have to change
/// places with a combination of bits.
std::optional<std::vector<ConversionPlan::Step>> swapSteps(const Problem &problem, const LinearLayout &transfer);

/// Rounds of shuffles that perform the transfer.
std::optional<ShuffleStep> shuffleStep(const Problem &problem, const LinearLayout &transfer);

SharedStep sharedStep(const Problem &problem);

/// The number of 32-bit shuffles of a warp.
uint32_t shuffleCount(const ShuffleStep &step, const ConversionOptions &options);

} // namespace tegula::layout::conversion
