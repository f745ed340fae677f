// Counts the parameters that a kernel's code declares. The driver API returns the size of one parameter at a time and
// signals the end only by a failing call, which tools such as compute-sanitizer report as an error; so the code itself
// is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tegula::cuda {

/// True if the code is a cubin (an ELF file); otherwise it is PTX text, which the driver assembles.
bool isCubin(std::span<const uint8_t> code);

/// The number of parameters of the kernel `entry`; nothing if the code does not contain it. In a cubin, section
/// `.nv.info.ENTRY` has one record KPARAM_INFO for each parameter, as `cuobjdump -elf` lists them.
std::optional<size_t> parametersOf(std::span<const uint8_t> code, std::string_view entry);

} // namespace tegula::cuda
