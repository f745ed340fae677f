// The room of what targets are made of, as data: rows that backends fill in and passes read. No code of a target and
// no name of a vendor here; core asks rows what a machine can do.
//
// A matrix instruction computes D = A * B + C for one fixed shape. What a compiler must know of it is where each
// element is, and layouts say that:
//
//     A: (register, lane, warp) -> (m, k)     B: (register, lane, warp) -> (k, n)     C, D: (register, lane, warp) ->
//     (m, n)
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

/// Where the instruction takes an operand from.
enum class OperandSource : uint8_t { Registers, Shared, Either };

struct MatrixOperand {
  ScalarType type;
  OperandSource source = OperandSource::Registers;
  /// (register, lane, warp) -> (dim0, dim1); no dimensions where the operand never is in registers. A register is one
  /// element here, whatever the machine packs into one of its own.
  layout::LinearLayout layout;
};

struct MatrixInstruction {
  std::string name; // parts between dots; unique in its backend
  unsigned m, n, k; // n may be no power of two: `c.layout` is then that of the next one, of which only the registers
                    // below cRegisters() exist
  unsigned lanes;   // of a warp
  unsigned warps;   // that issue it together
  MatrixOperand a, b, c; // c stands for C and D

  /// Elements of C each thread holds.
  unsigned cRegisters() const { return m * n / (lanes * warps); }
};

/// The same as text, as tables are written. An empty layout: never in registers.
struct MatrixInstructionRow {
  const char *name;
  unsigned m, n, k, lanes, warps;
  ScalarType a, b, c;
  OperandSource aSource, bSource;
  std::string aLayout, bLayout, cLayout;
};
/// Throws InternalError where a layout does not have the shape that the row says.
MatrixInstruction makeInstruction(const MatrixInstructionRow &row);

/// The instruction of this name, or the first that has it as a part between dots: `m16n8k16` finds
/// `mma.m16n8k16.f32.f16`.
const MatrixInstruction *findInstruction(std::span<const MatrixInstruction> table, std::string_view name);

} // namespace tegula
