// A SPIR-V module as text, for people: one instruction a line, `%result = OpName operands`.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tegula::vulkan {

/// Words that are ids are written %7, others as numbers, strings in quotes.
/// Throws InternalError for what is no module.
std::string disassemble(std::span<const uint32_t> words);

} // namespace tegula::vulkan
