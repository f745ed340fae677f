// Preserves the source locations of machine instructions that LLVM moves to other blocks. LLVM removes or merges these
// locations, so that a debugger's steps do not jump. Profilers and sanitizers would then find no line for a sixth of a
// matrix product's instructions, such as the conversions of its accumulator.
#pragma once

#include "llvm/CodeGen/TargetPassConfig.h"

namespace tegula::llvmir {

/// Must be called before the configuration adds its machine passes.
void keepPlaces(llvm::TargetPassConfig &config);

} // namespace tegula::llvmir
