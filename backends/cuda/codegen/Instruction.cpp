#include "backends/cuda/codegen/Instruction.h"

#include <algorithm>

namespace tegula::cuda {

std::optional<Instruction> Instruction::find(std::string_view name) {
  std::span<const MatrixInstruction> table = matrixInstructions();
  auto row = std::ranges::find(table, name, &MatrixInstruction::name);
  size_t last = name.rfind('.');
  if (row == table.end() || last == 0 || last == std::string_view::npos)
    return std::nullopt;
  size_t before = name.rfind('.', last - 1);
  if (before == std::string_view::npos)
    return std::nullopt;
  Instruction found;
  found.row = &*row;
  found.asynchronous = row->warps > 1;
  found.accumulator = name.substr(before + 1, last - before - 1);
  found.operand = name.substr(last + 1);
  return found;
}

std::string Instruction::shape() const {
  return "m" + std::to_string(row->m) + "n" + std::to_string(row->n) + "k" + std::to_string(row->k);
}

} // namespace tegula::cuda
