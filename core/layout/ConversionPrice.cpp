// What the steps of a conversion cost a warp.
#include "core/layout/ConversionPlanner.h"

#include <algorithm>

namespace tegula::layout::conversion {
namespace {

/// Words of 32 bits that hold `elements`.
double wordsOf(double elements, const ConversionOptions &options) {
  return std::max(1.0, elements * options.elementBytes / 4);
}

/// The bits of lanes and warps on which the map's register depends.
unsigned deciders(const LinearLayout &map) {
  unsigned count = 0;
  for (Dim dim : {kLane, kWarp})
    for (uint64_t image : map.flatBases(dim))
      count += image != 0;
  return count;
}

double price(const Problem &, const RegisterStep &) { return 0; }

double price(const Problem &problem, const PairStep &) {
  double words = wordsOf(problem.source.inputSize(kRegister), problem.options);
  return words * (problem.options.prices.pair + problem.options.prices.select);
}

double price(const Problem &problem, const SwapStep &) {
  // Half of the registers are given; each half of the result is chosen, and so is what is given.
  double words = wordsOf(problem.source.inputSize(kRegister) / 2.0, problem.options);
  return words * (problem.options.prices.swap + 2 * problem.options.prices.select);
}

double price(const Problem &problem, const ShuffleStep &step) {
  const ConversionPrices &prices = problem.options.prices;
  double slots = step.give.inputSize(kRegister), chosen = deciders(step.give);
  for (unsigned bit = 0; bit < step.into.inputBits(kLane); ++bit)
    chosen += step.into.basis(kLane, bit)[0] != 0 || step.groupOf.basis(kLane, bit)[0] != 0;
  return step.rounds() * wordsOf(step.elementsPerRound, problem.options) * prices.shuffle +
         chosen * wordsOf(slots, problem.options) * prices.select;
}

double barrierPrice(const Problem &problem) {
  const ConversionPrices &prices = problem.options.prices;
  return problem.source.inputSize(kWarp) > 1 ? prices.barrier : prices.barrier / 8;
}

double price(const Problem &problem, const SharedStep &step) {
  double accesses = 0;
  for (const SharedAccess *access : {&step.store, &step.load})
    accesses += double(access->count()) * (access->phases + access->conflicts);
  return accesses + (2 * step.passes - 1) * barrierPrice(problem);
}

} // namespace

double priceOf(const Problem &problem, const std::vector<ConversionPlan::Step> &steps) {
  double sum = 0;
  for (const ConversionPlan::Step &step : steps)
    sum += std::visit([&](const auto &each) { return price(problem, each); }, step);
  return sum;
}

double leastSharedPrice(const Problem &problem) { return barrierPrice(problem) + 2; }

} // namespace tegula::layout::conversion
