// The matrix instructions of all backends as rows of data, for users that inspect layouts and do not name a backend. A
// backend's rows are included even if its driver and code generator are not built. Link the room
// tegula_instruction_tables.
#pragma once

#include "core/target/MatrixInstruction.h"

namespace tegula {

/// The table in one backend's folder `backends/<name>/instructions`.
struct MatrixInstructionTable {
  std::span<const MatrixInstruction> rows;
  std::vector<std::string> examples; // names for messages, as findInstruction accepts them
};

/// Generated from the registration lines of backends/CMakeLists.txt, in their order.
const std::vector<MatrixInstructionTable> &matrixInstructionTables();

/// The instruction with this name, or with this part of a name (see findInstruction of one table), in the first table
/// that has one; null if none has.
inline const MatrixInstruction *findInstruction(std::string_view name) {
  for (const MatrixInstructionTable &table : matrixInstructionTables())
    if (const MatrixInstruction *row = findInstruction(table.rows, name))
      return row;
  return nullptr;
}

} // namespace tegula
