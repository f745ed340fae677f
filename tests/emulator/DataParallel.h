// Data parallel primitives (DPP): the first source of an instruction, moved between lanes.
#pragma once

#include "tests/emulator/Wave.h"

namespace tegula::emulator {

/// Fills `w.moved` with the words that the lanes read of `source`, and `writes` with the lanes that the instruction may
/// write. False where the form is unknown.
bool prepare(Wave &w, const Instruction &i, const Operand &source, uint64_t &writes);

} // namespace tegula::emulator
