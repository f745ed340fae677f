// Exchanges between lanes, and moves between kinds of registers.
#include "tests/emulator/tests/Machine.h"

#include <gtest/gtest.h>

namespace tegula::emulator::test {
namespace {

class Lanes : public ::testing::TestWithParam<std::string> {
protected:
  Lanes() : m(GetParam()), lanes(m.wave.lanes) { reset(); }
  void reset() {
    m.fill(random);
    m.wave.setExec(chance(random, 2) ? m.allLanes() : random64(random) & m.allLanes());
  }
  /// Compares v24 with `expected` in active lanes, and all else with what was there before.
  void run(const std::string &text, const std::function<uint32_t(unsigned lane, uint32_t old)> &expected) {
    std::vector<uint32_t> want = m.wave.vectors;
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (m.wave.isActive(lane))
        want[24 * lanes + lane] = expected(lane, want[24 * lanes + lane]);
    m.run(text);
    ASSERT_EQ(m.wave.vectors, want) << GetParam() << " " << text << std::hex << " EXEC " << m.wave.exec();
  }
  bool has(const std::string &text) const { return !instructions(text, GetParam()).empty(); }

  Random random{23};
  Machine m;
  unsigned lanes;
};

TEST_P(Lanes, ReadAndWrite) {
  for (unsigned round = 0; round < 40; ++round) {
    reset();
    uint64_t exec = m.wave.exec();
    unsigned first = exec ? unsigned(std::countr_zero(exec)) : 0, lane = m.wave.scalars[5] % lanes;
    uint32_t atFirst = uint32_t(m.vector(0, first)), atLane = uint32_t(m.vector(0, lane)),
             at7 = uint32_t(m.vector(0, 7));
    std::vector<uint32_t> want = m.wave.vectors;
    want[24 * lanes + lane] = 33; // EXEC does not matter
    want[25 * lanes + 9] = m.wave.scalars[7];
    m.run("v_readfirstlane_b32 s20, v0\nv_readlane_b32 s21, v0, s5\nv_readlane_b32 s22, v0, 7\n"
          "v_writelane_b32 v24, 33, s5\nv_writelane_b32 v25, s7, 9");
    EXPECT_EQ(m.wave.scalars[20], atFirst);
    EXPECT_EQ(m.wave.scalars[21], atLane);
    EXPECT_EQ(m.wave.scalars[22], at7);
    EXPECT_EQ(m.wave.vectors, want);
  }
}

TEST_P(Lanes, Permute16) {
  if (m.isGfx9())
    GTEST_SKIP() << "from gfx10 on";
  for (bool crosses : {false, true})
    for (unsigned modifiers = 0; modifiers < 4; ++modifiers)
      for (unsigned round = 0; round < 10; ++round) {
        reset();
        Wave before = m.wave;
        std::string text = crosses ? "v_permlanex16_b32" : "v_permlane16_b32";
        text +=
            " v24, v0, s4, s5 op_sel:[" + std::to_string(modifiers & 1) + "," + std::to_string(modifiers >> 1) + "]";
        run(text, [&](unsigned lane, uint32_t old) -> uint32_t {
          uint32_t selectors = before.scalars[lane % 16 < 8 ? 4 : 5];
          unsigned from = lane / 16 * 16 + (selectors >> 4 * (lane % 8)) % 16;
          if (crosses)
            from = (from + 16) % 32;
          if (modifiers & 1 || before.isActive(from)) // reads inactive lanes too
            return before.vectors[from];
          return modifiers & 2 ? 0 : old;
        });
      }
}

TEST_P(Lanes, Permute64DoesNothingTo32Lanes) {
  if (has("v_permlane64_b32 v24, v0"))
    run("v_permlane64_b32 v24, v0", [](unsigned, uint32_t old) { return old; });
}

TEST_P(Lanes, ThroughShared) {
  for (unsigned round = 0; round < 20; ++round) {
    reset();
    Wave before = m.wave;
    auto value = [&](unsigned from) { return before.isActive(from) ? before.vectors[4 * lanes + from] : 0; };
    run("ds_bpermute_b32 v24, v0, v4 offset:8",
        [&](unsigned lane, uint32_t) { return value((before.vectors[lane] + 8) / 4 % lanes); });
    reset();
    before = m.wave;
    std::vector<uint32_t> pushed(lanes, 0);
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (before.isActive(lane))
        pushed[(before.vectors[lane] + 8) / 4 % lanes] = before.vectors[4 * lanes + lane];
    run("ds_permute_b32 v24, v0, v4 offset:8", [&](unsigned lane, uint32_t) { return pushed[lane]; });
  }
}

TEST_P(Lanes, Swizzle) {
  auto check = [&](const std::string &pattern, auto from) {
    reset();
    Wave before = m.wave;
    run("ds_swizzle_b32 v24, v4 offset:" + pattern, [&](unsigned lane, uint32_t) {
      unsigned at = from(lane);
      return before.isActive(at) ? before.vectors[4 * lanes + at] : 0;
    });
  };
  for (unsigned n = 0; n < 20; ++n) {
    unsigned mask = 1 + below(random, 31);
    check(
        "swizzle(BITMASK_PERM,\"" +
            [&] {
              std::string bits; // i: inverted, p: as it is, from the highest bit on
              for (unsigned bit = 5; bit-- > 0;)
                bits += mask >> bit & 1 ? 'i' : 'p';
              return bits;
            }() +
            "\")",
        [=](unsigned lane) { return lane ^ mask; });
  }
  check("swizzle(BITMASK_PERM,\"01pip\")", [](unsigned lane) { return (lane & ~31u) | 8 | ((lane & 7) ^ 2); });
  check("swizzle(BROADCAST,8,3)", [](unsigned lane) { return lane / 8 * 8 + 3; });
  check("swizzle(SWAP,4)", [](unsigned lane) { return lane ^ 4; });
  check("swizzle(REVERSE,16)", [](unsigned lane) { return lane ^ 15; });
  check("swizzle(QUAD_PERM,3,0,1,1)", [](unsigned lane) {
    const unsigned quad[] = {3, 0, 1, 1};
    return lane / 4 * 4 + quad[lane % 4];
  });
  check("0xC0A0", [](unsigned lane) { return lane / 32 * 32 + (lane + 5) % 32; });                  // to the left by 5
  check("0xC4A0", [](unsigned lane) { return lane / 32 * 32 + (lane + 27) % 32; });                 // to the right
  check("0xC0A3", [](unsigned lane) { return lane / 32 * 32 + ((lane & 3) | ((lane + 5) & 28)); }); // bits 0 and 1 stay
}

/// 64 bits from one lane of each row, the only movement of such values that gfx942 has.
TEST_P(Lanes, Broadcast64) {
  std::string text = "v_mov_b64_dpp v[24:25], v[0:1] row_newbcast:5 row_mask:0xf bank_mask:0xf";
  if (!has(text))
    GTEST_SKIP() << "it moves no 64-bit values";
  reset();
  m.wave.setExec(m.allLanes());
  m.run(text);
  for (unsigned lane = 0; lane < lanes; ++lane)
    EXPECT_EQ(m.vector(24, lane, 2), m.vector(0, lane / 16 * 16 + 5, 2));
}

TEST_P(Lanes, RelativeMoves) {
  if (m.isGfx9())
    GTEST_SKIP() << "gfx9 has an index mode instead";
  for (unsigned index : {0u, 1u, 7u}) {
    reset();
    m.wave.scalars[kM0] = index;
    Wave before = m.wave;
    run("v_movrels_b32 v24, v4", [&](unsigned lane, uint32_t) { return before.vectors[(4 + index) * lanes + lane]; });
    reset();
    m.wave.scalars[kM0] = index;
    before = m.wave;
    run("v_movreld_b32 v" + std::to_string(24 - index) + ", v4",
        [&](unsigned lane, uint32_t) { return before.vectors[4 * lanes + lane]; });
  }
  m.wave.scalars[kM0] = 4000;
  EXPECT_THROW(m.run("v_movrels_b32 v24, v4"), Fault);
}

TEST_P(Lanes, Swap) {
  reset();
  Wave before = m.wave;
  m.run("v_swap_b32 v4, v8");
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (auto [to, from] : {std::pair{4u, 8u}, std::pair{8u, 4u}})
      EXPECT_EQ(m.vector(to, lane), before.vectors[(before.isActive(lane) ? from : to) * lanes + lane]);
}

TEST_P(Lanes, Accumulators) {
  if (!m.isGfx9())
    GTEST_SKIP() << "there are none";
  reset();
  Wave before = m.wave;
  m.run(
      "v_accvgpr_write_b32 a4, v0\nv_accvgpr_mov_b32 a5, a4\nv_accvgpr_read_b32 v24, a5\nv_accvgpr_write_b32 a6, 1.0");
  for (unsigned lane = 0; lane < lanes; ++lane) {
    bool active = before.isActive(lane);
    EXPECT_EQ(m.vector(24, lane), before.vectors[(active ? 0 : 24) * lanes + lane]);
    EXPECT_EQ(m.wave.accumulators[5 * lanes + lane],
              active ? before.vectors[lane] : before.accumulators[5 * lanes + lane]);
    EXPECT_EQ(m.wave.accumulators[6 * lanes + lane], active ? 0x3f800000 : before.accumulators[6 * lanes + lane]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Lanes, ::testing::ValuesIn(kTargets), [](const auto &target) { return target.param; });

} // namespace
} // namespace tegula::emulator::test
