// Disassembles a SPIR-V module for people: one instruction a line, `%result = OpName operands`.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tegula::vulkan {

/// Ids are written as %7, literals as names or numbers, strings in quotes. Throws InternalError if `words` is no
/// module.
std::string disassemble(std::span<const uint32_t> words);

} // namespace tegula::vulkan
