// Reorders the instructions in a module's blocks if too many registers would be alive at a time: each instruction moves
// closer to its use (core/schedule/UseOrder.h).
#pragma once

#include "llvm/IR/PassManager.h"

namespace tegula::llvmir {

struct UseOrderPass : llvm::PassInfoMixin<UseOrderPass> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tegula::llvmir
