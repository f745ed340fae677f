// Memory that is padded in place of swizzled: what paddedInstead claims, compared with every address of every thread.
#include "core/layout/Conversion.h"
#include "tests/layout/Random.h"

#include <gtest/gtest.h>

#include <set>

namespace tegula::layout::test {
namespace {

/// The addresses, in elements, of all registers of a thread.
std::vector<uint64_t> addressesOf(const SharedLayout &memory, const LinearLayout &layout, uint32_t lane,
                                  uint32_t warp) {
  LinearLayout ordered = layout.transposeInputs({kRegister, kLane, kWarp});
  uint32_t registers = ordered.inputSize(kRegister), lanes = ordered.inputSize(kLane);
  std::vector<uint64_t> result;
  for (uint32_t i = 0; i < registers; ++i)
    result.push_back(
        memory.addressOf(ordered.unpackOutput(ordered.applyFlat(i + registers * (lane + uint64_t(lanes) * warp)))));
  return result;
}

/// Law 1: an address is the sum of a thread's part and of a register's. Law 2: the accesses have at most the conflicts
/// of the step. Law 3: a thread's accesses lie side by side and are aligned.
void checkSide(const SharedLayout &memory, const LinearLayout &layout, const SharedAccess &access,
               const ConversionOptions &options) {
  std::vector<uint64_t> first = addressesOf(memory, layout, 0, 0);
  uint32_t lanes = layout.inputSize(kLane), bytes = access.width * options.elementBytes;
  for (uint32_t warp = 0; warp < layout.inputSize(kWarp); ++warp) {
    std::vector<std::vector<uint64_t>> ofLanes;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      ofLanes.push_back(addressesOf(memory, layout, lane, warp));
      for (size_t i = 0; i < first.size(); ++i)
        ASSERT_EQ(ofLanes.back()[i], ofLanes.back()[0] + first[i] - first[0]);
      std::set<uint64_t> all(ofLanes.back().begin(), ofLanes.back().end());
      for (uint64_t address : all)
        ASSERT_TRUE(address % access.width == 0 || all.count(address - 1)) << "an access begins at " << address;
    }
    for (size_t i = 0; i < first.size(); ++i) {
      if (first[i] % access.width != 0)
        continue;
      std::vector<std::optional<uint64_t>> addresses;
      for (uint32_t lane = 0; lane < lanes; ++lane)
        addresses.push_back(lane & access.idleLanes ? std::nullopt
                                                    : std::optional(ofLanes[lane][i] * options.elementBytes));
      ASSERT_LE(countConflicts(addresses, bytes, options.banks), access.conflicts);
    }
  }
}

/// Whether paddedInstead finds a layout for the conversion. What it finds is compared with the conversion here: each
/// element has a place of its own, and accesses have no more bank conflicts than planned.
bool check(const LinearLayout &source, const LinearLayout &destination, const ConversionOptions &options) {
  ConversionPlan plan = planConversion(source, destination, options);
  const SharedStep *step = plan.shared();
  std::optional<SharedLayout> padded = step ? paddedInstead(source, destination, *step, options) : std::nullopt;
  if (!padded)
    return false;
  SCOPED_TRACE(source.toText() + " to " + destination.toText());
  std::set<uint64_t> addresses;
  for (const Coordinates &coordinates : enumerate(destination))
    addresses.insert(padded->addressOf(coordinates));
  std::set<Coordinates> elements;
  for (const Coordinates &coordinates : enumerate(destination))
    elements.insert(coordinates);
  EXPECT_EQ(addresses.size(), elements.size());
  checkSide(*padded, source, step->store, options);
  checkSide(*padded, destination, step->load, options);
  return true;
}

ConversionOptions optionsFor(uint32_t elementBytes) {
  ConversionOptions options;
  options.elementBytes = elementBytes;
  options.keepsRegisters = true;
  return options;
}

/// Operands of an attention for RDNA 3, where lanes 16 to 31 hold copies of what lanes 0 to 15 hold: queries, keys and
/// values.
TEST(Padded, OperandsOfAnAttention) {
  auto isPadded = [](const char *source, const char *destination) {
    return check(LinearLayout::parse(source), LinearLayout::parse(destination), optionsFor(2));
  };
  EXPECT_TRUE(isPadded("register: (0,1) (0,2) (0,4) (8,0) (16,0) (32,0) (64,0); "
                       "lane: (0,8) (0,16) (0,32) (0,64) (1,0); warp: (2,0) (4,0)",
                       "register: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (16,0); "
                       "lane: (1,0) (2,0) (4,0) (8,0) (0,0); warp: (32,0) (64,0)"));
  EXPECT_TRUE(isPadded("register: (1,0) (2,0) (4,0) (0,8) (0,16) (0,32); "
                       "lane: (8,0) (16,0) (32,0) (64,0) (0,1); warp: (0,2) (0,4)",
                       "register: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (0,16) (0,32); "
                       "lane: (0,2) (0,1) (0,4) (0,8) (0,0); warp: (0,0) (0,0)"));
  EXPECT_TRUE(isPadded("register: (0,1) (0,2) (0,4) (1,0) (2,0) (4,0); "
                       "lane: (0,8) (0,16) (0,32) (0,64) (8,0); warp: (16,0) (32,0)",
                       "register: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,16) (0,32) (0,64); "
                       "lane: (0,2) (0,1) (0,4) (0,8) (0,0); warp: (0,0) (0,0)"));
}

/// Both sides access rows in their order: nothing is swizzled.
TEST(Padded, NothingToPad) {
  const char *rows = "register: (0,1) (0,2) (0,4) (16,0); lane: (0,8) (0,16) (0,32) (1,0) (2,0); warp: (4,0) (8,0)";
  const char *others = "register: (0,1) (0,2) (0,4) (16,0); lane: (0,8) (0,16) (0,32) (4,0) (8,0); warp: (1,0) (2,0)";
  EXPECT_FALSE(check(LinearLayout::parse(rows), LinearLayout::parse(others), optionsFor(2)));
}

TEST(Padded, RandomPairs) {
  Rng rng(3);
  size_t padded = 0;
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    // Vectors of one axis in both layouts, and other bits in any order.
    uint32_t elementBytes = 1u << below(rng, 3), vectorBits = 4 - uint32_t(std::countr_zero(elementBytes));
    auto random = [&](unsigned fast) {
      std::vector<Coordinates> bits, vector;
      for (unsigned axis : {0u, 1u})
        for (uint32_t step = 1; step < 64; step *= 2)
          (axis == fast && vector.size() < vectorBits ? vector : bits)
              .push_back(axis == 0 ? Coordinates{step, 0} : Coordinates{0, step});
      for (size_t at = bits.size(); at > 1; --at)
        std::swap(bits[at - 1], bits[below(rng, uint32_t(at))]);
      std::vector<Coordinates> lanes(bits.begin(), bits.begin() + 5), warps(bits.begin() + 5, bits.begin() + 7);
      vector.insert(vector.end(), bits.begin() + 7, bits.end());
      return LinearLayout({{kRegister, vector}, {kLane, lanes}, {kWarp, warps}}, tensorExtents({64, 64}));
    };
    unsigned fast = below(rng, 2);
    padded += check(random(fast), random(chance(rng, 70) ? fast : 1 - fast), optionsFor(elementBytes));
  }
  EXPECT_GE(padded, 40u);
}

} // namespace
} // namespace tegula::layout::test
