// Orders the instructions of a module's blocks by their use, where too many registers would be alive
// (core/schedule/UseOrder.h).
#pragma once

#include "llvm/IR/PassManager.h"

namespace tegula::llvmir {

struct UseOrderPass : llvm::PassInfoMixin<UseOrderPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tegula::llvmir
