// Conversion plans, executed: every destination thread gets the elements that its layout defines, for random layouts;
// and the bank conflicts that plans claim are compared with a count over lanes.
#include "core/layout/Conversion.h"
#include "core/support/Diagnostic.h"
#include "tests/layout/Random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace tegula::layout::test {
namespace {

using ::testing::HasSubstr;
using Kind = ConversionPlan::Kind;

/// The registers of all threads, one thread after another, where each element has a distinct value.
std::vector<uint64_t> filled(const LinearLayout &layout) {
  std::vector<uint64_t> values;
  std::vector<uint32_t> shape = layout.shape();
  std::vector<Dim> order; // the layout's own may have lanes before registers
  for (Dim dim : {kRegister, kLane, kWarp, kBlock})
    if (layout.hasInput(dim))
      order.push_back(dim);
  for (const Coordinates &coordinates : enumerate(layout.transposeInputs(order))) {
    uint64_t index = 0; // row-major
    for (size_t i = 0; i < shape.size(); ++i)
      index = index * shape[i] + coordinates[i];
    values.push_back(0x9e3779b97f4a7c15u * (index + 1));
  }
  return values;
}

/// Law 1: the plan moves every element. Law 2: claimed conflicts are exact, or upper bounds for plans of several
/// passes, in which lanes may be inactive. Returns the number of checked accesses.
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
  if (chance(rng, 5))
    options.banks.banks = 64;
  options.keepsRegisters = chance(rng, 25);
  for (double *price : {&options.prices.pair, &options.prices.swap, &options.prices.shuffle})
    if (chance(rng, 70))
      *price = below(rng, 5) * 0.5;
  return options;
}

#if __has_feature(address_sanitizer) // about fifteen times as slow
constexpr int kPairs = 1000;
#else
constexpr int kPairs = 10000;
#endif

/// A tile of 128x64 elements of 16 bits, of which a thread loads eight of a row, to the left operand of a product whose
/// lanes hold four. Without the option both sides move 16 bytes, of which the stores take halves of two rows. With it
/// each store takes neighbouring registers.
TEST(Conversion, KeepsRegisters) {
  LinearLayout loaded =
      LinearLayout::parse("register: (0,1) (0,2) (0,4) (32,0) (64,0); lane: (0,8) (0,16) (0,32) (1,0) "
                          "(2,0) (4,0); warp: (8,0) (16,0)");
  LinearLayout left = LinearLayout::parse("register: (0,1) (0,2) (0,8) (0,16) (0,32) (32,0); lane: (1,0) (2,0) (4,0) "
                                          "(8,0) (16,0) (0,4); warp: (0,0) (64,0)");
  for (bool keeps : {false, true}) {
    ConversionOptions options;
    options.elementBytes = 2;
    options.keepsRegisters = keeps;
    ConversionPlan plan = planConversion(loaded, left, options);
    ASSERT_NE(plan.shared(), nullptr);
    const SharedAccess &store = plan.shared()->store;
    bool inOrder = true;
    for (uint32_t i = 0; i < store.width; ++i)
      inOrder = inOrder && store.order.applyFlat(i) == i;
    EXPECT_EQ(inOrder, keeps) << plan.print();
    EXPECT_EQ(store.conflicts + plan.shared()->load.conflicts, 0u);
  }
}

std::vector<InputBases>::iterator find(std::vector<InputBases> &bases, Dim dim) {
  return std::find_if(bases.begin(), bases.end(), [&](const InputBases &each) { return each.dim == dim; });
}

/// `from`, but one bit of the lanes, with elements of its own, is a bit of the registers instead, anywhere among them:
/// the lanes that differ in it hold copies. Nothing where all lanes hold copies already.
std::optional<LinearLayout> joinedLanes(Rng &rng, const LinearLayout &from) {
  std::vector<InputBases> bases = from.bases();
  auto lanes = find(bases, kLane), registers = find(bases, kRegister);
  if (lanes == bases.end() || registers == bases.end() || lanes->bases.empty())
    return std::nullopt;
  Coordinates &joined = lanes->bases[below(rng, uint32_t(lanes->bases.size()))];
  Coordinates none(joined.size(), 0);
  if (joined == none)
    return std::nullopt;
  auto at = static_cast<ptrdiff_t>(below(rng, uint32_t(registers->bases.size()) + 1));
  registers->bases.insert(registers->bases.begin() + at, joined);
  joined = none;
  return LinearLayout(bases, from.outputs());
}

/// Lanes that share elements with one other lane exchange them where this is allowed, and only there.
TEST(Conversion, ExchangesPairs) {
  Rng rng(11);
  int exchanged = 0;
  for (int i = 0; i < 1000 && !HasFailure(); ++i) {
    LinearLayout source = randomDistributed(rng, randomTensor(rng));
    std::optional<LinearLayout> destination = joinedLanes(rng, source);
    if (!destination || !source.isInjective())
      continue;
    ConversionOptions options = randomOptions(rng);
    for (bool allowed : {false, true}) {
      options.prices = {.pair = allowed ? 0 : ConversionPrices::kNever, .select = 0};
      ConversionPlan plan = planConversion(source, *destination, options);
      EXPECT_EQ(plan.kind() == Kind::Pair, allowed) << plan.print();
      check(plan);
      exchanged += plan.kind() == Kind::Pair;
    }
  }
  EXPECT_GE(exchanged, 100);
}

/// `from` with `count` bits of the lanes in the places of bits of the registers, and these in theirs; nothing where it
/// has too few.
std::optional<LinearLayout> swappedLanes(Rng &rng, const LinearLayout &from, unsigned count) {
  std::vector<InputBases> bases = from.bases();
  auto lanes = find(bases, kLane), registers = find(bases, kRegister);
  if (lanes == bases.end() || registers == bases.end() ||
      std::min(lanes->bases.size(), registers->bases.size()) < count)
    return std::nullopt;
  std::shuffle(registers->bases.begin(), registers->bases.end(), rng);
  for (unsigned i = 0; i < count; ++i)
    std::swap(lanes->bases[(i * 2 + 1) % lanes->bases.size()], registers->bases[i]);
  return LinearLayout(bases, from.outputs());
}

/// Bits of lanes and registers change places by swaps where swaps are offered and cost less than memory.
TEST(Conversion, SwapsBits) {
  Rng rng(12);
  int swapped = 0;
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    LinearLayout source = randomDistributed(rng, randomTensor(rng));
    unsigned count = 1 + below(rng, 2);
    std::optional<LinearLayout> destination = swappedLanes(rng, source, count);
    if (!destination || !source.isInjective())
      continue;
    ConversionOptions options = randomOptions(rng);
    for (double price : {0.0, 1e6, ConversionPrices::kNever}) {
      options.prices = {.swap = price, .select = 0};
      ConversionPlan plan = planConversion(source, *destination, options);
      EXPECT_EQ(plan.kind() == Kind::Swap, price == 0) << plan.print();
      check(plan);
      swapped += plan.kind() == Kind::Swap;
    }
  }
  EXPECT_GE(swapped, 100);
}

TEST(Conversion, RandomPairs) {
  Rng rng(20240531);
  std::map<Kind, int> kinds;
  size_t accesses = 0, conflictFree = 0, shared = 0, passes = 0;
  for (int i = 0; i < kPairs && !HasFailure(); ++i) {
    Tensor tensor = randomTensor(rng);
    LinearLayout source = randomDistributed(rng, tensor);
    LinearLayout destination = chance(rng, 25) ? randomRelative(rng, source) : randomDistributed(rng, tensor);
    SCOPED_TRACE("pair " + std::to_string(i) + ": " + source.toText() + " to " + destination.toText());
    // randomRelative may lose elements; then the opposite direction is a conversion as well.
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
  std::printf(
      "nothing %d, registers %d, shuffle %d, shared %d, pair %d: %zu without conflicts, %zu in passes, %zu accesses\n",
      kinds[Kind::Nothing], kinds[Kind::Registers], kinds[Kind::Shuffle], kinds[Kind::Shared], kinds[Kind::Pair],
      conflictFree, passes, accesses);
  EXPECT_GE(kinds[Kind::Nothing] + kinds[Kind::Registers] + kinds[Kind::Shuffle] + kinds[Kind::Shared] +
                kinds[Kind::Pair],
            kPairs * 99 / 100);
  for (Kind kind : {Kind::Nothing, Kind::Registers, Kind::Shuffle, Kind::Shared})
    EXPECT_GE(kinds[kind], kPairs / 100) << name(kind);
  EXPECT_GE(passes, size_t(kPairs / 200));
  EXPECT_GE(conflictFree, shared * 9 / 10);
}

/// The cheapest kind of conversion, found by comparing every element of every thread.
Kind cheapest(const LinearLayout &source, const LinearLayout &destination) {
  uint32_t lanes = source.inputSize(kLane), warps = source.inputSize(kWarp);
  std::vector<Coordinates> from = enumerate(source), to = enumerate(destination);
  size_t fromRegisters = source.inputSize(kRegister), toRegisters = destination.inputSize(kRegister);
  bool sameRegisters = true, renamed = true, inWarp = true;
  for (uint32_t w = 0; w < warps; ++w)
    for (size_t r = 0; r < toRegisters; ++r) {
      std::vector<bool> fits(fromRegisters, true); // candidates: one register number for all lanes and warps
      for (size_t f = 0; f < fromRegisters; ++f)
        for (size_t t = 0; t < size_t(lanes) * warps; ++t)
          fits[f] = fits[f] && from[t * fromRegisters + f] == to[t * toRegisters + r];
      sameRegisters = sameRegisters && r < fromRegisters && fits[r];
      renamed = renamed && std::find(fits.begin(), fits.end(), true) != fits.end();
      auto first = from.begin() + static_cast<ptrdiff_t>(w * lanes * fromRegisters);
      for (uint32_t l = 0; l < lanes; ++l)
        inWarp = inWarp && std::find(first, first + static_cast<ptrdiff_t>(lanes * fromRegisters),
                                     to[(w * lanes + l) * toRegisters + r]) !=
                               first + static_cast<ptrdiff_t>(lanes * fromRegisters);
    }
  if (sameRegisters && fromRegisters == toRegisters)
    return Kind::Nothing;
  return renamed ? Kind::Registers : inWarp ? Kind::Shuffle : Kind::Shared;
}

// Law 3: no plan is more expensive than necessary. Shared memory within a warp is allowed only where one shuffle would
// have to read two registers of a lane, which happens only if the destination lacks part of the source.
TEST(Conversion, PlansAreTheCheapestKind) {
  Rng rng(7);
  std::map<Kind, int> kinds;
  for (int i = 0; i < 600; ++i) {
    Tensor tensor = randomTensor(rng);
    tensor.laneBits = 3;
    tensor.warpBits = below(rng, 2);
    for (uint32_t &size : tensor.shape)
      size = std::min(size, 8u);
    LinearLayout source = randomDistributed(rng, tensor);
    LinearLayout destination = chance(rng, 60) ? randomRelative(rng, source) : randomDistributed(rng, tensor);
    if (!destination.isSurjective())
      continue;
    ConversionOptions options;
    options.prices = {.shuffle = 0, .select = 0};
    ConversionPlan plan = planConversion(source, destination, options);
    Kind expected = cheapest(source, destination);
    if (expected == Kind::Nothing && plan.kind() == Kind::Registers)
      expected = Kind::Registers; // copies: other registers hold the same values
    EXPECT_EQ(plan.kind(), expected) << plan.print();
    ++kinds[expected];
    check(plan);
  }
  for (Kind kind : {Kind::Nothing, Kind::Registers, Kind::Shuffle, Kind::Shared})
    EXPECT_GE(kinds[kind], 10) << name(kind);
}

/// The plan is the cheapest of those that one way alone gives.
TEST(Conversion, ThePriceDecides) {
  Rng rng(13);
  std::map<Kind, int> kinds;
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    LinearLayout source = randomDistributed(rng, randomTensor(rng));
    std::optional<LinearLayout> destination =
        chance(rng, 30) ? joinedLanes(rng, source) : swappedLanes(rng, source, 1 + below(rng, 3));
    if (!destination || !source.isInjective())
      continue;
    ConversionOptions options = randomOptions(rng);
    ConversionPlan plan = planConversion(source, *destination, options);
    ++kinds[plan.kind()];
    for (double ConversionPrices::*way :
         {&ConversionPrices::pair, &ConversionPrices::swap, &ConversionPrices::shuffle}) {
      ConversionOptions alone = options;
      alone.prices.pair = alone.prices.swap = alone.prices.shuffle = ConversionPrices::kNever;
      EXPECT_LE(plan.price(), planConversion(source, *destination, alone).price()) << plan.print();
      alone.prices.*way = options.prices.*way;
      EXPECT_LE(plan.price(), planConversion(source, *destination, alone).price()) << plan.print();
    }
  }
  for (Kind kind : {Kind::Pair, Kind::Swap, Kind::Shuffle, Kind::Shared})
    EXPECT_GE(kinds[kind], 20) << name(kind);
}

TEST(Conversion, TransposeOfHalvesGoesInVectorsWithoutConflicts) {
  LinearLayout rows = blocked({{1, 8}, {8, 4}, {4, 1}, {1, 0}, {64, 64}});
  LinearLayout columns = blocked({{8, 1}, {4, 8}, {1, 4}, {0, 1}, {64, 64}});
  ConversionOptions options;
  options.elementBytes = 2;
  ConversionPlan plan = planConversion(rows, columns, options);
  check(plan);
  ASSERT_NE(plan.shared(), nullptr);
  EXPECT_EQ(plan.shared()->store.conflicts + plan.shared()->load.conflicts, 0u);
  EXPECT_EQ(std::max(plan.shared()->store.width, plan.shared()->load.width), 8u);
  // From the layout of a load to a fragment of a matrix instruction.
  LinearLayout loaded = blocked({{1, 8}, {8, 4}, {4, 1}, {1, 0}, {64, 64}});
  LinearLayout fragments =
      LinearLayout::parse("register: (0,1) (8,0) (0,8) (0,16) (0,32); lane: (0,2) (0,4) (1,0) (2,0) "
                          "(4,0); warp: (16,0) (32,0)");
  ConversionPlan toFragments = planConversion(loaded, fragments, options);
  check(toFragments);
  ASSERT_NE(toFragments.shared(), nullptr);
  EXPECT_EQ(toFragments.shared()->store.conflicts + toFragments.shared()->load.conflicts, 0u);
}

TEST(Conversion, PassesStayWithinTheBytesAllowed) {
  LinearLayout rows = blocked({{1, 4}, {8, 4}, {4, 1}, {1, 0}, {64, 64}});
  LinearLayout columns = blocked({{4, 1}, {4, 8}, {1, 4}, {0, 1}, {64, 64}});
  for (uint64_t bytes : {64u, 1000u, 4096u, 16384u}) {
    ConversionOptions options;
    options.sharedBytes = bytes;
    ConversionPlan plan = planConversion(rows, columns, options);
    check(plan);
    EXPECT_LE(plan.shared()->passElements() * 4, bytes);
    for (const ConversionPlan::Traced &access : plan.trace())
      for (const std::optional<uint64_t> &address : access.addresses)
        EXPECT_LE(address.value_or(0) + access.bytes, bytes);
  }
  ConversionOptions none;
  none.sharedBytes = 3;
  EXPECT_THAT([&] { planConversion(rows, columns, none); },
              ::testing::ThrowsMessage<Error>(HasSubstr("may use 3 bytes of shared memory")));
}

TEST(Conversion, BlocksKeepTheirParts) {
  LinearLayout source = LinearLayout::parse("register: (1) (2); lane: (4) (8) (16); block: (32) (64)");
  LinearLayout destination = LinearLayout::parse("lane: (1) (2) (4); register: (8) (16); block: (32) (64)");
  ConversionOptions shuffles;
  shuffles.prices = {.shuffle = 0, .select = 0};
  ConversionPlan plan = planConversion(source, destination, shuffles);
  EXPECT_EQ(plan.kind(), Kind::Shuffle);
  for (const ConversionPlan &each : {plan, planConversion(source, destination)}) {
    EXPECT_EQ(each.execute(filled(source.sublayoutOfInputs({kRegister, kLane}))),
              filled(destination.sublayoutOfInputs({kRegister, kLane})));
  }
}

TEST(Conversion, WhatCannotBeConvertedSaysSo) {
  auto expectMessage = [](const char *from, const char *to, const char *text) {
    EXPECT_THAT([&] { planConversion(LinearLayout::parse(from), LinearLayout::parse(to)); },
                ::testing::ThrowsMessage<Error>(HasSubstr(text)));
  };
  expectMessage("lane: (1) (2)", "lane: (1) -> [4]", "cannot convert from 4 to 2 values of lane");
  expectMessage("lane: (1) (2)", "lane: (1) (4)", "different shapes");
  expectMessage("lane: (1) (0) -> [4]", "lane: (1) (2)", "does not hold all that");
  expectMessage("lane: (1); block: (2)", "lane: (2); block: (1)", "cannot convert between blocks");
  expectMessage("offset: (1)", "offset: (1)", "has the input offset");
}

TEST(Conversion, PrintsWhatHappens) {
  LinearLayout source = LinearLayout::parse("register: (0,1); lane: (1,0)");
  LinearLayout destination = LinearLayout::parse("register: (1,0); lane: (0,1)");
  ConversionOptions options;
  options.prices.shuffle = 1;
  EXPECT_EQ(planConversion(source, destination, options).print(),
            "from register: (0,1); lane: (1,0)\n"
            "to   register: (1,0); lane: (0,1)\n"
            "shuffle: 2 rounds of 1 element (4 bytes); slot = round * 1 + element, in place of register\n"
            "  lane gives register   register: (1); lane: (1); warp:\n"
            "  and takes from lane   register: (1); lane: (1); warp:\n"
            "  into register         register: (1); lane: (1); warp:\n");
}

} // namespace
} // namespace tegula::layout::test
