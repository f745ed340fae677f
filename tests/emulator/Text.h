// Reading of the text that LLVM's disassembler prints for one instruction.
#pragma once

#include "tests/emulator/Instruction.h"

#include <string_view>

namespace tegula::emulator {

/// The instruction of a text such as "v_fma_f32 v0, -v1, |s2|, 1.0 clamp mul:2": everything but handler, offset and
/// size. Throws Fault for a text that is none. A pair ("v_dual_... :: v_dual_...") is read one half at a time.
Instruction readText(std::string_view text);

} // namespace tegula::emulator
