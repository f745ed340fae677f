// Machine instructions keep their places in the source when LLVM moves them to other blocks. LLVM itself removes or
// merges the places then, so that a debugger's steps do not jump; profilers and sanitizers would find no line at a
// sixth of a product's instructions, such as the conversions of its accumulator.
#pragma once

#include "llvm/CodeGen/TargetPassConfig.h"

namespace tegula::llvmir {

/// Call it before the configuration adds its machine passes.
void keepPlaces(llvm::TargetPassConfig &config);

} // namespace tegula::llvmir
