// Debian's SPIR-V tools, and a newer validator if the root folder of ci/coopmat-lavapipe exists.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tegula::vulkan::test {

/// spirv-val's message for Vulkan 1.2; empty where the module is valid.
std::string validate(std::span<const uint32_t> words);
/// Like validate, by the newer spirv-val; nothing where it is not installed.
std::optional<std::string> validateNewer(std::span<const uint32_t> words);
/// The module as text, ids by number.
std::string disassemble(std::span<const uint32_t> words);

} // namespace tegula::vulkan::test
