// The interfaces between the files Conversion*.cpp.
#pragma once

#include "core/layout/Conversion.h"
#include "core/layout/Subspace.h"

namespace tegula::layout::conversion {

/// A conversion whose source and destination have the same outputs in the same order. Registers of a thread that repeat
/// another register are removed from the destination; `expand` restores them at the end.
struct Problem {
  LinearLayout source, destination;
  LinearLayout expand; // kRegister of the full destination -> kRegister of `destination`
  bool expands;        // false: `expand` is the identity
  ConversionOptions options;
};

/// The map from (kRegister, kLane, kWarp) of the destination to the (kRegister, kLane, kWarp) of the source that holds
/// the same element, if every element stays in its warp. The warp's part is the identity. Where several lanes hold the
/// element, the map prefers the same lane.
std::optional<LinearLayout> transferWithinWarp(const Problem &problem);

/// A renaming of registers, if no element changes its thread and the renaming is the same in all threads.
std::optional<RegisterStep> registerStep(const Problem &problem, const LinearLayout &transfer);

/// An exchange between pairs of lanes. Precondition: lanes of the destination that differ in one bit hold the same
/// elements, and these are the elements that the two lanes hold in the source.
std::optional<PairStep> pairStep(const Problem &problem, const LinearLayout &transfer);

/// Swaps of lane bits with register bits that perform the transfer, followed by a renaming of registers if one is
/// needed. Nothing if a lane bit would have to be swapped with a combination of bits.
std::optional<std::vector<ConversionPlan::Step>> swapSteps(const Problem &problem, const LinearLayout &transfer);

/// Rounds of shuffles that perform the transfer.
std::optional<ShuffleStep> shuffleStep(const Problem &problem, const LinearLayout &transfer);

SharedStep sharedStep(const Problem &problem);

/// What a warp pays for the steps of a plan, by the options' prices.
double priceOf(const Problem &problem, const std::vector<ConversionPlan::Step> &steps);
/// The least that any step through shared memory costs: a barrier, a store and a load.
double leastSharedPrice(const Problem &problem);

} // namespace tegula::layout::conversion
