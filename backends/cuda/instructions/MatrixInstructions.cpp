#include "backends/cuda/instructions/MatrixInstructions.h"

#include <algorithm>
#include <bit>

namespace tegula::cuda {
namespace {

using enum ScalarType;
using enum OperandPlace;

// The fragments of the PTX manual as linear layouts: bases (row, column) for each bit of the register and of the lane.
// The comments name the elements that one lane holds, with g = lane / 4 and t = lane % 4 (the manual's groupID and
// threadID_in_group). C 16x8: rows g and g + 8, columns 2t and 2t + 1.
const std::string kC = "register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0)";

// 16-bit A 16x16: rows g and g + 8, columns 2t, 2t + 1, 2t + 8 and 2t + 9. B 16x8: rows 2t, 2t + 1, 2t + 8 and 2t + 9,
// column g.
const std::string kA16 = "register: (0,1) (8,0) (0,8); lane: (0,2) (0,4) (1,0) (2,0) (4,0)";
const std::string kB16 = "register: (1,0) (8,0); lane: (2,0) (4,0) (0,1) (0,2) (0,4)";
// 16-bit A 16x8: rows g and g + 8, columns 2t and 2t + 1. B 8x8: rows 2t and 2t + 1, column g.
const std::string kA16k8 = "register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0)";
const std::string kB16k8 = "register: (1,0); lane: (2,0) (4,0) (0,1) (0,2) (0,4)";
// tf32 A 16x8: rows g and g + 8, columns t and t + 4.  B 8x8: rows t and t + 4, column g.
const std::string kA32 = "register: (8,0) (0,4); lane: (0,1) (0,2) (1,0) (2,0) (4,0)";
const std::string kB32 = "register: (4,0); lane: (1,0) (2,0) (0,1) (0,2) (0,4)";
// tf32 A 16x4: rows g and g + 8, column t.  B 4x8: row t, column g.
const std::string kA32k4 = "register: (8,0); lane: (0,1) (0,2) (1,0) (2,0) (4,0)";
const std::string kB32k4 = "lane: (1,0) (2,0) (0,1) (0,2) (0,4)";
// 8-bit A 16x32: rows g and g + 8, columns 4t to 4t + 3 and 4t + 16 to 4t + 19. B 32x8: rows 4t to 4t + 3 and 4t + 16
// to 4t + 19, column g.
const std::string kA8 = "register: (0,1) (0,2) (8,0) (0,16); lane: (0,4) (0,8) (1,0) (2,0) (4,0)";
const std::string kB8 = "register: (1,0) (2,0) (16,0); lane: (4,0) (8,0) (0,1) (0,2) (0,4)";
// 8-bit A 16x16: rows g and g + 8, columns 4t to 4t + 3. A 8x16: row g, columns 4t to 4t + 3. B 16x8: column g, rows 4t
// to 4t + 3.
const std::string kA8k16 = "register: (0,1) (0,2) (8,0); lane: (0,4) (0,8) (1,0) (2,0) (4,0)";
const std::string kA8m8 = "register: (0,1) (0,2); lane: (0,4) (0,8) (1,0) (2,0) (4,0)";
const std::string kB8k16 = "register: (1,0) (2,0); lane: (4,0) (8,0) (0,1) (0,2) (0,4)";

// f64 A 8x4: row g, column t.  B 4x8: row t, column g.
const std::string kA64 = "lane: (0,1) (0,2) (1,0) (2,0) (4,0)";
const std::string kB64 = "lane: (1,0) (2,0) (0,1) (0,2) (0,4)";
// C of 8x8: row g, columns 2t and 2t + 1.
const std::string kC8 = "register: (0,1); lane: (0,2) (0,4) (1,0) (2,0) (4,0)";

/// An instruction of one warp, and the first architecture version that has it.
struct WarpRow {
  unsigned version;
  MatrixInstructionRow row;
};

const WarpRow kWarpRows[] = {
    {80, {"mma.m16n8k16.f32.f16", 16, 8, 16, 32, 1, F16, F16, F32, Registers, Registers, kA16, kB16, kC}},
    {80, {"mma.m16n8k16.f32.bf16", 16, 8, 16, 32, 1, BF16, BF16, F32, Registers, Registers, kA16, kB16, kC}},
    {80, {"mma.m16n8k16.f16.f16", 16, 8, 16, 32, 1, F16, F16, F16, Registers, Registers, kA16, kB16, kC}},
    {80, {"mma.m16n8k8.f32.tf32", 16, 8, 8, 32, 1, F32, F32, F32, Registers, Registers, kA32, kB32, kC, true}},
    {80, {"mma.m16n8k32.s32.s8", 16, 8, 32, 32, 1, I8, I8, I32, Registers, Registers, kA8, kB8, kC}},
    {80, {"mma.m8n8k4.f64.f64", 8, 8, 4, 32, 1, F64, F64, F64, Registers, Registers, kA64, kB64, kC8}},
    {75, {"mma.m16n8k8.f32.f16", 16, 8, 8, 32, 1, F16, F16, F32, Registers, Registers, kA16k8, kB16k8, kC}},
    {75, {"mma.m8n8k16.s32.s8", 8, 8, 16, 32, 1, I8, I8, I32, Registers, Registers, kA8m8, kB8k16, kC8}},
    {80, {"mma.m16n8k8.f32.bf16", 16, 8, 8, 32, 1, BF16, BF16, F32, Registers, Registers, kA16k8, kB16k8, kC}},
    {80, {"mma.m16n8k4.f32.tf32", 16, 8, 4, 32, 1, F32, F32, F32, Registers, Registers, kA32k4, kB32k4, kC, true}},
    {80, {"mma.m16n8k16.s32.s8", 16, 8, 16, 32, 1, I8, I8, I32, Registers, Registers, kA8k16, kB8k16, kC}},
};

// wgmma, an instruction of four warps: warp w holds rows 16w to 16w + 15 of A and C in the layout of mma.m16n8k16. Each
// further block of 8 columns of C is in further registers, in the same layout. B comes from shared memory; A from
// shared memory or from registers.
const std::string kGroupWarps = "; warp: (16,0) (32,0)";

std::string groupC(unsigned n) {
  std::string registers = "register: (0,1) (8,0)";
  for (unsigned column = 8; column < std::bit_ceil(n); column *= 2)
    registers += " (0," + std::to_string(column) + ")";
  return registers + "; lane: (0,2) (0,4) (1,0) (2,0) (4,0)" + kGroupWarps;
}

/// The types that wgmma multiplies, and their names in PTX. Operands in shared memory whose elements do not have 16
/// bits must be K-major (their lines lie along the depth).
struct GroupTypes {
  ScalarType operand, sum;
  const char *text;
  bool readsTf32 = false;
};
constexpr GroupTypes kGroupTypes[] = {
    {F16, F32, "f32.f16"}, {BF16, F32, "f32.bf16"},   {F32, F32, "f32.tf32", true},
    {I8, I32, "s32.s8"},   {F8E4M3, F32, "f32.e4m3"}, {F8E5M2, F32, "f32.e5m2"},
};

MatrixInstruction groupInstruction(unsigned n, const GroupTypes &types) {
  unsigned k = 256 / bitWidth(types.operand); // 32 bytes
  std::string name = "wgmma.m64n" + std::to_string(n) + "k" + std::to_string(k) + "." + types.text;
  const std::string &left = k == 8 ? kA32 : k == 16 ? kA16 : kA8;
  return makeInstruction({name.c_str(), 64, n, k, 32, 4, types.operand, types.operand, types.sum, Either, Shared,
                          left + kGroupWarps, "", groupC(n), types.readsTf32});
}

std::vector<MatrixInstruction> table() {
  std::vector<MatrixInstruction> all;
  for (const WarpRow &each : kWarpRows)
    all.push_back(makeInstruction(each.row));
  for (const GroupTypes &types : kGroupTypes)
    for (unsigned n = 8; n <= 256; n += types.operand == I8 && n >= 32 ? 16 : 8)
      all.push_back(groupInstruction(n, types));
  return all;
}

} // namespace

std::span<const MatrixInstruction> matrixInstructions() {
  static const std::vector<MatrixInstruction> all = table();
  return all;
}

unsigned leastVersion(const MatrixInstruction &row) {
  if (row.warps > 1) // wgmma
    return 90;
  return std::ranges::find(kWarpRows, row.name, [](const WarpRow &each) { return each.row.name; })->version;
}

std::vector<std::string> exampleInstructions() { return {"m16n8k16", "m64n128k16"}; }

} // namespace tegula::cuda
