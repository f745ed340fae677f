// Translates tile IR to CPU bytecode: values become registers; structured control flow becomes jumps and moves; the
// regions of reduce, scan and map_elementwise become functions.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"

#include "llvm/ADT/StringRef.h"

namespace mlir {
class ModuleOp;
}

namespace tegula::cpu {

/// The bytecode of the func.func named `kernel` and of its regions. The module must be verified tile IR in which all
/// calls are inlined. Throws tegula::Error, located, for an op that bytecode cannot express.
Module flatten(mlir::ModuleOp module, llvm::StringRef kernel);

} // namespace tegula::cpu
