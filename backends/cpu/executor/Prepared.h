// A verified module with what the executor looks up again and again worked out once.
#pragma once

#include "backends/cpu/Bytecode.h"

#include <optional>
#include <span>
#include <vector>

namespace tegula::cpu {

/// An instruction whose last-use marks say exactly when a register may be emptied: on the last of an instruction's
/// operands that name it, and never where the instruction cannot take it.
struct PreparedFunction {
  const Function *function = nullptr;
  std::vector<uint32_t> operands; // registersUsed with normalised marks
  /// No jumps: the function may run on whole tiles at once where its parameters are elements.
  bool straightLine = false;
  /// The function is `return op(a, b)` of its two parameters for an associative, commutative operation.
  std::optional<Opcode> simpleCombine;

  explicit PreparedFunction(const Function &source);
  std::span<const uint32_t> operandsOf(const Instruction &i) const {
    return {operands.data() + i.operands, i.operandCount};
  }
  std::span<const uint32_t> resultsOf(const Instruction &i) const {
    return {function->registersUsed.data() + i.results, i.resultCount};
  }
};

} // namespace tegula::cpu
