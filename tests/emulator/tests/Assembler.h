// Assembly texts to machine code in process, by LLVM's assembler.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tegula::emulator::test {

/// The machine code of each text, one instruction a text; empty where the architecture `target` has no such
/// instruction or form.
std::vector<std::vector<uint8_t>> assemble(std::span<const std::string> texts, const std::string &target);

} // namespace tegula::emulator::test
