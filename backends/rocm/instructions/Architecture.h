// The AMD architectures that code is generated for, as data that both halves of the backend use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tegula::rocm {

/// Properties of one architecture. Source: the instruction set manuals of CDNA 2 and 3 and RDNA 2, 3, 3.5 and 4, and
/// LLVM's AMDGPU usage page.
struct Architecture {
  std::string_view name;         // LLVM's and HIP's name: "gfx1100"
  int generation;                // generation of the instruction set: 9 to 12
  int64_t warpSize;              // lanes: 64 on CDNA, 32 on RDNA
  int64_t registerBytes;         // bytes of vector registers that the threads of a program share
  int64_t threadRegisterBytes;   // the most bytes of vector registers of one thread
  std::string_view matrixPrefix; // prefix of the names of its matrix instructions in the table; empty: it has none
  std::string_view matrixSuffix; // suffix of those that are not common to all architectures with this prefix
};

inline constexpr int64_t kSharedBytes = 64 << 10; // of one program, on all architectures

// The bytes of vector registers that the threads of a program share. A program runs on four SIMDs: on CDNA those of a
// compute unit, with 512 registers of 64 lanes each; on RDNA those of a work group processor, with 1,024 (gfx1030) or
// 1,536 registers of 32 lanes each.
inline constexpr int64_t kCdnaRegisters = 4 * 512 * 64 * 4, kRdna2Registers = 4 * 1024 * 32 * 4,
                         kRdna3Registers = 4 * 1536 * 32 * 4;

inline constexpr Architecture kArchitectures[] = {
    {"gfx90a", 9, 64, kCdnaRegisters, 512 * 4, "mfma", ".gfx90a"},
    {"gfx942", 9, 64, kCdnaRegisters, 512 * 4, "mfma", ".gfx942"},
    {"gfx1030", 10, 32, kRdna2Registers, 256 * 4, "", ""},
    {"gfx1100", 11, 32, kRdna3Registers, 256 * 4, "wmma", ".gfx11"},
    {"gfx1101", 11, 32, kRdna3Registers, 256 * 4, "wmma", ".gfx11"},
    {"gfx1151", 11, 32, kRdna3Registers, 256 * 4, "wmma", ".gfx11"},
    {"gfx1200", 12, 32, kRdna3Registers, 256 * 4, "wmma", ".gfx12"},
    {"gfx1201", 12, 32, kRdna3Registers, 256 * 4, "wmma", ".gfx12"},
};

/// Null if no architecture has this name.
inline const Architecture *findArchitecture(std::string_view name) {
  const Architecture *found = std::ranges::find(kArchitectures, name, &Architecture::name);
  return found == std::end(kArchitectures) ? nullptr : found;
}

} // namespace tegula::rocm
