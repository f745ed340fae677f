// An instruction of the table of matrix instructions, with its spelling in PTX.
#pragma once

#include "backends/cuda/instructions/MatrixInstructions.h"

#include <optional>
#include <string>
#include <string_view>

namespace tegula::cuda {

struct Instruction {
  const MatrixInstruction *row = nullptr;
  bool asynchronous = false;        // executed by a warp group (wgmma)
  std::string accumulator, operand; // "f32", "bf16", "tf32"

  /// Finds an instruction by its full name: "mma.m16n8k16.f32.f16", "wgmma.m64n256k16.f32.f16". Nothing if the table
  /// does not have it.
  static std::optional<Instruction> find(std::string_view name);
  std::string shape() const; // "m16n8k16"
  unsigned operandBits() const { return bitWidth(row->a.type); }
  unsigned accumulatorBits() const { return bitWidth(row->c.type); }
};

} // namespace tegula::cuda
