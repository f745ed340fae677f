// This room describes targets as data, which backends fill in and passes read. It contains no code of a target and
// names no vendor.
//
// A matrix instruction computes D = A * B + C for one fixed shape. Its operands' layouts say where each element is:
//
//     A:    (register, lane, warp) -> (m, k)
//     B:    (register, lane, warp) -> (k, n)
//     C, D: (register, lane, warp) -> (m, n)
//
//     m 16, n 8, k 16 on 32 lanes, C:   register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0)
//       n  0    1    2    3    4    5    6    7
//   m 0   0:0  0:1  1:0  1:1  2:0  2:1  3:0  3:1     lane:register
//     1   4:0  4:1  5:0  5:1  6:0  6:1  7:0  7:1
//     8   0:2  0:3  1:2  1:3  2:2  2:3  3:2  3:3
#pragma once

#include "core/layout/LinearLayout.h"
#include "core/support/ScalarType.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

/// Where an instruction takes an operand from.
enum class OperandPlace : uint8_t {
  Registers, // in the layout of the table
  Shared,    // shared memory
  Either,    // registers or shared memory
  Fragment,  // an opaque fragment: the device does not tell which lane holds which element
};

struct MatrixOperand {
  ScalarType type = ScalarType::F32;
  OperandPlace place = OperandPlace::Registers;
  /// (register, lane, warp) -> (dim0, dim1); without dimensions if the operand is never in registers whose elements are
  /// known. A register holds one element here, even if the machine packs several into one of its registers.
  layout::LinearLayout layout;
  bool operator==(const MatrixOperand &) const = default;
};

struct MatrixInstruction {
  std::string name;             // parts between dots; unique in its backend
  unsigned m = 0, n = 0, k = 0; // if n is no power of two, `c.layout` is for the next power of two, and only the
                                // registers below cRegisters() exist
  unsigned lanes = 0;           // of a warp; 0 for opaque fragments, which any warp of the target holds
  unsigned warps = 1;           // that execute it together
  MatrixOperand a, b, c;        // c: C and D
  bool readsTf32 = false;       // of f32 operands only sign, exponent and the upper ten bits of the fraction count

  bool operator==(const MatrixInstruction &) const = default;
  /// Elements of C each thread holds. Not for opaque fragments.
  unsigned cRegisters() const { return m * n / (lanes * warps); }
};

/// A table row: the same with layouts as text. An empty layout: the operand is never in registers.
struct MatrixInstructionRow {
  const char *name;
  unsigned m, n, k, lanes, warps;
  ScalarType a, b, c;
  OperandPlace aPlace, bPlace;
  std::string aLayout, bLayout, cLayout;
  bool readsTf32 = false;
};
/// Throws InternalError if a layout does not have the shape that m, n, k, lanes and warps demand.
MatrixInstruction makeInstruction(const MatrixInstructionRow &row);

/// An instruction on opaque fragments of one warp, named `16x16x16.f16.f32`: m x n x k, the type of A and B, the type
/// of C.
MatrixInstruction fragmentInstruction(unsigned m, unsigned n, unsigned k, ScalarType operand, ScalarType accumulator);

/// The instruction of this name, or the first whose name contains it between dots: `m16n8k16` finds
/// `mma.m16n8k16.f32.f16`. Null if there is none.
const MatrixInstruction *findInstruction(std::span<const MatrixInstruction> table, std::string_view name);

} // namespace tegula
