#include "backends/rocm/codegen/Architecture.h"

#include <algorithm>

namespace tegula::rocm {
namespace {

// A compute unit of CDNA has four SIMDs of 512 registers of 64 lanes; a work group processor of RDNA has four of 1,024
// (gfx1030) or 1,536 registers of 32 lanes, half of them in reach of a program in compute unit mode.
constexpr int64_t kCdna = 4 * 512 * 64 * 4, kRdna2 = 2 * 1024 * 32 * 4, kRdna3 = 2 * 1536 * 32 * 4;

constexpr Architecture kArchitectures[] = {
    {"gfx90a", 64, "mfma", kCdna, 512 * 4},         {"gfx942", 64, "mfma", kCdna, 512 * 4},
    {"gfx1030", 32, "", kRdna2, 256 * 4},           {"gfx1100", 32, "wmma.gfx11", kRdna3, 256 * 4},
    {"gfx1101", 32, "wmma.gfx11", kRdna3, 256 * 4}, {"gfx1151", 32, "wmma.gfx11", kRdna3, 256 * 4},
    {"gfx1200", 32, "wmma.gfx12", kRdna3, 256 * 4}, {"gfx1201", 32, "wmma.gfx12", kRdna3, 256 * 4},
};

} // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

const Architecture *findArchitecture(std::string_view name) {
  const Architecture *found = std::ranges::find(kArchitectures, name, &Architecture::name);
  return found == std::end(kArchitectures) ? nullptr : found;
}

} // namespace tegula::rocm
