// The AMD architectures that code is generated for, as data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tegula::rocm {

/// Source: the instruction set manuals of CDNA 2 and 3 and RDNA 2, 3, 3.5 and 4, and LLVM's AMDGPU usage page.
struct Architecture {
  std::string_view name;   // of LLVM and HIP: "gfx1100"
  int64_t warpSize = 32;   // lanes: 64 on CDNA, 32 on RDNA
  std::string_view matrix; // what names of its matrix instructions begin and end with: "mfma", "wmma.gfx11", or nothing
  int64_t registerBytes = 0;       // vector registers that the threads of a program share
  int64_t threadRegisterBytes = 0; // most vector registers of a thread
};

inline constexpr int64_t kSharedBytes = 64 << 10; // of one program, on all of them

std::span<const Architecture> architectures();
/// Null where the name is none of theirs.
const Architecture *findArchitecture(std::string_view name);

} // namespace tegula::rocm
