#include "backends/rocm/instructions/MatrixInstructions.h"

namespace tegula::rocm {
namespace {

using enum ScalarType;
using enum OperandPlace;

// MFMA 32x32x8: A has row lane % 32 and k = 4 * (lane / 32) + 0..3; B the same with columns. C has column lane % 32 and
// rows 4 * (lane / 32) + 0..3, repeated at rows + 8, + 16 and + 24.
const std::string kA32 = "register: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,4)";
const std::string kB32 = "register: (1,0) (2,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (4,0)";
const std::string kC32 = "register: (1,0) (2,0) (8,0) (16,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (4,0)";
// MFMA 16x16x16: A has row lane % 16 and k = 4 * (lane / 16) + 0..3. C has column lane % 16 and rows 4 * (lane / 16) +
// 0..3.
const std::string kA16 = "register: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,8)";
const std::string kB16 = "register: (1,0) (2,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0) (8,0)";
const std::string kC16 = "register: (1,0) (2,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0) (8,0)";

// WMMA of gfx11: A has row lane % 16 and all of k; lanes 16 to 31 hold copies. C has column lane % 16 and every other
// row.
const std::string kA11 = "register: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0)";
const std::string kB11 = "register: (1,0) (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (0,0)";
const std::string kC11 = "register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0)";
// WMMA of gfx12: no copies. Lanes 16 to 31 hold the k with bit 2 set in A and B, and the lower eight rows of C.
const std::string kA12 = "register: (0,1) (0,2) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,4)";
const std::string kB12 = "register: (1,0) (2,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0)";
const std::string kC12 = "register: (1,0) (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0)";

const MatrixInstructionRow kRows[] = {
    {"mfma_f32_32x32x8_f16", 32, 32, 8, 64, 1, F16, F16, F32, Registers, Registers, kA32, kB32, kC32},
    {"mfma_f32_16x16x16_f16", 16, 16, 16, 64, 1, F16, F16, F32, Registers, Registers, kA16, kB16, kC16},
    {"mfma_f32_32x32x8_bf16_1k", 32, 32, 8, 64, 1, BF16, BF16, F32, Registers, Registers, kA32, kB32, kC32},
    {"mfma_f32_16x16x16_bf16_1k", 16, 16, 16, 64, 1, BF16, BF16, F32, Registers, Registers, kA16, kB16, kC16},
    {"wmma_f32_16x16x16_f16.gfx11", 16, 16, 16, 32, 1, F16, F16, F32, Registers, Registers, kA11, kB11, kC11},
    {"wmma_f32_16x16x16_bf16.gfx11", 16, 16, 16, 32, 1, BF16, BF16, F32, Registers, Registers, kA11, kB11, kC11},
    {"wmma_f32_16x16x16_f16.gfx12", 16, 16, 16, 32, 1, F16, F16, F32, Registers, Registers, kA12, kB12, kC12},
    {"wmma_f32_16x16x16_bf16.gfx12", 16, 16, 16, 32, 1, BF16, BF16, F32, Registers, Registers, kA12, kB12, kC12},
};

std::vector<MatrixInstruction> table() {
  std::vector<MatrixInstruction> all;
  for (const MatrixInstructionRow &row : kRows)
    all.push_back(makeInstruction(row));
  return all;
}

} // namespace

std::span<const MatrixInstruction> matrixInstructions() {
  static const std::vector<MatrixInstruction> all = table();
  return all;
}

std::vector<std::string> exampleInstructions() { return {"mfma_f32_32x32x8_f16", "wmma_f32_16x16x16_f16.gfx12"}; }

} // namespace tegula::rocm
