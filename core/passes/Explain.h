// Remarks by which passes explain their decisions; `tegula compile --explain=TOPIC` prints them.
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace tegula {

/// A remark of a topic ("pipeline", ...), to be completed by `<<`; notes for further places may be attached.
inline mlir::InFlightDiagnostic explain(mlir::Location location, llvm::StringRef topic) {
  return mlir::emitRemark(location) << topic << ": ";
}

} // namespace tegula
