// Conversion plans, executed: every thread of the destination ends with the elements its layout says, whatever the
// layouts; and what plans claim of bank conflicts is what counting over lanes finds.
#include "core/layout/Conversion.h"
#include "core/support/Diagnostic.h"
#include "tests/layout/Random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace tegula::layout::test {
namespace {

using ::testing::HasSubstr;
using Kind = ConversionPlan::Kind;

uint64_t tensorIndex(const LinearLayout &layout, const Coordinates &coordinates) {
  uint64_t index = 0;
  std::vector<uint32_t> shape = layout.shape();
  for (size_t i = 0; i < shape.size(); ++i)
    index = index * shape[i] + coordinates[i];
  return index;
}

/// The registers of all threads when each element holds a number that tells it apart.
std::vector<uint64_t> filled(const LinearLayout &layout) {
  std::vector<uint64_t> values;
  for (const Coordinates &coordinates : enumerate(layout))
    values.push_back(0x9e3779b97f4a7c15u * (tensorIndex(layout, coordinates) + 1));
  return values;
}

/// Law 1: the plan moves every element. Law 2: claims of conflicts are exact, or upper bounds where passes leave lanes
/// out. Returns the number of accesses looked at.
size_t check(const ConversionPlan &plan) {
  EXPECT_EQ(plan.execute(filled(plan.source())), filled(plan.destination())) << plan.print();
  std::vector<ConversionPlan::Traced> accesses = plan.trace();
  for (const ConversionPlan::Traced &access : accesses) {
    uint32_t counted = countConflicts(access.addresses, access.bytes, plan.options().banks);
    if (plan.shared()->passes == 1)
      EXPECT_EQ(counted, access.claimedConflicts) << plan.print();
    else
      EXPECT_LE(counted, access.claimedConflicts) << plan.print();
    for (const std::optional<uint64_t> &address : access.addresses)
      if (address && *address % access.bytes != 0)
        ADD_FAILURE() << "address " << *address << " of an access of " << access.bytes << " bytes\n" << plan.print();
  }
  return accesses.size();
}

ConversionOptions randomOptions(Rng &rng) {
  ConversionOptions options;
  options.elementBytes = uint32_t(1) << below(rng, 4);
  options.maxAccessBytes = 16u >> (chance(rng, 20) ? below(rng, 3) : 0);
  if (chance(rng, 10))
    options.sharedBytes = 64u << below(rng, 4);
  if (chance(rng, 10))
    options.maxShuffles = 0;
  if (chance(rng, 5))
    options.banks.banks = 64;
  return options;
}

TEST(Conversion, TenThousandRandomPairs) {
  Rng rng(20240531);
  std::map<Kind, int> kinds;
  size_t accesses = 0, conflictFree = 0, shared = 0, passes = 0;
  for (int i = 0; i < 10000 && !HasFailure(); ++i) {
    Tensor tensor = randomTensor(rng);
    LinearLayout source = randomDistributed(rng, tensor);
    LinearLayout destination = chance(rng, 25) ? randomRelative(rng, source) : randomDistributed(rng, tensor);
    SCOPED_TRACE("pair " + std::to_string(i) + ": " + source.toText() + " to " + destination.toText());
    // randomRelative may lose elements: then the other way round is a conversion as well.
    if (!source.isSurjective())
      std::swap(source, destination);
    if (!source.isSurjective())
      continue;
    ConversionPlan plan = planConversion(source, destination, randomOptions(rng));
    ++kinds[plan.kind()];
    accesses += check(plan);
    if (const SharedStep *step = plan.shared()) {
      ++shared;
      passes += step->passes > 1;
      conflictFree += step->store.conflicts == 0 && step->load.conflicts == 0;
    }
  }
  std::printf("nothing %d, registers %d, shuffle %d, shared %d: %zu without conflicts, %zu in passes, %zu accesses\n",
              kinds[Kind::Nothing], kinds[Kind::Registers], kinds[Kind::Shuffle], kinds[Kind::Shared], conflictFree,
              passes, accesses);
  EXPECT_GE(kinds[Kind::Nothing] + kinds[Kind::Registers] + kinds[Kind::Shuffle] + kinds[Kind::Shared], 9900);
  for (Kind kind : {Kind::Nothing, Kind::Registers, Kind::Shuffle, Kind::Shared})
    EXPECT_GE(kinds[kind], 100) << name(kind);
  EXPECT_GE(passes, 50u);
  EXPECT_GE(conflictFree, shared * 9 / 10);
}

} // namespace
} // namespace tegula::layout::test
