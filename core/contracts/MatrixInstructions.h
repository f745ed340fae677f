// The matrix instructions of all backends as rows of data, for those who look at layouts and name no backend. A
// backend's rows are here also where its driver and code generator are not built. Link the room
// tegula_instruction_tables.
#pragma once

#include "core/target/MatrixInstruction.h"

namespace tegula {

/// One backend's `backends/<name>/instructions`.
struct MatrixInstructionTable {
  std::span<const MatrixInstruction> rows;
  std::vector<std::string> examples; // names for messages to show, as findInstruction takes them
};

/// Generated from the registration lines of backends/CMakeLists.txt, in their order.
const std::vector<MatrixInstructionTable> &matrixInstructionTables();

/// The first table's instruction that has this name or has it as a part (see findInstruction of one table); null where
/// none has.
inline const MatrixInstruction *findInstruction(std::string_view name) {
  for (const MatrixInstructionTable &table : matrixInstructionTables())
    if (const MatrixInstruction *row = findInstruction(table.rows, name))
      return row;
  return nullptr;
}

} // namespace tegula
