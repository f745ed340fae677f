// Execution of a kernel: workgroups over the host's cores, the waves of a workgroup in turns.
#pragma once

#include "tests/emulator/Program.h"
#include "tests/emulator/Wave.h"

namespace tegula::emulator {

struct Launch {
  const Program *program = nullptr;
  const KernelCode *kernel = nullptr;
  std::array<uint32_t, 3> grid = {1, 1, 1}; // workgroups
  uint32_t threads = 1;                     // of a workgroup, along x
  uint32_t sharedBytes = 0;                 // of LDS, beside what the code declares
  std::span<const uint8_t> arguments;       // the argument segment
  Memory *memory = nullptr;
};

/// Executes the instruction of `code` at w.next, or a pair of them. Throws Fault without a place.
void execute(Wave &w, const std::vector<Instruction> &code);

/// Executes all workgroups; they begin in the order of their numbers. Throws the first Fault, with the kernel's name
/// and the place in its code. Returns what the waves counted.
Counters run(const Launch &launch);

} // namespace tegula::emulator
