// The number of parameters that a kernel's code declares. The driver tells sizes one by one, and only by a failing call
// that there are no more, which tools such as compute-sanitizer report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tegula::cuda {

/// Whether the code is a cubin, which is an ELF file; otherwise it is PTX text, which the driver assembles.
bool isCubin(std::span<const uint8_t> code);

/// Of the kernel `entry`; nothing where the code does not tell.
/// In a cubin, section `.nv.info.ENTRY` has one record KPARAM_INFO a parameter, as `cuobjdump -elf` lists them.
std::optional<size_t> parametersOf(std::span<const uint8_t> code, std::string_view entry);

} // namespace tegula::cuda
