// Loads and stores of all spaces: each width, in each form of an address.
#include "tests/emulator/tests/Accesses.h"

#include <gtest/gtest.h>

namespace tegula::emulator::test {
namespace {

Target hostTarget(Bench &bench, uint64_t at) { return {bench.host.data() + at, 4}; }
/// A place for a lane: lanes do not overlap.
uint64_t place(unsigned lane, unsigned alignment, Random &random) {
  return 4096 + 64 * lane + below(random, 40) / alignment * alignment;
}

const Addressing kGlobal[] = {
    {"global_", "v[0:1]", ", off", " offset:-24",
     [](Bench &b, unsigned lane, unsigned alignment) {
       uint64_t at = place(lane, alignment, b.random);
       b.machine.setVector(0, lane, reinterpret_cast<uint64_t>(b.host.data()) + at + 24, 2);
       return hostTarget(b, at);
     }},
    {"global_", "v0", ", s[8:9]", " offset:16", // the vector's part has no sign
     [](Bench &b, unsigned lane, unsigned alignment) {
       uint64_t at = place(lane, alignment, b.random), base = reinterpret_cast<uint64_t>(b.host.data()) - 0xf0000000;
       b.machine.setVector(0, lane, 0xf0000000 + at - 16);
       b.machine.wave.setPair(8, base);
       return hostTarget(b, at);
     }},
    {"flat_", "v[0:1]", "", "",
     [](Bench &b, unsigned lane, unsigned alignment) {
       uint64_t at = place(lane, alignment, b.random);
       b.machine.setVector(0, lane, reinterpret_cast<uint64_t>(b.host.data()) + at, 2);
       return hostTarget(b, at);
     }},
    {"flat_", "v[0:1]", "", " offset:8", // LDS in even lanes, private memory in odd ones, the host's in each fourth
     [](Bench &b, unsigned lane, unsigned alignment) {
       uint64_t at = place(lane, alignment, b.random);
       Wave &w = b.machine.wave;
       if (lane % 4 == 3) {
         b.machine.setVector(0, lane, reinterpret_cast<uint64_t>(b.host.data()) + at - 8, 2);
         return hostTarget(b, at);
       }
       if (lane % 2 == 0) {
         b.machine.setVector(0, lane, w.pair(kShared) + at - 8, 2);
         return Target{b.machine.group.lds.data() + at, 4};
       }
       b.machine.setVector(0, lane, w.pair(kPrivate) + at % 64, 2);
       return Target{w.scratch.data() + size_t(lane) * w.scratchBytes + at % 64 + 8, 4};
     }},
};

Target privateTarget(Bench &b, unsigned lane, uint64_t at) {
  return {b.machine.wave.scratch.data() + size_t(lane) * b.machine.wave.scratchBytes + at, 4};
}

const Addressing kScratch[] = {
    {"scratch_", "v0", ", off", " offset:12",
     [](Bench &b, unsigned lane, unsigned alignment) {
       uint64_t at = below(b.random, 100) / alignment * alignment + 16;
       b.machine.setVector(0, lane, at - 12);
       return privateTarget(b, lane, at);
     }},
    {"scratch_", "off", ", s8", " offset:4",
     [](Bench &b, unsigned lane, unsigned) {
       b.machine.wave.scalars[8] = 60;
       return privateTarget(b, lane, 64);
     }},
    {"scratch_", "v0", ", s8", " offset:-4",
     [](Bench &b, unsigned lane, unsigned alignment) {
       uint64_t at = below(b.random, 60) / alignment * alignment;
       b.machine.wave.scalars[8] = 32;
       b.machine.setVector(0, lane, at - 28);
       return privateTarget(b, lane, at);
     }},
    {"scratch_", "off", ", off", " offset:20",
     [](Bench &b, unsigned lane, unsigned) { return privateTarget(b, lane, 20); }},
};

/// LDS; the sum of address and offset wraps at 32 bits.
const Addressing kShared_[] = {
    {"ds_", "v0", "", " offset:48",
     [](Bench &b, unsigned lane, unsigned alignment) {
       uint64_t at = place(lane, alignment, b.random);
       b.machine.setVector(0, lane, at - 48);
       return Target{b.machine.group.lds.data() + at, 4};
     }},
    {"ds_", "v0", "", " offset:65520",
     [](Bench &b, unsigned lane, unsigned alignment) {
       uint64_t at = place(lane, alignment, b.random);
       b.machine.setVector(0, lane, at - 65520);
       return Target{b.machine.group.lds.data() + at, 4};
     }},
};

TEST(Access, Global) { checkAccesses(kGlobal); }
TEST(Access, Scratch) { checkAccesses(kScratch); }
TEST(Access, Shared) { checkAccesses(kShared_); }

/// Two elements with offsets in units of the element, or of 64 of them.
TEST(Access, SharedPairs) {
  for (const std::string &target : kTargets)
    for (unsigned words : {1u, 2u})
      for (unsigned stride : {1u, 64u}) {
        Bench b(target);
        bool isOld = b.machine.isOld();
        std::string bits = words == 1 ? "_b32" : "_b64",
                    far = isOld ? (stride == 1 ? "2" : "2st64") : (stride == 1 ? "_2addr" : "_2addr_stride64");
        std::string data = registers('v', 24, 2 * words), first = registers('v', 32, words),
                    second = registers('v', 36, words), offsets = " offset0:1 offset1:3";
        b.fill();
        auto at = [&](unsigned lane, unsigned which) {
          return 1024 + 16 * lane + 4 * words * stride * (which ? 3 : 1);
        };
        for (unsigned lane = 0; lane < b.machine.wave.lanes; ++lane)
          b.machine.setVector(0, lane, 1024 + 16 * lane);
        b.machine.run((isOld ? "ds_read" : "ds_load") + far + bits + " " + data + ", v0" + offsets);
        for (unsigned lane = 0; lane < b.machine.wave.lanes; ++lane)
          for (unsigned word = 0; word < 2 * words; ++word) {
            uint32_t want;
            std::memcpy(&want, &b.machine.group.lds[at(lane, word / words) + 4 * (word % words)], 4);
            ASSERT_EQ(b.machine.vector(24 + word, lane), want) << target << far;
          }
        std::vector<uint8_t> expected = b.machine.group.lds;
        for (unsigned lane = 0; lane < b.machine.wave.lanes; ++lane)
          for (unsigned which = 0; which < 2; ++which)
            for (unsigned word = 0; word < words; ++word) {
              uint32_t value = uint32_t(b.machine.vector(32 + 4 * which + word, lane));
              std::memcpy(&expected[at(lane, which) + 4 * word], &value, 4);
            }
        b.machine.run((isOld ? "ds_write" : "ds_store") + far + bits + " v0, " + first + ", " + second + offsets);
        ASSERT_EQ(b.machine.group.lds, expected) << target << far << bits;
      }
}

/// {words, the name before gfx11, later}. The address may be that of an argument or of global memory.
TEST(Access, Scalars) {
  struct Load {
    unsigned words;
    const char *names;
  };
  for (const std::string &target : kTargets)
    for (auto [words, names] : {Load{1, "s_load_dword s_load_b32"}, Load{2, "s_load_dwordx2 s_load_b64"},
                                Load{3, "s_load_b96"}, Load{4, "s_load_dwordx4 s_load_b128"},
                                Load{8, "s_load_dwordx8 s_load_b256"}, Load{16, "s_load_dwordx16 s_load_b512"}})
      for (const std::string &name : test::words(names))
        for (const char *offset : {"0x20", "s4", "s4 offset:0x10", "-0x8"}) {
          Bench b(target);
          std::string text = name + " " + registers('s', 16, words) + ", s[8:9], " + offset;
          std::vector<Instruction> code = instructions(text, target);
          if (code.empty() || code[0].name != name)
            continue;
          b.fill();
          b.machine.wave.scalars[4] = 0x44;
          b.machine.wave.setPair(8, reinterpret_cast<uint64_t>(b.host.data()) + 1024);
          std::string o = offset;
          size_t at = 1024 + (o == "0x20" ? 0x20 : o == "-0x8" ? size_t(-8) : o == "s4" ? 0x44 : 0x54);
          b.machine.run(code);
          for (unsigned word = 0; word < words; ++word) {
            uint32_t want;
            std::memcpy(&want, &b.host[at + 4 * word], 4);
            ASSERT_EQ(b.machine.wave.scalars[16 + word], want) << target << " " << text;
          }
        }
  Bench b("gfx1201");
  b.fill();
  for (unsigned at = 0; at < 40; ++at) {
    b.machine.wave.setPair(8, reinterpret_cast<uint64_t>(b.host.data()) + 2 * at);
    b.machine.run("s_load_u8 s16, s[8:9], 0x1\ns_load_i8 s17, s[8:9], 0x1\ns_load_u16 s18, s[8:9], 0x2\n"
                  "s_load_i16 s19, s[8:9], 0x2");
    const uint8_t *from = &b.host[2 * at];
    int whole = from[2] | from[3] << 8;
    EXPECT_EQ(b.machine.wave.scalars[16], from[1]);
    EXPECT_EQ(int(b.machine.wave.scalars[17]), int8_t(from[1]));
    EXPECT_EQ(int(b.machine.wave.scalars[18]), whole);
    EXPECT_EQ(int(b.machine.wave.scalars[19]), int16_t(whole));
  }
}

} // namespace
} // namespace tegula::emulator::test
