#include "tests/emulator/tests/Accesses.h"

#include <gtest/gtest.h>

namespace tegula::emulator::test {
namespace {

/// What a load makes of the bytes: an unsigned or signed number, or one half of the register, whose other half stays.
enum class Part : uint8_t { Unsigned, Signed, Low, High };

struct Width {
  const char *names; // behind the space
  unsigned bytes;
  Part part = Part::Unsigned;
  bool isSigned = false; // of a half
};

const Width kLoads[] = {
    {"load_ubyte load_u8 read_u8", 1},
    {"load_sbyte load_i8 read_i8", 1, Part::Signed},
    {"load_ushort load_u16 read_u16", 2},
    {"load_sshort load_i16 read_i16", 2, Part::Signed},
    {"load_ubyte_d16 load_d16_u8 load_u8_d16 read_u8_d16", 1, Part::Low},
    {"load_sbyte_d16 load_d16_i8 load_i8_d16 read_i8_d16", 1, Part::Low, true},
    {"load_short_d16 load_d16_b16 load_u16_d16 read_u16_d16", 2, Part::Low},
    {"load_ubyte_d16_hi load_d16_hi_u8 load_u8_d16_hi read_u8_d16_hi", 1, Part::High},
    {"load_sbyte_d16_hi load_d16_hi_i8 load_i8_d16_hi read_i8_d16_hi", 1, Part::High, true},
    {"load_short_d16_hi load_d16_hi_b16 load_u16_d16_hi read_u16_d16_hi", 2, Part::High},
    {"load_dword load_b32 read_b32", 4},
    {"load_dwordx2 load_b64 read_b64", 8},
    {"load_dwordx3 load_b96 read_b96", 12},
    {"load_dwordx4 load_b128 read_b128", 16},
};
const Width kStores[] = {
    {"store_byte store_b8 write_b8", 1},
    {"store_short store_b16 write_b16", 2},
    {"store_byte_d16_hi store_d16_hi_b8 store_b8_d16_hi write_b8_d16_hi", 1, Part::High},
    {"store_short_d16_hi store_d16_hi_b16 store_b16_d16_hi write_b16_d16_hi", 2, Part::High},
    {"store_dword store_b32 write_b32", 4},
    {"store_dwordx2 store_b64 write_b64", 8},
    {"store_dwordx3 store_b96 write_b96", 12},
    {"store_dwordx4 store_b128 write_b128", 16},
};
constexpr unsigned kLoaded = 24, kStored = 32;

uint32_t loaded(const Width &width, const Target &from, unsigned word, uint32_t old) {
  uint32_t bits = 0;
  if (word < from.words)
    std::memcpy(&bits, from.at + 4 * word, std::min(4u, width.bytes));
  bool isSigned = width.isSigned || width.part == Part::Signed;
  if (width.bytes == 1 && isSigned)
    bits = uint32_t(int8_t(bits));
  if (width.bytes == 2 && isSigned)
    bits = uint32_t(int16_t(bits));
  if (width.part == Part::Low)
    return (old & 0xffff0000) | (bits & 0xffff);
  return width.part == Part::High ? (old & 0xffff) | bits << 16 : bits;
}

class Round {
public:
  Round(Bench &bench, const Addressing &form, const Width &width) : b_(bench), width_(width) {
    b_.fill();
    Wave &w = b_.machine.wave;
    if (chance(b_.random, 2))
      w.setExec(random64(b_.random) & b_.machine.allLanes());
    else
      w.setExec(b_.machine.allLanes());
    unsigned alignment =
        form.space == "ds_" ? std::min(width.bytes == 12 ? 16u : width.bytes, 16u) : std::min(width.bytes, 4u);
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      targets_.push_back(form.prepare(b_, lane, alignment));
  }

  void load(const std::vector<Instruction> &code) {
    Wave &w = b_.machine.wave;
    std::vector<uint32_t> expected = w.vectors;
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      for (unsigned word = 0; w.isActive(lane) && word < (width_.bytes + 3) / 4; ++word) {
        uint32_t &place = expected[(kLoaded + word) * w.lanes + lane];
        place = loaded(width_, targets_[lane], word, place);
      }
    b_.machine.run(code);
    ASSERT_EQ(w.vectors, expected) << b_.machine.target << " " << code[0].text;
  }

  void store(const std::vector<Instruction> &code) {
    Wave &w = b_.machine.wave;
    struct Image {
      std::vector<uint8_t> &memory;
      std::vector<uint8_t> before = memory, expected = {};
    };
    Image images[] = {{b_.host}, {w.scratch}, {b_.machine.group.lds}};
    std::vector<uint32_t> vectors = w.vectors;
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      for (unsigned word = 0; w.isActive(lane) && word < (width_.bytes + 3) / 4 && word < targets_[lane].words;
           ++word) {
        uint32_t value = uint32_t(b_.machine.vector(kStored + word, lane)) >> (width_.part == Part::High ? 16 : 0);
        std::memcpy(targets_[lane].at + 4 * word, &value, std::min(4u, width_.bytes));
      }
    for (Image &image : images) { // the memory stays where it is
      image.expected = image.memory;
      std::ranges::copy(image.before, image.memory.begin());
    }
    b_.machine.run(code);
    ASSERT_EQ(w.vectors, vectors) << b_.machine.target << " " << code[0].text;
    for (Image &image : images)
      ASSERT_TRUE(image.memory == image.expected) << b_.machine.target << " " << code[0].text;
  }

private:
  Bench &b_;
  const Width &width_;
  std::vector<Target> targets_;
};

} // namespace

Bench::Bench(const std::string &target) : machine(target), host(16384) {
  machine.wave.scratchBytes = 256;
  machine.wave.scratch.resize(size_t(256) * machine.wave.lanes);
  machine.group.lds.resize(65536);
  machine.group.watch.begin(machine.group.lds.size());
  machine.group.watch.define(0, machine.group.lds.size());
}

void Bench::fill() {
  machine.fill(random);
  for (std::vector<uint8_t> *bytes : {&host, &machine.wave.scratch, &machine.group.lds})
    for (size_t at = 0; at < bytes->size(); at += 4) {
      uint32_t word = uint32_t(random());
      std::memcpy(bytes->data() + at, &word, 4);
    }
}

void checkAccesses(std::span<const Addressing> forms) {
  for (const std::string &target : kTargets) {
    Bench bench(target);
    auto each = [&](const Width &width, bool isLoad) {
      for (const Addressing &form : forms)
        for (const std::string &name : words(width.names)) {
          std::string data = registers('v', isLoad ? kLoaded : kStored, (width.bytes + 3) / 4);
          std::string base = form.base;
          if (target == "gfx1201" && base.ends_with(", 0")) // a scalar offset of 0 is written so
            base.replace(base.size() - 1, 1, "null");
          bool dataFirst = isLoad || form.space == "buffer_";
          std::string text = form.space + name + " " +
                             (dataFirst ? data + ", " + form.address : form.address + ", " + data) + base +
                             form.modifiers;
          std::vector<Instruction> code = instructions(text, target);
          if (code.empty() || code[0].name != form.space + name)
            continue;
          for (unsigned round = 0; round < 4 && !::testing::Test::HasFailure(); ++round) {
            Round test(bench, form, width);
            isLoad ? test.load(code) : test.store(code);
          }
        }
    };
    for (const Width &width : kLoads)
      each(width, true);
    for (const Width &width : kStores)
      each(width, false);
  }
}

} // namespace tegula::emulator::test
