// This room describes targets as data, which backends fill in and passes read. It contains no target's code and names
// no vendor.
//
// A matrix instruction computes D = A * B + C for one fixed shape. The layouts of its operands map registers to
// elements:
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

/// The storage from which an instruction reads an operand.
enum class OperandPlace : uint8_t {
  Registers, // in the table's layout
  Shared,    // shared memory
  Either,    // registers or shared memory
  Fragment,  // an opaque fragment: the device does not state which lane holds which element
};

struct MatrixOperand {
  ScalarType type = ScalarType::F32;
  OperandPlace place = OperandPlace::Registers;
  /// (register, lane, warp) -> (dim0, dim1). It has no dimensions if the operand is never in registers with known
  /// elements. Here a register holds one element, even if the machine packs several elements into one of its registers.
  layout::LinearLayout layout;
  bool operator==(const MatrixOperand &) const = default;
};

struct MatrixInstruction {
  std::string name; // parts separated by dots; unique within its backend
  /// If n is no power of two, `c.layout` is that of the next power of two, and only its first cRegisters() registers
  /// exist.
  unsigned m = 0, n = 0, k = 0;
  unsigned lanes = 0;     // lanes of a warp; 0 for opaque fragments, for which any warp size will do
  unsigned warps = 1;     // number of warps that execute it together
  MatrixOperand a, b, c;  // c describes C and D
  bool readsTf32 = false; // of f32 operands it reads only sign, exponent and the upper ten fraction bits

  bool operator==(const MatrixInstruction &) const = default;
  /// The number of elements of C that each thread holds. Not for opaque fragments.
  unsigned cRegisters() const { return m * n / (lanes * warps); }
};

/// A table row: an instruction with layouts as text. An empty layout: the operand is never in registers.
struct MatrixInstructionRow {
  const char *name;
  unsigned m, n, k, lanes, warps;
  ScalarType a, b, c;
  OperandPlace aPlace, bPlace;
  std::string aLayout, bLayout, cLayout;
  bool readsTf32 = false;
};
/// Throws InternalError if a layout does not have the shape that follows from m, n, k, lanes and warps.
MatrixInstruction makeInstruction(const MatrixInstructionRow &row);

/// An instruction on opaque fragments of one warp. Its name, such as `16x16x16.f16.f32`, consists of m x n x k, the
/// type of A and B, and the type of C.
MatrixInstruction fragmentInstruction(unsigned m, unsigned n, unsigned k, ScalarType operand, ScalarType accumulator);

/// The instruction with this name, or the first one that has it as a part between dots: `m16n8k16` finds
/// `mma.m16n8k16.f32.f16`. Null if there is none.
const MatrixInstruction *findInstruction(std::span<const MatrixInstruction> table, std::string_view name);

} // namespace tegula
