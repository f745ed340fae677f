// A verified function, with facts that the executor needs at every execution, computed once.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"

#include <optional>
#include <span>
#include <vector>

namespace tegula::cpu {

/// A function whose last-use marks state exactly when a register may be emptied: if an instruction names a register
/// twice, only the last one of these operands is marked.
struct PreparedFunction {
  const Function *function = nullptr;
  std::vector<uint32_t> operands; // Function::registersUsed with exact marks
  /// True if the function has no jumps. A region function without jumps can be called with whole tiles: all elements
  /// take the same path, so it is run once for all, although its parameters are declared as scalars.
  bool straightLine = false;
  /// Set if the function is `return op(a, b)` of its two parameters, with an associative and commutative operation.
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
