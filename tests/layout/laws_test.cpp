// The numbered laws of the layout algebra, on random layouts, against enumeration of all inputs.
#include "core/support/Diagnostic.h"
#include "tests/layout/Random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace tegula::layout::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<Dim> kIns = {kRegister, kLane, kWarp};
const std::vector<Dim> kMiddle = {kDim0, kDim1};
const std::vector<Dim> kOuts = {kDim2, kOffset};
constexpr int kRounds = 300;

/// The coordinate of one dimension in a flat number over `extents`.
uint32_t part(const std::vector<Extent> &extents, uint64_t flat, Dim dim) {
  for (const Extent &extent : extents) {
    if (extent.dim == dim)
      return static_cast<uint32_t>(flat % extent.size);
    flat /= extent.size;
  }
  return 0;
}

uint64_t flatOf(const std::vector<Extent> &extents, const Coordinates &values) {
  uint64_t flat = 0, scale = 1;
  for (size_t i = 0; i < extents.size(); ++i) {
    flat += values[i] * scale;
    scale *= extents[i].size;
  }
  return flat;
}

TEST(Laws, L1_ApplyIsXorOfBases) {
  Rng rng(1);
  for (int i = 0; i < kRounds; ++i) {
    LinearLayout layout = randomLayout(rng, kIns, kMiddle, 8);
    std::vector<Coordinates> all = enumerate(layout);
    for (uint64_t x = 0; x < all.size(); ++x) {
      std::vector<Extent> ins = layout.inputs();
      EXPECT_EQ(layout.apply(
                    {{kWarp, part(ins, x, kWarp)}, {kRegister, part(ins, x, kRegister)}, {kLane, part(ins, x, kLane)}}),
                all[x]);
      EXPECT_EQ(layout.applyFlat(x), flatOf(layout.outputs(), all[x]));
    }
  }
}

TEST(Laws, L2_CompositionIsPointwise) {
  Rng rng(2);
  for (int i = 0; i < kRounds; ++i) {
    LinearLayout inner = randomLayout(rng, kIns, kMiddle, 7);
    // The outer layout accepts all outputs of the inner one, in another order of dimensions.
    std::vector<InputBases> bases;
    for (Dim dim : {kDim1, kDim0}) {
      bases.push_back({dim, {}});
      for (unsigned bit = 0; bit < inner.outputBits(dim) + below(rng, 2); ++bit)
        bases.back().bases.push_back({below(rng, 16), below(rng, 8)});
    }
    LinearLayout outer(bases, {{kDim2, 16}, {kOffset, 8}});
    LinearLayout both = inner.compose(outer);
    std::vector<Coordinates> first = enumerate(inner), result = enumerate(both), second = enumerate(outer);
    ASSERT_EQ(result.size(), first.size());
    for (size_t x = 0; x < first.size(); ++x)
      EXPECT_EQ(result[x], second[flatOf(outer.inputs(), {first[x][1], first[x][0]})]);
  }
}

TEST(Laws, L3_InverseUndoes) {
  Rng rng(3);
  for (int i = 0; i < kRounds; ++i) {
    LinearLayout layout = randomInvertible(rng, kIns, kMiddle, below(rng, 9));
    EXPECT_TRUE(layout.isInvertible());
    std::vector<Coordinates> there = enumerate(layout), back = enumerate(layout.inverse());
    for (uint64_t x = 0; x < there.size(); ++x)
      EXPECT_EQ(flatOf(layout.inputs(), back[flatOf(layout.outputs(), there[x])]), x);
    EXPECT_EQ(layout.inverse().inverse(), layout);
  }
}

TEST(Laws, L4_SurjectiveAndInjectiveAsCounted) {
  Rng rng(4);
  int surjective = 0, injective = 0;
  for (int i = 0; i < kRounds; ++i) {
    LinearLayout layout = randomLayout(rng, kIns, kMiddle, 6);
    std::vector<Coordinates> all = enumerate(layout);
    std::set<Coordinates> different(all.begin(), all.end());
    EXPECT_EQ(different.size(), size_t(1) << layout.rank());
    EXPECT_EQ(layout.isSurjective(), different.size() == size_t(1) << layout.totalOutputBits());
    EXPECT_EQ(layout.isInjective(), different.size() == all.size());
    EXPECT_EQ(layout.isInvertible(), layout.isSurjective() && layout.isInjective());
    surjective += layout.isSurjective();
    injective += layout.isInjective();
  }
  EXPECT_GT(surjective, 30);
  EXPECT_GT(injective, 30);
}

TEST(Laws, L5_PseudoInverseIsARightInverse) {
  Rng rng(5);
  for (int i = 0; i < kRounds; ++i) {
    LinearLayout layout = randomLayout(rng, kIns, kMiddle, 6);
    if (!layout.isSurjective()) {
      EXPECT_THROW(layout.pseudoInverse(), Error);
      continue;
    }
    std::vector<Coordinates> there = enumerate(layout), back = enumerate(layout.pseudoInverse());
    for (uint64_t y = 0; y < back.size(); ++y)
      EXPECT_EQ(flatOf(layout.outputs(), there[flatOf(layout.inputs(), back[y])]), y);
    for (const Coordinates &x : back)
      for (size_t d = 0; d < x.size(); ++d)
        EXPECT_EQ(x[d] & layout.freeVariables(layout.inputs()[d].dim), 0u);
  }
}

TEST(Laws, L6_InvertAndComposeSolves) {
  Rng rng(6);
  int solved = 0;
  for (int i = 0; i < kRounds; ++i) {
    LinearLayout wanted = randomLayout(rng, kIns, kMiddle, 5);
    LinearLayout holder = randomLayout(rng, {kLane, kRegister}, {kDim1, kDim0}, 8);
    std::vector<Coordinates> w = enumerate(wanted), h = enumerate(holder);
    std::set<Coordinates> held;
    for (const Coordinates &c : h)
      held.insert({c[1], c[0]});
    bool possible = std::all_of(w.begin(), w.end(), [&](const Coordinates &c) { return held.count(c) > 0; });
    if (!possible) {
      EXPECT_THROW(wanted.invertAndCompose(holder), Error);
      continue;
    }
    ++solved;
    std::vector<Coordinates> at = enumerate(wanted.invertAndCompose(holder));
    for (size_t x = 0; x < w.size(); ++x) {
      Coordinates found = h[flatOf(holder.inputs(), at[x])];
      EXPECT_EQ((Coordinates{found[1], found[0]}), w[x]);
    }
  }
  EXPECT_GT(solved, 30);
}

TEST(Laws, L7_ProductIsBlockwise) {
  Rng rng(7);
  for (int i = 0; i < kRounds; ++i) {
    LinearLayout low = randomLayout(rng, {kRegister, kLane}, {kDim0, kDim1}, 4);
    LinearLayout high = randomLayout(rng, {kLane, kWarp, kRegister}, {kDim1, kDim0}, 4);
    LinearLayout product = low * high;
    std::vector<Extent> ins = product.inputs();
    std::vector<Coordinates> all = enumerate(product);
    for (uint64_t x = 0; x < all.size(); ++x) {
      auto lowPart = [&](Dim d) { return part(ins, x, d) % low.inputSize(d); };
      auto highPart = [&](Dim d) { return part(ins, x, d) / low.inputSize(d); };
      Coordinates l = low.apply({{kRegister, lowPart(kRegister)}, {kLane, lowPart(kLane)}});
      Coordinates h =
          high.apply({{kRegister, highPart(kRegister)}, {kLane, highPart(kLane)}, {kWarp, part(ins, x, kWarp)}});
      EXPECT_EQ(all[x], (Coordinates{l[0] + low.outputSize(kDim0) * h[1], l[1] + low.outputSize(kDim1) * h[0]}));
    }
  }
}

TEST(Laws, L8_DivisionUndoesProducts) {
  Rng rng(8);
  for (int i = 0; i < kRounds; ++i) {
    LinearLayout low = randomLayout(rng, {kRegister, kLane}, {kDim0, kDim1}, 4);
    LinearLayout high = randomLayout(rng, {kRegister, kLane}, {kDim0, kDim1}, 4);
    LinearLayout product = low * high;
    EXPECT_EQ(product.divideLeft(low), high);
    EXPECT_EQ(product.divideRight(high), low);
  }
}

TEST(Laws, L9_DivisionFailsExactlyWhereNoQuotientExists) {
  Rng rng(9);
  int none = 0;
  for (int i = 0; i < kRounds; ++i) {
    LinearLayout whole = randomLayout(rng, {kLane}, {kDim0}, 3), divisor = randomLayout(rng, {kLane}, {kDim0}, 2);
    bool left = chance(rng, 50);
    // All layouts of at most 3 bits on each side, tried one by one.
    std::vector<LinearLayout> quotients;
    for (unsigned inBits = 0; inBits <= 3; ++inBits)
      for (unsigned outBits = 0; outBits <= 3; ++outBits)
        for (uint32_t bits = 0; bits < uint32_t(1) << (inBits * outBits); ++bits) {
          InputBases input{kLane, {}};
          for (unsigned b = 0; b < inBits; ++b)
            input.bases.push_back({bits >> (b * outBits) & ((1u << outBits) - 1)});
          LinearLayout candidate({input}, {{kDim0, 1u << outBits}});
          if ((left ? divisor * candidate : candidate * divisor) == whole)
            quotients.push_back(candidate);
        }
    std::optional<LinearLayout> quotient = left ? whole.divideLeft(divisor) : whole.divideRight(divisor);
    EXPECT_EQ(quotient.has_value(), !quotients.empty()) << whole.toText() << " by " << divisor.toText();
    if (quotient && !quotients.empty()) {
      EXPECT_EQ(*quotient, quotients[0]);
    }
    none += !quotient;
  }
  EXPECT_GT(none, 30);
  EXPECT_LT(none, kRounds - 30);
}

TEST(Laws, L10_FreeVariablesCanBeZero) {
  Rng rng(10);
  for (int i = 0; i < kRounds; ++i) {
    LinearLayout layout = randomLayout(rng, kIns, kMiddle, 7);
    std::vector<Coordinates> all = enumerate(layout);
    std::map<Coordinates, int> reached;
    std::vector<Extent> ins = layout.inputs();
    unsigned count = 0;
    for (uint64_t x = 0; x < all.size(); ++x) {
      bool fixed = true;
      for (Dim dim : kIns)
        fixed = fixed && (part(ins, x, dim) & layout.freeVariables(dim)) == 0;
      if (fixed)
        ++reached[all[x]];
    }
    for (Dim dim : kIns)
      count += static_cast<unsigned>(__builtin_popcount(layout.freeVariables(dim)));
    // Every output is reached, once.
    EXPECT_EQ(reached.size(), std::set<Coordinates>(all.begin(), all.end()).size());
    for (const auto &[coordinates, times] : reached)
      EXPECT_EQ(times, 1);
    EXPECT_EQ(count, layout.totalInputBits() - layout.rank());
  }
}

TEST(Laws, L11_VectorWidthAsEnumerated) {
  Rng rng(11);
  std::map<uint32_t, int> widths;
  for (int i = 0; i < kRounds; ++i) {
    Tensor tensor{{uint32_t(1) << below(rng, 5), uint32_t(1) << below(rng, 5)}, 2, 1};
    LinearLayout layout = randomDistributed(rng, tensor);
    LinearLayout memory = chance(rng, 50) ? rowMajor(tensor.shape) : columnMajor(tensor.shape);
    if (tensor.shape[1] >= 4 && chance(rng, 40))
      memory = swizzled({tensor.shape, 2, 1, 2, {1, 0}});
    std::map<Coordinates, uint64_t> address;
    std::vector<Coordinates> cells = enumerate(memory);
    for (uint64_t offset = 0; offset < cells.size(); ++offset)
      address[cells[offset]] = offset;
    std::vector<Coordinates> all = enumerate(layout);
    uint32_t width = 1, registers = layout.inputSize(kRegister);
    for (uint32_t tried = 2; tried <= registers; tried *= 2) {
      bool possible = true;
      for (uint64_t x = 0; x < all.size(); ++x) {
        uint64_t base = address[all[x - x % registers % tried]];
        possible = possible && address[all[x]] == base + x % registers % tried && base % tried == 0;
      }
      if (!possible)
        break;
      width = tried;
    }
    EXPECT_EQ(layout.contiguousPerRegister(memory), width) << layout.toText() << " in " << memory.toText();
    ++widths[width];
  }
  EXPECT_GT(widths[1], 20);
  EXPECT_GT(widths[2], 20);
  EXPECT_GT(widths[4], 5);
}

TEST(Laws, L12_RearrangementsKeepTheMap) {
  Rng rng(12);
  for (int i = 0; i < kRounds; ++i) {
    LinearLayout layout = randomLayout(rng, kIns, kMiddle, 6);
    std::vector<Coordinates> all = enumerate(layout);
    LinearLayout transposed = layout.transposeOutputs({kDim1, kDim0}).transposeInputs({kWarp, kRegister, kLane});
    LinearLayout flat = layout.transposeOutputs({kDim1, kDim0}).flattenOutputs(kOffset);
    LinearLayout joined = layout.concatOutputs(layout.renameOutput(kDim0, kDim2).renameOutput(kDim1, tensorDim(3)));
    std::vector<Extent> ins = layout.inputs();
    for (uint64_t x = 0; x < all.size(); ++x) {
      uint32_t r = part(ins, x, kRegister), l = part(ins, x, kLane), w = part(ins, x, kWarp);
      EXPECT_EQ(transposed.apply({{kRegister, r}, {kLane, l}, {kWarp, w}}), (Coordinates{all[x][1], all[x][0]}));
      EXPECT_EQ(flat.applyFlat(x), all[x][1] + uint64_t(all[x][0]) * layout.outputSize(kDim1));
      EXPECT_EQ(joined.applyFlat(x) >> layout.totalOutputBits(), layout.applyFlat(x));
      EXPECT_EQ(layout.sublayout({kLane}, {kDim1}).apply({{kLane, l}})[0], layout.apply({{kLane, l}})[1]);
    }
    EXPECT_EQ(layout.sublayoutOfInputs({kRegister}).concatInputs(layout.sublayoutOfInputs({kLane, kWarp})), layout);
    EXPECT_EQ(LinearLayout::parse(layout.toText()), layout) << layout.toText();
  }
}

TEST(Laws, WhatCannotWorkTogetherSaysSo) {
  LinearLayout a = LinearLayout::identity(4, kLane, kDim0), b = LinearLayout::identity(2, kDim0, kDim1);
  auto message = [](const char *text) { return ThrowsMessage<Error>(HasSubstr(text)); };
  EXPECT_THAT([&] { a.compose(b); }, message("cannot compose outputs dim0 4 with inputs dim0 2"));
  EXPECT_THAT([&] { LinearLayout::zeros(4, kLane, kDim0).inverse(); },
              message("not invertible: 2 input bits, 0 output bits, rank 0"));
  EXPECT_THAT([&] { LinearLayout::identity(3, kLane, kDim0); },
              message("the size of input dimension lane is 3; it must be a power of two"));
  EXPECT_THAT([&] { a.invertAndCompose(b); }, message("are not of the same tensor"));
  EXPECT_THAT([&] { a.transposeOutputs({kDim1}); }, message("no permutation of the output dimensions dim0 4"));
  EXPECT_THAT([&] { a.apply({{kLane, 4}}); }, message("coordinate 4 of dimension lane must be below its size, 4"));
  EXPECT_THAT([&] { a.apply({{kWarp, 1}}); }, message("warp is 1 but the inputs are lane 4"));
  EXPECT_THAT([&] { LinearLayout({{kLane, {{1, 2}}}}, {{kDim0, 4}}); }, message("has 2 coordinates; expected 1"));
  EXPECT_THAT([&] { LinearLayout({{kLane, {{4}}}}, {{kDim0, 4}}); }, message("coordinate 4 of dimension dim0"));
}

} // namespace
} // namespace tegula::layout::test
