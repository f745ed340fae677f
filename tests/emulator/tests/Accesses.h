// Tests of loads and stores from rows of widths and forms of addresses.
#pragma once

#include "tests/emulator/tests/Machine.h"

#include <span>

namespace tegula::emulator::test {

/// A wave with random contents of 16 KiB of memory of the host, of LDS, and of 256 bytes private memory of each lane.
struct Bench {
  explicit Bench(const std::string &target);
  void fill();

  Machine machine;
  Random random{17};
  std::vector<uint8_t> host;
};

/// Where a lane's access goes: the byte, and how many words from there on are in range.
struct Target {
  uint8_t *at = nullptr;
  unsigned words = 0;
};

/// A form of an address. A load is "<space>load_<width> v[24:27], <address><base><modifiers>", a store
/// "<space>store_<width> <address>, v[32:35]<base><modifiers>"; of buffers data come first in both.
struct Addressing {
  std::string space, address, base, modifiers;
  std::function<Target(Bench &, unsigned lane, unsigned alignment)> prepare; // writes the registers of a lane
};

/// All widths in these forms, on all architectures that have them.
void checkAccesses(std::span<const Addressing> forms);

} // namespace tegula::emulator::test
