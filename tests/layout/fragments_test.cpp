// Matrix instructions against the index formulas of the manuals, and layouts built from them.
#include "backends/cuda/instructions/MatrixInstructions.h"
#include "backends/rocm/instructions/MatrixInstructions.h"
#include "core/layout/Conversion.h"
#include "core/support/Diagnostic.h"
#include "tests/layout/Random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

namespace tegula::layout::test {
namespace {

/// (register, lane, warp) -> (row, column)
using Formula = std::function<Coordinates(uint32_t, uint32_t, uint32_t)>;

void expectFormula(const LinearLayout &layout, uint32_t registers, const Formula &formula) {
  ASSERT_LE(registers, layout.inputSize(kRegister));
  for (uint32_t w = 0; w < layout.inputSize(kWarp); ++w)
    for (uint32_t l = 0; l < layout.inputSize(kLane); ++l)
      for (uint32_t r = 0; r < registers; ++r)
        EXPECT_EQ(layout.apply({{kRegister, r}, {kLane, l}, {kWarp, w}}), formula(r, l, w))
            << "register " << r << " lane " << l << " warp " << w;
}

const MatrixInstruction &cudaRow(const char *name) { return *findInstruction(cuda::matrixInstructions(), name); }
const MatrixInstruction &rocmRow(const char *name) { return *findInstruction(rocm::matrixInstructions(), name); }

// PTX ISA: groupID = laneid >> 2, threadID_in_group = laneid % 4; formulas of the manual for ai, bi, ci.
TEST(Fragments, MmaC) {
  for (const char *name : {"mma.m16n8k16.f32.f16", "mma.m16n8k16.f32.bf16", "mma.m16n8k16.f16.f16",
                           "mma.m16n8k8.f32.tf32", "mma.m16n8k32.s32.s8", "mma.m16n8k8.f32.f16", "mma.m16n8k8.f32.bf16",
                           "mma.m16n8k4.f32.tf32", "mma.m16n8k16.s32.s8"})
    expectFormula(cudaRow(name).c.layout, 4, [](uint32_t i, uint32_t lane, uint32_t) {
      return Coordinates{i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)};
    });
}

TEST(Fragments, MmaM16N8K16) {
  for (const char *name : {"mma.m16n8k16.f32.f16", "mma.m16n8k16.f32.bf16", "mma.m16n8k16.f16.f16"}) {
    expectFormula(cudaRow(name).a.layout, 8, [](uint32_t i, uint32_t lane, uint32_t) {
      bool upper = i < 2 || (i >= 4 && i < 6);
      return Coordinates{upper ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
    });
    expectFormula(cudaRow(name).b.layout, 4, [](uint32_t i, uint32_t lane, uint32_t) {
      return Coordinates{lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane / 4};
    });
  }
}

TEST(Fragments, MmaM16N8K8) {
  for (const char *name : {"mma.m16n8k8.f32.f16", "mma.m16n8k8.f32.bf16"}) {
    expectFormula(cudaRow(name).a.layout, 4, [](uint32_t i, uint32_t lane, uint32_t) {
      return Coordinates{i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)};
    });
    expectFormula(cudaRow(name).b.layout, 2,
                  [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{lane % 4 * 2 + i, lane / 4}; });
  }
}

TEST(Fragments, MmaM16N8K4Tf32) {
  expectFormula(cudaRow("mma.m16n8k4.f32.tf32").a.layout, 2, [](uint32_t i, uint32_t lane, uint32_t) {
    return Coordinates{i == 0 ? lane / 4 : lane / 4 + 8, lane % 4};
  });
  expectFormula(cudaRow("mma.m16n8k4.f32.tf32").b.layout, 1,
                [](uint32_t, uint32_t lane, uint32_t) { return Coordinates{lane % 4, lane / 4}; });
}

TEST(Fragments, MmaK16S8) {
  expectFormula(cudaRow("mma.m16n8k16.s32.s8").a.layout, 8, [](uint32_t i, uint32_t lane, uint32_t) {
    return Coordinates{i < 4 ? lane / 4 : lane / 4 + 8, lane % 4 * 4 + (i & 3)};
  });
  expectFormula(cudaRow("mma.m8n8k16.s32.s8").a.layout, 4,
                [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{lane / 4, lane % 4 * 4 + i}; });
  expectFormula(cudaRow("mma.m8n8k16.s32.s8").c.layout, 2,
                [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{lane / 4, lane % 4 * 2 + i}; });
  for (const char *name : {"mma.m16n8k16.s32.s8", "mma.m8n8k16.s32.s8"})
    expectFormula(cudaRow(name).b.layout, 4,
                  [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{lane % 4 * 4 + i, lane / 4}; });
}

TEST(Fragments, MmaM16N8K8Tf32) {
  expectFormula(cudaRow("mma.m16n8k8.f32.tf32").a.layout, 4, [](uint32_t i, uint32_t lane, uint32_t) {
    return Coordinates{i == 0 || i == 2 ? lane / 4 : lane / 4 + 8, i < 2 ? lane % 4 : lane % 4 + 4};
  });
  expectFormula(cudaRow("mma.m16n8k8.f32.tf32").b.layout, 2, [](uint32_t i, uint32_t lane, uint32_t) {
    return Coordinates{i == 0 ? lane % 4 : lane % 4 + 4, lane / 4};
  });
}

TEST(Fragments, MmaM16N8K32S8) {
  expectFormula(cudaRow("mma.m16n8k32.s32.s8").a.layout, 16, [](uint32_t i, uint32_t lane, uint32_t) {
    bool upper = i < 4 || (i >= 8 && i < 12);
    return Coordinates{upper ? lane / 4 : lane / 4 + 8, lane % 4 * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
  });
  expectFormula(cudaRow("mma.m16n8k32.s32.s8").b.layout, 8, [](uint32_t i, uint32_t lane, uint32_t) {
    return Coordinates{lane % 4 * 4 + (i & 3) + (i >= 4 ? 16 : 0), lane / 4};
  });
}

TEST(Fragments, WgmmaEveryN) {
  int rows = 0;
  for (unsigned n = 8; n <= 256; n += 8)
    for (const char *type : {"f16", "bf16"}) {
      const MatrixInstruction *row =
          findInstruction(cuda::matrixInstructions(), "wgmma.m64n" + std::to_string(n) + "k16.f32." + type);
      ASSERT_NE(row, nullptr);
      ++rows;
      EXPECT_EQ(row->cRegisters(), n / 2);
      EXPECT_EQ(row->b.place, OperandPlace::Shared);
      EXPECT_EQ(row->a.place, OperandPlace::Either);
      // D: d_i is in row 16 * warp + lane / 4 + 8 * (i / 2 % 2), column 8 * (i / 4) + 2 * (lane % 4) + i % 2.
      std::set<Coordinates> covered;
      expectFormula(row->c.layout, row->cRegisters(), [&](uint32_t i, uint32_t lane, uint32_t warp) {
        Coordinates at = {16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
        covered.insert(at);
        return at;
      });
      EXPECT_EQ(covered.size(), 64u * n);
      EXPECT_LT((*covered.rbegin())[1], n);
      expectFormula(row->a.layout, 8, [](uint32_t i, uint32_t lane, uint32_t warp) {
        return Coordinates{16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
      });
    }
  EXPECT_EQ(rows, 64);
}

// AMD: "register to matrix element mapping" of the matrix instruction calculator; 16-bit element 2r + half is in GPR r.
TEST(Fragments, Mfma) {
  for (const char *name : {"mfma_f32_32x32x8_f16", "mfma_f32_32x32x8_bf16_1k"}) {
    expectFormula(rocmRow(name).a.layout, 4,
                  [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{lane % 32, 4 * (lane / 32) + i}; });
    expectFormula(rocmRow(name).b.layout, 4,
                  [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{4 * (lane / 32) + i, lane % 32}; });
    expectFormula(rocmRow(name).c.layout, 16, [](uint32_t i, uint32_t lane, uint32_t) {
      return Coordinates{8 * (i / 4) % 32 + 4 * (lane / 32) + i % 4, lane % 32};
    });
  }
  for (const char *name : {"mfma_f32_16x16x16_f16", "mfma_f32_16x16x16_bf16_1k"}) {
    expectFormula(rocmRow(name).a.layout, 4,
                  [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{lane % 16, 4 * (lane / 16) + i}; });
    expectFormula(rocmRow(name).b.layout, 4,
                  [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{4 * (lane / 16) + i, lane % 16}; });
    expectFormula(rocmRow(name).c.layout, 4,
                  [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{4 * (lane / 16) + i % 4, lane % 16}; });
  }
}

TEST(Fragments, WmmaOfTwoGenerations) {
  for (const char *type : {"f16", "bf16"}) {
    const MatrixInstruction &old = rocmRow((std::string("wmma_f32_16x16x16_") + type + ".gfx11").c_str());
    expectFormula(old.a.layout, 16, [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{lane % 16, i}; });
    expectFormula(old.b.layout, 16, [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{i, lane % 16}; });
    expectFormula(old.c.layout, 8,
                  [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{2 * i + lane / 16, lane % 16}; });
    EXPECT_EQ(old.a.layout.freeVariables(kLane), 16u) << "lanes 16 to 31 hold copies";
    const MatrixInstruction &now = rocmRow((std::string("wmma_f32_16x16x16_") + type + ".gfx12").c_str());
    auto k = [](uint32_t i, uint32_t lane) { // i = 2 * GPR + half
      uint32_t gpr = i / 2;
      return 8 * (gpr / 2) + 4 * (lane / 16) + 2 * (gpr % 2) + i % 2;
    };
    expectFormula(now.a.layout, 8,
                  [&](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{lane % 16, k(i, lane)}; });
    expectFormula(now.b.layout, 8,
                  [&](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{k(i, lane), lane % 16}; });
    expectFormula(now.c.layout, 8,
                  [](uint32_t i, uint32_t lane, uint32_t) { return Coordinates{8 * (lane / 16) + i, lane % 16}; });
  }
}

/// An instruction that is issued with exchanged operands computes the transposed product: in each lane and register, A
/// has what B has of the instruction itself, at exchanged coordinates, and C likewise. Depth, rows and columns may each
/// be renumbered, in the same way in both matrices that have them. C has its columns in the lanes and registers in
/// which A has its depth, so that a result becomes a left operand without an exchange.
TEST(Fragments, TransposedInstructions) {
  for (const MatrixInstruction &row : rocm::matrixInstructions()) {
    const MatrixInstruction *other = findInstruction(rocm::matrixInstructions(), row.name + ".transposed");
    if (row.name.ends_with(".transposed")) {
      EXPECT_EQ(other, nullptr);
      continue;
    }
    ASSERT_NE(other, nullptr) << row.name;
    EXPECT_EQ(other->a.type, row.b.type);
    EXPECT_EQ(other->b.type, row.a.type);
    using Numbers = std::map<uint32_t, uint32_t>; // of the row to those of the other
    Numbers rows, columns, depths;
    auto expectSwapped = [&](const LinearLayout &of, const LinearLayout &made, Numbers &ofAxis0, Numbers &ofAxis1) {
      for (uint32_t lane = 0; lane < row.lanes; ++lane)
        for (uint32_t i = 0; i < of.inputSize(kRegister); ++i) {
          Coordinates here = of.apply({{kRegister, i}, {kLane, lane}, {kWarp, 0}});
          Coordinates there = made.apply({{kRegister, i}, {kLane, lane}, {kWarp, 0}});
          EXPECT_EQ(ofAxis0.try_emplace(here[0], there[1]).first->second, there[1]) << row.name;
          EXPECT_EQ(ofAxis1.try_emplace(here[1], there[0]).first->second, there[0]) << row.name;
        }
    };
    expectSwapped(row.a.layout, other->b.layout, rows, depths);
    expectSwapped(row.b.layout, other->a.layout, depths, columns);
    expectSwapped(row.c.layout, other->c.layout, rows, columns);
    for (auto [numbers, extent] : {std::pair(rows, row.m), std::pair(columns, row.n), std::pair(depths, row.k)}) {
      std::set<uint32_t> images;
      for (auto [from, to] : numbers)
        images.insert(to);
      EXPECT_EQ(images.size(), extent) << "the numbering is one to one: " << row.name;
    }
  }
  for (const char *name : {"mfma_f32_16x16x16_f16.transposed", "wmma_f32_16x16x16_f16.gfx12.transposed"})
    EXPECT_EQ(rocmRow(name).c.layout, rocmRow(name).a.layout) << "a result is a left operand as it is";
}

/// On gfx11, where lanes hold copies of A, pairs of lanes exchange whole words of two elements.
TEST(Fragments, ResultsOfPairsOfLanes) {
  const MatrixInstruction &row = rocmRow("wmma_f32_16x16x16_f16.gfx11.transposed");
  ConversionOptions options;
  options.prices.pair = 1;
  ConversionPlan plan = planConversion(row.c.layout, row.a.layout, options);
  ASSERT_EQ(plan.kind(), ConversionPlan::Kind::Pair) << plan.print();
  const auto &step = std::get<PairStep>(plan.steps().front());
  for (uint32_t i = 0; i < 16; i += 2) {
    Coordinates low = step.source.apply({{kRegister, i}}), high = step.source.apply({{kRegister, i + 1}});
    EXPECT_EQ(low[0] % 2, 0u);
    EXPECT_EQ(high, (Coordinates{low[0] + 1, low[1]})) << "register " << i;
  }
}

TEST(Fragments, EveryRowIsConsistent) {
  std::set<std::string> names;
  for (auto table : {cuda::matrixInstructions(), rocm::matrixInstructions()})
    for (const MatrixInstruction &row : table) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_EQ(findInstruction(table, row.name), &row);
      EXPECT_TRUE(row.c.layout.isInvertible()) << row.name; // C and D are never copies
      EXPECT_EQ(row.m * row.n % (row.lanes * row.warps), 0u);
    }
  EXPECT_EQ(findInstruction(cuda::matrixInstructions(), "m16n8k16"), &cuda::matrixInstructions()[0]);
  EXPECT_EQ(findInstruction(cuda::matrixInstructions(), "m16n8k1"), nullptr);
  EXPECT_EQ(findInstruction(cuda::matrixInstructions(), ""), nullptr);
  EXPECT_THROW(makeInstruction({"broken", 16, 8, 16, 32, 1, ScalarType::F16, ScalarType::F16, ScalarType::F32,
                                OperandPlace::Registers, OperandPlace::Registers, "lane: (1,0)", "", ""}),
               InternalError);
}

TEST(Fragments, TilesRepeatThem) {
  const LinearLayout &c = cudaRow("m16n8k16").c.layout;
  // 64x32 by 2x2 warps, each with 1x2 fragments side by side, repeated to fill the tile.
  LinearLayout tile = tiled(c, {{64, 32}, {{1u, 2}, {0u, 2}}, {1, 2}, {1, 0}});
  EXPECT_TRUE(tile.isInvertible());
  for (uint32_t w = 0; w < 4; ++w)
    for (uint32_t l = 0; l < 32; ++l)
      for (uint32_t r = 0; r < 16; ++r) {
        Coordinates in = c.apply({{kRegister, r % 4}, {kLane, l}});
        EXPECT_EQ(tile.apply({{kRegister, r}, {kLane, l}, {kWarp, w}}),
                  (Coordinates{in[0] + 16 * (w / 2) + 32 * (r / 8), in[1] + 8 * (r / 4 % 2) + 16 * (w % 2)}));
      }
  // A for the same warps: warps that differ only along N hold copies.
  LinearLayout a = tiled(cudaRow("m16n8k16").a.layout, {{64, 16}, {{std::nullopt, 2}, {0u, 2}}});
  EXPECT_EQ(a.freeVariables(kWarp), 1u);
  EXPECT_EQ(a.apply({{kWarp, 3}}), (Coordinates{16, 0}));
  EXPECT_THAT([&] { tiled(c, {{16, 8}, {{1u, 2}}}); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("cover 16 of dim1, which is only 8")));
}

// Blocked: thread t of the grid holds the box at t * sizePerThread, wrapped around and repeated over the tensor.
TEST(Blocked, AsCountedInMixedRadix) {
  Rng rng(21);
  for (int i = 0; i < 300; ++i) {
    uint32_t size[2], threads[2], warps[2], shape[2];
    for (int d = 0; d < 2; ++d) {
      size[d] = 1u << below(rng, 3), threads[d] = 1u << below(rng, 3), warps[d] = 1u << below(rng, 2);
      shape[d] = 1u << below(rng, 7);
    }
    std::vector<unsigned> order = chance(rng, 50) ? std::vector<unsigned>{1, 0} : std::vector<unsigned>{0, 1};
    unsigned f = order[0], s = order[1];
    LinearLayout layout =
        blocked({{size[0], size[1]}, {threads[0], threads[1]}, {warps[0], warps[1]}, order, {shape[0], shape[1]}});
    EXPECT_TRUE(layout.isSurjective());
    uint32_t tile[2], box[2];
    for (int d = 0; d < 2; ++d) {
      box[d] = std::min(size[d], shape[d]);
      tile[d] = size[d] * threads[d] * warps[d];
    }
    ASSERT_EQ(layout.inputSize(kRegister),
              box[0] * box[1] * std::max(1u, shape[0] / tile[0]) * std::max(1u, shape[1] / tile[1]));
    for (uint32_t w = 0; w < warps[0] * warps[1]; ++w)
      for (uint32_t l = 0; l < threads[0] * threads[1]; ++l)
        for (uint32_t r = 0; r < layout.inputSize(kRegister); ++r) {
          uint32_t rest = r / (box[0] * box[1]), repeatF = std::max(1u, shape[f] / tile[f]);
          Coordinates at(2);
          at[f] = (r % box[f] + size[f] * (l % threads[f] + threads[f] * (w % warps[f])) + tile[f] * (rest % repeatF)) %
                  shape[f];
          at[s] = (r / box[f] % box[s] + size[s] * (l / threads[f] + threads[s] * (w / warps[f])) +
                   tile[s] * (rest / repeatF)) %
                  shape[s];
          EXPECT_EQ(layout.apply({{kRegister, r}, {kLane, l}, {kWarp, w}}), at);
        }
  }
}

TEST(Sliced, HoldsWhatTheParentHoldsWithoutTheDimension) {
  LinearLayout parent = blocked({{1, 2}, {4, 8}, {2, 2}, {1, 0}, {16, 64}});
  LinearLayout rows = sliced(parent, 1), columns = sliced(parent, 0);
  for (uint32_t w = 0; w < 4; ++w)
    for (uint32_t l = 0; l < 32; ++l) {
      std::set<uint32_t> fromParent[2], fromSlice[2];
      for (uint32_t r = 0; r < parent.inputSize(kRegister); ++r)
        for (int d = 0; d < 2; ++d)
          fromParent[d].insert(parent.apply({{kRegister, r}, {kLane, l}, {kWarp, w}})[d]);
      for (uint32_t r = 0; r < rows.inputSize(kRegister); ++r)
        fromSlice[0].insert(rows.apply({{kRegister, r}, {kLane, l}, {kWarp, w}})[0]);
      for (uint32_t r = 0; r < columns.inputSize(kRegister); ++r)
        fromSlice[1].insert(columns.apply({{kRegister, r}, {kLane, l}, {kWarp, w}})[0]);
      EXPECT_EQ(fromParent[0], fromSlice[0]);
      EXPECT_EQ(fromParent[1], fromSlice[1]);
      EXPECT_EQ(fromSlice[0].size(), rows.inputSize(kRegister)) << "no copies in one thread";
    }
  EXPECT_EQ(sliced(LinearLayout::parse("register: (0,1); lane: (0,2) (1,0)"), 1).toText(), "register:; lane: (0) (1)");
}

} // namespace
} // namespace tegula::layout::test
