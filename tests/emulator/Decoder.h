// Machine code to instructions, by LLVM's disassembler.
#pragma once

#include "tests/emulator/Instruction.h"

#include <span>
#include <string>

namespace tegula::emulator {

/// Decodes all of `code`, a kernel's bytes. Targets of branches become indices in the result. An instruction that the
/// emulator has no semantics for gets a handler that throws a Fault with its name.
std::vector<Instruction> decode(std::span<const uint8_t> code, const std::string &target);

} // namespace tegula::emulator
