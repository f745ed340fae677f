#include "core/target/MatrixInstruction.h"
#include "core/support/Diagnostic.h"

#include <bit>

namespace tegula {
namespace {

layout::LinearLayout operandLayout(const MatrixInstructionRow &row, const std::string &text, unsigned rows,
                                   unsigned columns) {
  if (text.empty())
    return {};
  layout::LinearLayout layout = layout::LinearLayout::parse(text);
  std::vector<uint32_t> shape = {std::bit_ceil(rows), std::bit_ceil(columns)};
  if (layout.shape() != shape || !layout.isSurjective() || layout.inputSize(layout::kLane) != row.lanes ||
      layout.inputSize(layout::kWarp) != row.warps)
    throw InternalError("matrix instruction " + std::string(row.name) + ": " + text + " is no layout of " +
                        std::to_string(rows) + "x" + std::to_string(columns));
  return layout;
}

} // namespace

MatrixInstruction makeInstruction(const MatrixInstructionRow &row) {
  MatrixInstruction made{row.name, row.m, row.n, row.k, row.lanes, row.warps, {}, {}, {}, row.readsTf32};
  made.a = {row.a, row.aPlace, operandLayout(row, row.aLayout, row.m, row.k)};
  made.b = {row.b, row.bPlace, operandLayout(row, row.bLayout, row.k, row.n)};
  made.c = {row.c, OperandPlace::Registers, operandLayout(row, row.cLayout, row.m, row.n)};
  return made;
}

MatrixInstruction fragmentInstruction(unsigned m, unsigned n, unsigned k, ScalarType operand, ScalarType accumulator) {
  MatrixInstruction made;
  made.name = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + "." + std::string(name(operand)) +
              "." + std::string(name(accumulator));
  made.m = m;
  made.n = n;
  made.k = k;
  made.a = made.b = {operand, OperandPlace::Fragment, {}};
  made.c = {accumulator, OperandPlace::Fragment, {}};
  return made;
}

const MatrixInstruction *findInstruction(std::span<const MatrixInstruction> table, std::string_view name) {
  for (const MatrixInstruction &row : table)
    if (row.name == name)
      return &row;
  for (const MatrixInstruction &row : table)
    if (!name.empty() && ("." + row.name + ".").find("." + std::string(name) + ".") != std::string::npos)
      return &row;
  return nullptr;
}

} // namespace tegula
