// Names of matrix instructions, taken apart: what the printer needs to write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tegula::cuda {

/// "mma.m16n8k16.f32.f16", "async.m64n256k16.f32.f16": shape, type of the accumulator, type of A and B.
struct Instruction {
  bool asynchronous = false;
  unsigned m = 0, n = 0, k = 0;
  std::string accumulator, operand; // as PTX writes types: "f32", "bf16", "s8", "e4m3"

  static std::optional<Instruction> parse(std::string_view name);
  unsigned operandBits() const;
  unsigned accumulatorBits() const;
};

} // namespace tegula::cuda
