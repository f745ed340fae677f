// Branches, barriers, modes, pairs of instructions, and what does nothing.
#include "tests/emulator/Decoder.h"
#include "tests/emulator/tests/Assembler.h"
#include "tests/emulator/tests/Machine.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tegula::emulator::test {
namespace {

/// Executes "<branch> 1" in front of two moves; true where the first of them was skipped.
bool isTaken(Machine &m, const std::string &branch) {
  m.wave.scalars[4] = m.wave.scalars[5] = 7;
  m.run(branch + " 1\ns_mov_b32 s4, 1\ns_mov_b32 s5, 2");
  EXPECT_EQ(m.wave.scalars[5], 2u);
  return m.wave.scalars[4] == 7;
}

TEST(Control, Branches) {
  for (const std::string &target : kTargets) {
    Machine m(target);
    EXPECT_TRUE(isTaken(m, "s_branch"));
    for (bool scc : {false, true}) {
      m.wave.scc = scc;
      EXPECT_EQ(isTaken(m, "s_cbranch_scc1"), scc);
      EXPECT_EQ(isTaken(m, "s_cbranch_scc0"), !scc);
    }
    for (uint64_t mask : {uint64_t(0), uint64_t(1), uint64_t(1) << 40, ~uint64_t(0)}) {
      m.setMask(kVcc, mask);
      m.wave.setExec(mask);
      bool any = (mask & m.allLanes()) != 0; // of 32 lanes, the upper words do not count
      EXPECT_EQ(isTaken(m, "s_cbranch_vccnz"), any) << target << mask;
      EXPECT_EQ(isTaken(m, "s_cbranch_vccz"), !any) << target << mask;
      EXPECT_EQ(isTaken(m, "s_cbranch_execnz"), any) << target << mask;
      EXPECT_EQ(isTaken(m, "s_cbranch_execz"), !any) << target << mask;
    }
  }
}

/// Backwards: a loop of ten iterations.
TEST(Control, Loop) {
  Machine m("gfx1100");
  m.run("s_mov_b32 s4, 0\ns_add_i32 s4, s4, 1\ns_cmp_lt_i32 s4, 10\ns_cbranch_scc1 65533\ns_mov_b32 s5, s4\ns_endpgm");
  EXPECT_EQ(m.wave.scalars[5], 10u);
  EXPECT_TRUE(m.wave.ended);
}

/// A branch that is farther than 16 bits of words reach is a sum of addresses. Here it skips one instruction, over the
/// border of 2^32 bytes (its carry), and then goes back over it.
TEST(Control, LongBranches) {
  constexpr const char *kTo = "s_add_u32 s6, s6, s8\ns_addc_u32 s7, s7, s9\ns_setpc_b64 s[6:7]\n";
  for (const std::string &target : kTargets) {
    Machine m(target);
    std::string far; // 256 bytes: the border
    for (unsigned n = 0; n < 64; ++n)
      far += "s_nop 0\n";
    m.wave.scalars[4] = m.wave.scalars[5] = 7;
    m.wave.setPair(8, 12 + 256 + 4); // behind s_getpc: the sum, `far`, one instruction
    m.run(std::string("s_getpc_b64 s[6:7]\n") + kTo + far + "s_mov_b32 s4, 1\ns_mov_b32 s5, 2");
    EXPECT_EQ(m.wave.scalars[4], 7u) << target;
    EXPECT_EQ(m.wave.scalars[5], 2u) << target;
    EXPECT_EQ(m.wave.pair(6), kCodeAddress + 4 + 12 + 256 + 4) << target;

    m.wave.setPair(8, uint64_t(-(256 + 4 + 4))); // from behind s_getpc to s_endpgm
    m.run("s_branch 1\ns_endpgm\n" + far + "s_getpc_b64 s[6:7]\n" + kTo);
    EXPECT_TRUE(m.wave.ended) << target;
    EXPECT_EQ(m.wave.pair(6), kCodeAddress + 4) << target;
  }
}

TEST(Control, Calls) {
  for (const std::string &target : kTargets) {
    Machine m(target);
    m.wave.setPair(8, kCodeAddress + 8);
    m.run("s_swappc_b64 s[6:7], s[8:9]\ns_endpgm\ns_mov_b32 s4, 1\ns_setpc_b64 s[6:7]");
    EXPECT_EQ(m.wave.scalars[4], 1u) << target;
    EXPECT_EQ(m.wave.pair(6), kCodeAddress + 4) << target;
    EXPECT_TRUE(m.wave.ended) << target;
    for (uint64_t address : {kCodeAddress + 2, kCodeAddress + 16, kCodeAddress - 4, uint64_t(0)}) {
      m.wave.setPair(8, address);
      EXPECT_THROW(m.run("s_nop 0\ns_setpc_b64 s[8:9]\ns_nop 0"), Fault) << target << address;
    }
  }
}

TEST(Control, Barriers) {
  for (const std::string &target : kTargets) {
    Machine m(target);
    m.run(target == "gfx1201" ? "s_barrier_signal -1\ns_barrier_wait -1" : "s_barrier");
    EXPECT_TRUE(m.wave.waiting) << target;
    EXPECT_THROW(m.run("s_trap 2"), Fault) << target;
  }
}

/// Waits, hints and cache control: nothing changes.
TEST(Control, NothingToDo) {
  for (const std::string &target : kTargets) {
    Machine m(target);
    Random random(47);
    m.fill(random);
    Wave before = m.wave;
    for (const char *text : {"s_waitcnt 0",
                             "s_waitcnt_vscnt null, 0x0",
                             "s_waitcnt_depctr 0xfff",
                             "s_waitcnt_vmcnt null, 0x0",
                             "s_waitcnt_lgkmcnt null, 0x0",
                             "s_waitcnt_expcnt null, 0x0",
                             "s_wait_loadcnt 0x0",
                             "s_wait_storecnt 0x0",
                             "s_wait_dscnt 0x0",
                             "s_wait_kmcnt 0x0",
                             "s_wait_samplecnt 0x0",
                             "s_wait_bvhcnt 0x0",
                             "s_wait_expcnt 0x0",
                             "s_wait_loadcnt_dscnt 0x0",
                             "s_wait_storecnt_dscnt 0x0",
                             "s_wait_alu 0x0",
                             "s_wait_idle",
                             "s_nop 3",
                             "s_delay_alu instid0(VALU_DEP_1)",
                             "s_clause 0x1",
                             "s_code_end",
                             "s_inst_prefetch 0x1",
                             "s_set_inst_prefetch_distance 0x1",
                             "s_setprio 1",
                             "s_sleep 1",
                             "s_sendmsg sendmsg(MSG_INTERRUPT)",
                             "s_icache_inv",
                             "s_dcache_inv",
                             "s_dcache_wb",
                             "buffer_gl0_inv",
                             "buffer_gl1_inv",
                             "buffer_wbl2",
                             "buffer_wbl2 sc1",
                             "buffer_inv sc1",
                             "buffer_wbinvl1",
                             "buffer_wbinvl1_vol",
                             "global_inv scope:SCOPE_DEV",
                             "global_wb scope:SCOPE_DEV",
                             "global_wbinv scope:SCOPE_DEV",
                             "s_wakeup",
                             "v_nop"}) {
      std::vector<Instruction> code = instructions(text, target);
      if (code.empty())
        continue;
      m.run(code);
      EXPECT_EQ(m.wave.scalars, before.scalars) << target << text;
      EXPECT_EQ(m.wave.vectors, before.vectors) << target << text;
    }
  }
}

/// A wait for all loads but one, behind a load and an invalidation, covers the load.
TEST(Control, CachesAreCountedOnGfx12) {
  auto counts = [](const std::string &text, Counter counter) {
    std::vector<Instruction> code = decode(assemble(std::vector{text}, "gfx1201").front(), "gfx1201");
    return code.size() == 1 && code[0].depends.counts[size_t(counter)];
  };
  EXPECT_TRUE(counts("global_inv scope:SCOPE_SE", Counter::Loads));
  EXPECT_FALSE(counts("global_inv scope:SCOPE_SE", Counter::Stores));
  EXPECT_TRUE(counts("global_wb scope:SCOPE_DEV", Counter::Stores));
  EXPECT_TRUE(counts("global_wbinv scope:SCOPE_DEV", Counter::Stores));
}

TEST(Control, Modes) {
  for (const std::string &target : kTargets) {
    Machine m(target);
    EXPECT_EQ(m.wave.mode & 0xff, 0xf0u); // to nearest, denormal numbers kept
    m.run("s_getreg_b32 s4, hwreg(HW_REG_MODE)\ns_getreg_b32 s5, hwreg(HW_REG_MODE, 4, 2)");
    EXPECT_EQ(m.wave.scalars[4], m.wave.mode);
    EXPECT_EQ(m.wave.scalars[5], 3u);
    uint32_t before = m.wave.mode;
    m.wave.scalars[6] = 0xffffffff;
    m.run("s_setreg_b32 hwreg(HW_REG_MODE, 12, 3), s6\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 20, 4), 0x25");
    EXPECT_EQ(m.wave.mode, before | 0x7000 | 0x500000) << target;
    EXPECT_NO_THROW(m.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xf0"));
    EXPECT_THROW(m.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3"), Fault); // towards zero
    EXPECT_THROW(m.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0"), Fault); // without denormal numbers
    if (m.isGfx9())
      continue;
    m.run("s_round_mode 0x0\ns_denorm_mode 0xf");
    EXPECT_THROW(m.run("s_round_mode 0x1"), Fault);
    EXPECT_THROW(m.run("s_denorm_mode 0xc"), Fault);
  }
}

/// The registers that say where LDS and private memory are among flat addresses.
TEST(Control, Apertures) {
  for (const std::string &target : kTargets) {
    Machine m(target);
    m.run("s_mov_b64 s[4:5], src_shared_base\ns_mov_b64 s[6:7], src_private_base");
    EXPECT_EQ(m.wave.pair(4), uint64_t(kSharedAperture) << 32) << target;
    EXPECT_EQ(m.wave.pair(6), uint64_t(kPrivateAperture) << 32) << target;
  }
}

struct Half {
  const char *name;     // behind "v_dual_"
  const char *operands; // A and B: vector registers; K: a literal
  float (*model)(float a, float b, float old);
};
constexpr uint32_t kLiteral = 0x40490fdb;
const Half kHalves[] = {
    {"fmac_f32", "A, B", [](float a, float b, float old) { return std::fma(a, b, old); }},
    {"fmaak_f32", "A, B, K", [](float a, float b, float) { return std::fma(a, b, std::bit_cast<float>(kLiteral)); }},
    {"fmamk_f32", "A, K, B", [](float a, float b, float) { return std::fma(a, std::bit_cast<float>(kLiteral), b); }},
    {"mul_f32", "A, B", [](float a, float b, float) { return a * b; }},
    {"add_f32", "A, B", [](float a, float b, float) { return a + b; }},
    {"sub_f32", "A, B", [](float a, float b, float) { return a - b; }},
    {"subrev_f32", "A, B", [](float a, float b, float) { return b - a; }},
    {"mul_dx9_zero_f32", "A, B", [](float a, float b, float) { return a == 0 || b == 0 ? 0 : a * b; }},
    {"mov_b32", "A", [](float a, float, float) { return a; }},
    {"max_f32", "A, B", [](float a, float b, float) { return std::fmax(a, b); }},
    {"min_f32", "A, B", [](float a, float b, float) { return std::fmin(a, b); }},
    {"max_num_f32", "A, B", [](float a, float b, float) { return std::fmax(a, b); }},
    {"min_num_f32", "A, B", [](float a, float b, float) { return std::fmin(a, b); }},
};

std::string halfText(const Half &half, unsigned to, unsigned a, unsigned b) {
  std::string text = "v_dual_" + std::string(half.name) + " v" + std::to_string(to) + ", ";
  for (char c : std::string(half.operands))
    text += c == 'A'   ? "v" + std::to_string(a)
            : c == 'B' ? "v" + std::to_string(b)
            : c == 'K' ? "0x40490fdb"
                       : std::string(1, c);
  return text;
}

/// Both halves of a pair read before either writes: here each reads the other's destination.
TEST(Control, Pairs) {
  for (const std::string &target : {"gfx1100", "gfx1201"}) {
    Machine m(target);
    Random random(53);
    for (const Half &x : kHalves)
      for (const Half &y : kHalves) {
        std::vector<Instruction> code = instructions(halfText(x, 8, 9, 2) + " :: " + halfText(y, 9, 8, 3), target);
        if (code.size() != 2)
          continue;
        m.fill(random);
        for (unsigned index : {2u, 3u, 8u, 9u})
          for (unsigned lane = 0; lane < 32; ++lane)
            m.setVector(index, lane, std::bit_cast<uint32_t>(float(int(random() % 2000) - 1000) / 8 + 0.0625f));
        m.wave.setExec(random());
        Wave before = m.wave;
        auto old = [&](unsigned index, unsigned lane) {
          return std::bit_cast<float>(before.vectors[index * 32 + lane]);
        };
        m.run(code);
        for (unsigned lane = 0; lane < 32; ++lane) {
          float wantX = old(8, lane), wantY = old(9, lane);
          if (before.isActive(lane)) {
            wantX = x.model(old(9, lane), old(2, lane), old(8, lane));
            wantY = y.model(old(8, lane), old(3, lane), old(9, lane));
          }
          ASSERT_EQ(std::bit_cast<float>(uint32_t(m.vector(8, lane))), wantX) << target << code[0].text;
          ASSERT_EQ(std::bit_cast<float>(uint32_t(m.vector(9, lane))), wantY) << target << code[1].text;
        }
      }
    m.fill(random);
    Wave before = m.wave;
    m.wave.setExec(0xffffffff);
    m.run("v_dual_cndmask_b32 v8, v1, v2 :: v_dual_add_nc_u32 v9, v8, v3\n"
          "v_dual_mov_b32 v10, v1 :: v_dual_lshlrev_b32 v11, v4, v5\nv_dual_mov_b32 v12, v1 :: v_dual_and_b32 v13, v4, "
          "v5");
    for (unsigned lane = 0; lane < 32; ++lane) {
      auto word = [&](unsigned index) { return before.vectors[index * 32 + lane]; };
      EXPECT_EQ(m.vector(8, lane), word(before.scalars[kVcc] >> lane & 1 ? 2 : 1));
      EXPECT_EQ(m.vector(9, lane), word(8) + word(3));
      EXPECT_EQ(m.vector(11, lane), word(5) << word(4) % 32);
      EXPECT_EQ(m.vector(13, lane), word(5) & word(4));
    }
  }
}

/// A mask whose bits of inactive lanes are undefined holds the bits of the active ones.
TEST(Control, MasksOfUnwrittenLanes) {
  for (auto [target, merged, other] :
       {std::array<std::string, 3>{"gfx1100", "s_and_not1_b32 s4, s7, exec_lo", "s_and_not1_b32 s4, s7, s2"},
        {"gfx942", "s_andn2_b64 s[4:5], s[8:9], exec", "s_andn2_b64 s[4:5], s[8:9], s[2:3]"}}) {
    for (bool isMerged : {true, false}) {
      std::vector<std::string> lines = {isMerged ? merged : other, "v_mov_b32_e32 v1, s4",
                                        target == "gfx942" ? "global_load_dword v2, v1, s[2:3]"
                                                           : "global_load_b32 v2, v1, s[2:3]"};
      std::vector<uint8_t> bytes;
      for (const std::vector<uint8_t> &each : assemble(lines, target))
        bytes.insert(bytes.end(), each.begin(), each.end());
      std::vector<Instruction> code = decode(bytes, target);
      WaveWatch watch;
      for (unsigned reg : {kFirstScalar + 2, kFirstScalar + 3})
        watch.define(uint16_t(reg));
      watch.before(code.at(0));
      watch.before(code.at(1));
      if (isMerged)
        EXPECT_NO_THROW(watch.before(code.at(2))) << target;
      else
        EXPECT_THROW(watch.before(code.at(2)), Fault) << target;
    }
  }
}

/// A word of a packed result comes of the words that op_sel and op_sel_hi choose, and of no others.
TEST(Control, PackedWordsOfUnwrittenRegisters) {
  const std::string target = "gfx942";
  auto holds = [&](const std::string &packed, unsigned result) {
    std::vector<std::string> lines = {packed, "global_load_dword v9, v" + std::to_string(result) + ", s[2:3]"};
    std::vector<uint8_t> bytes;
    for (const std::vector<uint8_t> &each : assemble(lines, target))
      bytes.insert(bytes.end(), each.begin(), each.end());
    std::vector<Instruction> code = decode(bytes, target);
    WaveWatch watch;
    for (unsigned reg : {2u, 4u, kFirstScalar + 2, kFirstScalar + 3}) // not v3, not v5
      watch.define(uint16_t(reg));
    watch.before(code.at(0));
    try {
      watch.before(code.at(1));
    } catch (const Fault &) {
      return false;
    }
    return true;
  };
  EXPECT_TRUE(holds("v_pk_add_f32 v[6:7], v[2:3], v[4:5]", 6));
  EXPECT_FALSE(holds("v_pk_add_f32 v[6:7], v[2:3], v[4:5]", 7));
  EXPECT_TRUE(holds("v_pk_mul_f32 v[6:7], v[2:3], v[4:5] op_sel_hi:[0,0]", 7));
  EXPECT_FALSE(holds("v_pk_mul_f32 v[6:7], v[2:3], v[4:5] op_sel:[0,1] op_sel_hi:[0,0]", 6));
}

/// Of a pair, one half may compute with a register that nothing has written, whose result the code does not use; what
/// the other half writes still holds a value.
TEST(Control, PairsOfUnwrittenRegisters) {
  for (const std::string &target : {"gfx1100", "gfx1201"}) {
    std::vector<std::string> lines = {"v_dual_mov_b32 v8, s9 :: v_dual_lshlrev_b32 v9, 1, v2",
                                      "global_load_b32 v3, v9, s[2:3]", "global_load_b32 v4, v8, s[2:3]"};
    std::vector<uint8_t> bytes;
    for (const std::vector<uint8_t> &each : assemble(lines, target))
      bytes.insert(bytes.end(), each.begin(), each.end());
    std::vector<Instruction> code = decode(bytes, target);
    ASSERT_EQ(code.size(), 4u);
    WaveWatch watch;
    for (unsigned reg : {2u, kFirstScalar + 2, kFirstScalar + 3})
      watch.define(uint16_t(reg));
    watch.before(code[0]);
    EXPECT_NO_THROW(watch.before(code[2])) << target;
    EXPECT_THROW(watch.before(code[3]), Fault) << target;
  }
}

} // namespace
} // namespace tegula::emulator::test
