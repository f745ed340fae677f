// Loads and stores through a buffer resource, and their range checks.
#include "tests/emulator/tests/Accesses.h"

#include <gtest/gtest.h>

namespace tegula::emulator::test {
namespace {

enum : uint32_t { kStructured, kIndex, kNever, kRaw }; // OOB_SELECT

/// s[8:11]: a resource of the host's memory from byte 4096 on.
void setResource(Bench &b, uint32_t stride, uint32_t records, uint32_t check) {
  uint64_t base = reinterpret_cast<uint64_t>(b.host.data()) + 4096;
  uint32_t *s = &b.machine.wave.scalars[8];
  s[0] = uint32_t(base);
  s[1] = uint32_t(base >> 32) | stride << 16;
  s[2] = records;
  s[3] = b.machine.isGfx9() ? 0x27000 : check << 28 | 0x16 << 12;
}

/// A byte of the resource, of which the first `limit` are in range.
Target targetAt(Bench &b, uint64_t at, uint64_t limit) {
  uint64_t words = at >= limit ? 0 : (limit - at + 3) / 4;
  return {b.host.data() + 4096 + (words ? at : 0), unsigned(std::min<uint64_t>(words, 4))};
}

constexpr uint32_t kRecords = 2064; // bytes: lanes beyond the 31st are out of range
uint64_t place(unsigned lane, unsigned alignment, Random &random) {
  return 64 * lane + (below(random, 40) + 8) / alignment * alignment;
}

const Addressing kRawForms[] = {
    {"buffer_", "v0", ", s[8:11], 0", " offen offset:16",
     [](Bench &b, unsigned lane, unsigned) {
       setResource(b, 0, kRecords, kRaw);
       uint64_t at = place(lane, 4, b.random) + 16;
       if (lane == 31)
         at = kRecords - 4 * below(b.random, 5); // the range may end within the access
       if (lane > 31 && lane % 2)
         at = 0x80000000; // far away
       b.machine.setVector(0, lane, at - 16);
       return targetAt(b, at, kRecords);
     }},
    {"buffer_", "off", ", s[8:11], 0", " offset:256",
     [](Bench &b, unsigned, unsigned) {
       setResource(b, 0, 272, kRaw);
       return targetAt(b, 256, 272);
     }},
    {"buffer_", "off", ", s[8:11], 0", " offset:260", // partly, or all of it
     [](Bench &b, unsigned, unsigned) {
       setResource(b, 0, 268, kRaw);
       return targetAt(b, 260, 268);
     }},
    {"buffer_", "v0", ", s[8:11], s12", " offen", // a scalar offset: gfx9's test includes it
     [](Bench &b, unsigned lane, unsigned) {
       uint64_t at = place(lane, 4, b.random);
       setResource(b, 0, kRecords, kRaw);
       b.machine.wave.scalars[12] = 512;
       b.machine.setVector(0, lane, at);
       return targetAt(b, at + 512, b.machine.isGfx9() ? kRecords : kRecords + 512);
     }},
    {"buffer_", "v0", ", s[8:11], 0", " offen", // tests only that there are records
     [](Bench &b, unsigned lane, unsigned) {
       uint64_t at = place(lane, 4, b.random);
       setResource(b, 0, b.machine.isGfx9() ? 8192 : 1, kNever);
       b.machine.setVector(0, lane, at);
       return targetAt(b, at, 8192);
     }},
};

/// Records of 48 bytes, an index in v0, an offset in v1.
const Addressing kStructuredForms[] = {
    {"buffer_", "v[0:1]", ", s[8:11], 0", " idxen offen offset:4",
     [](Bench &b, unsigned lane, unsigned) {
       uint64_t offset = 4 + 4 * below(b.random, 12), index = lane < 20 ? lane : lane + below(b.random, 1000);
       setResource(b, 48, 20, kStructured);
       b.machine.setVector(0, lane, index);
       b.machine.setVector(1, lane, offset - 4);
       return index < 20 ? targetAt(b, 48 * index + offset, 48 * index + 48) : targetAt(b, 0, 0);
     }},
    {"buffer_", "v0", ", s[8:11], 0", " idxen offset:8",
     [](Bench &b, unsigned lane, unsigned) {
       setResource(b, 48, 25, kIndex);
       b.machine.setVector(0, lane, lane);
       return lane < 25 ? targetAt(b, 48 * lane + 8, 48 * lane + 48) : targetAt(b, 0, 0);
     }},
};

/// The private memory of gfx90a and gfx1030: a resource of address 0; the scalar offset is one of the wave.
const Addressing kPrivateForms[] = {
    {"buffer_", "v0", ", s[8:11], s12", " offen offset:4", [](Bench &b, unsigned lane, unsigned) {
       uint64_t at = 4 * below(b.random, 40) + 8;
       for (unsigned i = 8; i < 12; ++i)
         b.machine.wave.scalars[i] = 0;
       b.machine.wave.scalars[12] = 4 * b.machine.wave.lanes;
       b.machine.setVector(0, lane, at - 8);
       return Target{b.machine.wave.scratch.data() + 256 * lane + at, 4};
     }}};

TEST(Buffer, Raw) { checkAccesses(kRawForms); }
TEST(Buffer, Structured) { checkAccesses(kStructuredForms); }
TEST(Buffer, Private) { checkAccesses(kPrivateForms); }

/// What devices do differently is a fault: a word that is partly in range, words of an access without alignment.
TEST(Buffer, PartlyOutOfRange) {
  for (const std::string &target : kTargets) {
    Bench b(target);
    std::string two = b.machine.isOld() ? "buffer_load_dwordx2" : "buffer_load_b64";
    for (auto [offset, records] : {std::pair{8u, 10u}, std::pair{6u, 10u}}) {
      b.fill();
      setResource(b, 0, records, kRaw);
      std::string text = two + " v[24:25], off, s[8:11], " + (target == "gfx1201" ? "null" : "0") +
                         " offset:" + std::to_string(offset);
      EXPECT_THROW(b.machine.run(text), Fault) << target << text;
    }
  }
}

TEST(Buffer, OtherResourcesAreFaults) {
  for (const std::string &target : kTargets) {
    Bench b(target);
    std::string text = std::string(b.machine.isOld() ? "buffer_load_dword" : "buffer_load_b32") +
                       " v24, off, s[8:11], " + (target == "gfx1201" ? "null" : "0");
    setResource(b, 0, 1024, kRaw);
    EXPECT_NO_THROW(b.machine.run(text)) << target;
    b.machine.wave.scalars[9] |= 0x80000000; // swizzles
    EXPECT_THROW(b.machine.run(text), Fault) << target;
    setResource(b, 0, 1024, kRaw);
    b.machine.wave.scalars[11] |= 1 << 23; // adds the lane's number
    EXPECT_THROW(b.machine.run(text), Fault) << target;
  }
}

TEST(Buffer, Scalars) {
  struct Load {
    unsigned words;
    const char *names;
  };
  for (const std::string &target : kTargets)
    for (auto [words, names] :
         {Load{1, "s_buffer_load_dword s_buffer_load_b32"}, Load{2, "s_buffer_load_dwordx2 s_buffer_load_b64"},
          Load{3, "s_buffer_load_b96"}, Load{4, "s_buffer_load_dwordx4 s_buffer_load_b128"},
          Load{8, "s_buffer_load_dwordx8 s_buffer_load_b256"}, Load{16, "s_buffer_load_dwordx16 s_buffer_load_b512"}})
      for (const std::string &name : test::words(names))
        for (uint32_t stride : {0u, 8u}) {
          Bench b(target);
          std::vector<Instruction> code =
              instructions(name + " " + registers('s', 16, words) + ", s[8:11], 0x10", target);
          if (code.empty() || code[0].name != name)
            continue;
          b.fill();
          constexpr uint32_t kBytes = 32;
          setResource(b, stride, stride ? kBytes / stride : kBytes, kRaw);
          b.machine.run(code);
          for (unsigned word = 0; word < words; ++word) {
            uint32_t want = 0;
            if (16 + 4 * word < kBytes)
              std::memcpy(&want, &b.host[4096 + 16 + 4 * word], 4);
            ASSERT_EQ(b.machine.wave.scalars[16 + word], want) << target << " " << name;
          }
        }
}

} // namespace
} // namespace tegula::emulator::test
