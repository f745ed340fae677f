#include "backends/rocm/instructions/MatrixInstructions.h"

#include <array>
#include <bit>

namespace tegula::rocm {
namespace {

using enum ScalarType;
using enum OperandPlace;

// MFMA 32x32x8: a lane has of A row lane % 32 and k = 4 * (lane / 32) + 0..3; of B column lane % 32 and the same k; of
// C column lane % 32 and rows 4 * (lane / 32) + 0..3, and the same rows + 8, + 16 and + 24.
const std::string kA32 = "register: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,4)";
const std::string kB32 = "register: (1,0) (2,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (4,0)";
const std::string kC32 = "register: (1,0) (2,0) (8,0) (16,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (4,0)";
// MFMA 16x16x16: a lane has of A row lane % 16 and k = 4 * (lane / 16) + 0..3; of C column lane % 16 and rows 4 * (lane
// / 16) + 0..3.
const std::string kA16 = "register: (0,1) (0,2); lane: (1,0) (2,0) (4,0) (8,0) (0,4) (0,8)";
const std::string kB16 = "register: (1,0) (2,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0) (8,0)";
const std::string kC16 = "register: (1,0) (2,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0) (8,0)";
// In MFMA instructions of other depths, a lane has d consecutive k of A and B: lane / 32 * d + 0..d-1 with 32 rows,
// lane / 16 * d + 0..d-1 with 16 rows. Types of 32 and 64 bits have d = 1, xf32 has d = 2, 8-bit types on gfx942 have d
// = 8. Example: `kA32x4` is the layout of A with 32 rows and depth 4.
const std::string kA32x2 = "register: ; lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,1)";
const std::string kB32x2 = "register: ; lane: (0,1) (0,2) (0,4) (0,8) (0,16) (1,0)";
const std::string kA16x4 = "register: ; lane: (1,0) (2,0) (4,0) (8,0) (0,1) (0,2)";
const std::string kB16x4 = "register: ; lane: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0)";
const std::string kA32x4 = "register: (0,1); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,2)";
const std::string kB32x4 = "register: (1,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (2,0)";
const std::string kA16x8 = "register: (0,1); lane: (1,0) (2,0) (4,0) (8,0) (0,2) (0,4)";
const std::string kB16x8 = "register: (1,0); lane: (0,1) (0,2) (0,4) (0,8) (2,0) (4,0)";
const std::string kA32x16 = "register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,8)";
const std::string kB32x16 = "register: (1,0) (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (0,16) (8,0)";
const std::string kA16x32 = "register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) (0,16)";
const std::string kB16x32 = "register: (1,0) (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) (16,0)";
// C of f64: a lane has column lane % 16 and rows lane / 16 + 0, 4, 8 and 12.
const std::string kC16f64 = "register: (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0)";

// WMMA of gfx11: a lane has of A row lane % 16 and all k; lanes 16 to 31 hold copies. Of C it has column lane % 16 and
// every other row: the even rows in lanes 0 to 15, the odd rows in lanes 16 to 31.
const std::string kA11 = "register: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0)";
const std::string kB11 = "register: (1,0) (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (0,0)";
const std::string kC11 = "register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0)";
// WMMA of gfx12 has no copies: of A and B, lanes 16 to 31 hold the k whose bit 2 is set; of C, rows 8 to 15. (For 8-bit
// types the manual has another order of k. The order is the same for A and B, so it does not change the sums.)
const std::string kA12 = "register: (0,1) (0,2) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,4)";
const std::string kB12 = "register: (1,0) (2,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (4,0)";
const std::string kC12 = "register: (1,0) (2,0) (4,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0)";

// A row whose name ends in ".gfx..." belongs to that architecture or family; the others belong to all architectures
// with MFMA.
const MatrixInstructionRow kRows[] = {
    {"mfma_f32_32x32x8_f16", 32, 32, 8, 64, 1, F16, F16, F32, Registers, Registers, kA32, kB32, kC32},
    {"mfma_f32_16x16x16_f16", 16, 16, 16, 64, 1, F16, F16, F32, Registers, Registers, kA16, kB16, kC16},
    {"mfma_f32_32x32x8_bf16_1k", 32, 32, 8, 64, 1, BF16, BF16, F32, Registers, Registers, kA32, kB32, kC32},
    {"mfma_f32_16x16x16_bf16_1k", 16, 16, 16, 64, 1, BF16, BF16, F32, Registers, Registers, kA16, kB16, kC16},
    {"mfma_f32_32x32x2_f32", 32, 32, 2, 64, 1, F32, F32, F32, Registers, Registers, kA32x2, kB32x2, kC32},
    {"mfma_f32_16x16x4_f32", 16, 16, 4, 64, 1, F32, F32, F32, Registers, Registers, kA16x4, kB16x4, kC16},
    {"mfma_f64_16x16x4_f64", 16, 16, 4, 64, 1, F64, F64, F64, Registers, Registers, kA16x4, kB16x4, kC16f64},
    {"mfma_i32_32x32x8_i8.gfx90a", 32, 32, 8, 64, 1, I8, I8, I32, Registers, Registers, kA32, kB32, kC32},
    {"mfma_i32_16x16x16_i8.gfx90a", 16, 16, 16, 64, 1, I8, I8, I32, Registers, Registers, kA16, kB16, kC16},
    {"mfma_i32_32x32x16_i8.gfx942", 32, 32, 16, 64, 1, I8, I8, I32, Registers, Registers, kA32x16, kB32x16, kC32},
    {"mfma_i32_16x16x32_i8.gfx942", 16, 16, 32, 64, 1, I8, I8, I32, Registers, Registers, kA16x32, kB16x32, kC16},
    {"mfma_f32_32x32x4_xf32.gfx942", 32, 32, 4, 64, 1, F32, F32, F32, Registers, Registers, kA32x4, kB32x4, kC32, true},
    {"mfma_f32_16x16x8_xf32.gfx942", 16, 16, 8, 64, 1, F32, F32, F32, Registers, Registers, kA16x8, kB16x8, kC16, true},
    {"mfma_f32_32x32x16_fp8_fp8.gfx942", 32, 32, 16, 64, 1, F8E4M3FNUZ, F8E4M3FNUZ, F32, Registers, Registers, kA32x16,
     kB32x16, kC32},
    {"mfma_f32_16x16x32_fp8_fp8.gfx942", 16, 16, 32, 64, 1, F8E4M3FNUZ, F8E4M3FNUZ, F32, Registers, Registers, kA16x32,
     kB16x32, kC16},
    {"mfma_f32_32x32x16_fp8_bf8.gfx942", 32, 32, 16, 64, 1, F8E4M3FNUZ, F8E5M2FNUZ, F32, Registers, Registers, kA32x16,
     kB32x16, kC32},
    {"mfma_f32_16x16x32_fp8_bf8.gfx942", 16, 16, 32, 64, 1, F8E4M3FNUZ, F8E5M2FNUZ, F32, Registers, Registers, kA16x32,
     kB16x32, kC16},
    {"mfma_f32_32x32x16_bf8_fp8.gfx942", 32, 32, 16, 64, 1, F8E5M2FNUZ, F8E4M3FNUZ, F32, Registers, Registers, kA32x16,
     kB32x16, kC32},
    {"mfma_f32_16x16x32_bf8_fp8.gfx942", 16, 16, 32, 64, 1, F8E5M2FNUZ, F8E4M3FNUZ, F32, Registers, Registers, kA16x32,
     kB16x32, kC16},
    {"mfma_f32_32x32x16_bf8_bf8.gfx942", 32, 32, 16, 64, 1, F8E5M2FNUZ, F8E5M2FNUZ, F32, Registers, Registers, kA32x16,
     kB32x16, kC32},
    {"mfma_f32_16x16x32_bf8_bf8.gfx942", 16, 16, 32, 64, 1, F8E5M2FNUZ, F8E5M2FNUZ, F32, Registers, Registers, kA16x32,
     kB16x32, kC16},
    {"wmma_f32_16x16x16_f16.gfx11", 16, 16, 16, 32, 1, F16, F16, F32, Registers, Registers, kA11, kB11, kC11},
    {"wmma_f32_16x16x16_bf16.gfx11", 16, 16, 16, 32, 1, BF16, BF16, F32, Registers, Registers, kA11, kB11, kC11},
    {"wmma_i32_16x16x16_iu8.gfx11", 16, 16, 16, 32, 1, I8, I8, I32, Registers, Registers, kA11, kB11, kC11},
    {"wmma_f32_16x16x16_f16.gfx12", 16, 16, 16, 32, 1, F16, F16, F32, Registers, Registers, kA12, kB12, kC12},
    {"wmma_f32_16x16x16_bf16.gfx12", 16, 16, 16, 32, 1, BF16, BF16, F32, Registers, Registers, kA12, kB12, kC12},
    {"wmma_i32_16x16x16_iu8.gfx12", 16, 16, 16, 32, 1, I8, I8, I32, Registers, Registers, kA12, kB12, kC12},
    {"wmma_f32_16x16x16_fp8_fp8.gfx12", 16, 16, 16, 32, 1, F8E4M3, F8E4M3, F32, Registers, Registers, kA12, kB12, kC12},
    {"wmma_f32_16x16x16_fp8_bf8.gfx12", 16, 16, 16, 32, 1, F8E4M3, F8E5M2, F32, Registers, Registers, kA12, kB12, kC12},
    {"wmma_f32_16x16x16_bf8_fp8.gfx12", 16, 16, 16, 32, 1, F8E5M2, F8E4M3, F32, Registers, Registers, kA12, kB12, kC12},
    {"wmma_f32_16x16x16_bf8_bf8.gfx12", 16, 16, 16, 32, 1, F8E5M2, F8E5M2, F32, Registers, Registers, kA12, kB12, kC12},
};

/// A permutation of the coordinates 0 to 15 along one axis of a matrix: bits[i] is what bit i of the old coordinate
/// becomes, one of 1, 2, 4 and 8. Higher bits of a coordinate stay.
struct Renumbering {
  unsigned axis = 0; // of the transposed matrix
  std::array<uint32_t, 4> bits = {1, 2, 4, 8};
};

/// The layout of the transposed matrix, with the coordinates along one axis permuted.
layout::LinearLayout transposed(const layout::LinearLayout &layout, const Renumbering &numbers) {
  std::vector<layout::InputBases> inputs;
  for (const layout::Extent &input : layout.inputs()) {
    layout::InputBases bases{input.dim, {}};
    for (unsigned bit = 0; bit < layout.inputBits(input.dim); ++bit) {
      layout::Coordinates basis = layout.basis(input.dim, bit);
      std::swap(basis[0], basis[1]);
      uint32_t &number = basis[numbers.axis];
      if (number && number < 16) // a basis has a single bit
        number = numbers.bits[size_t(std::countr_zero(number))];
      bases.bases.push_back(basis);
    }
    inputs.push_back(bases);
  }
  std::vector<uint32_t> shape = layout.shape();
  return layout::LinearLayout(inputs, layout::tensorExtents({shape[1], shape[0]}));
}

/// The instruction with exchanged operands, which computes the transposed product: its A is the row's B, transposed,
/// and its B the row's A. A lane then holds elements of one row of C, so reductions of rows need few exchanges. If the
/// layout of A assigns the same elements to the lane, C can be the left operand of another product (attention) without
/// an exchange between lanes. WMMA needs a permutation of the depth or of the columns of C, which does not change any
/// sum:
///   - gfx12: two bits of the depth are exchanged, in A and in B.
///   - gfx11: a lane has every other column of C, but it needs all of the depth of A: lanes l and l + 16 must exchange
///     their halves of a row of C. Bits 0 and 1 of the columns are swapped, in B and in C: lanes 0 to 15 then have the
///     columns 0, 1, 4, 5, 8, 9, 12 and 13, pairs of 16-bit elements, which are exchanged as whole words.
MatrixInstruction transposed(const MatrixInstruction &row) {
  MatrixInstruction made = row;
  made.name += kTransposed;
  std::swap(made.m, made.n);
  Renumbering a, b, c;
  if (row.name.ends_with(".gfx12")) {
    a = {1, {1, 2, 8, 4}};
    b = {0, {1, 2, 8, 4}};
  }
  if (row.name.ends_with(".gfx11"))
    b = c = {1, {2, 1, 4, 8}};
  made.a = {row.b.type, row.b.place, transposed(row.b.layout, a)};
  made.b = {row.a.type, row.a.place, transposed(row.a.layout, b)};
  made.c.layout = transposed(row.c.layout, c);
  return made;
}

std::vector<MatrixInstruction> table() {
  std::vector<MatrixInstruction> all;
  for (const MatrixInstructionRow &row : kRows)
    all.push_back(makeInstruction(row));
  for (size_t i = 0; i < std::size(kRows); ++i)
    all.push_back(transposed(all[i]));
  return all;
}

} // namespace

std::span<const MatrixInstruction> matrixInstructions() {
  static const std::vector<MatrixInstruction> all = table();
  return all;
}

std::vector<std::string> exampleInstructions() { return {"mfma_f32_32x32x8_f16", "wmma_f32_16x16x16_f16.gfx12"}; }

} // namespace tegula::rocm
