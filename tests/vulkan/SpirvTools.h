// Debian's SPIR-V tools, and a newer validator where the root folder of ci/coopmat-lavapipe is there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tegula::vulkan::test {

/// What spirv-val says for Vulkan 1.2; empty where the module is valid.
std::string validate(std::span<const uint32_t> words);
/// The same by the newer spirv-val; nothing where it is not there.
std::optional<std::string> validateNewer(std::span<const uint32_t> words);
/// The module as text, ids by number.
std::string disassemble(std::span<const uint32_t> words);

} // namespace tegula::vulkan::test
