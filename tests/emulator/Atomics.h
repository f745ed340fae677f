// Atomics of global memory; a part of addMemory.
#pragma once

#include "tests/emulator/Wave.h"

namespace tegula::emulator {

void addAtomics(HandlerTable &table);
/// The host's address of a lane's access of global memory, checked; `first`: the index of the address operand.
uint8_t *globalPlace(Wave &w, const Instruction &i, size_t first, size_t bytes, unsigned lane);

} // namespace tegula::emulator
