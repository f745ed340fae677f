// Remarks by which passes explain their decisions; `tegula compile --explain=TOPIC` prints them.
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace tegula {

/// Starts a remark with a topic ("pipeline", ...). The caller completes it by `<<` and may attach notes for other
/// locations.
inline mlir::InFlightDiagnostic explain(mlir::Location location, llvm::StringRef topic) {
  return mlir::emitRemark(location) << topic << ": ";
}

} // namespace tegula
