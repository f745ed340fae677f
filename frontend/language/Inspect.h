// The interface of a file's jit functions: parameters, constants, configurations. No types, no IR.
#pragma once

#include "core/contracts/Compiler.h"
#include "frontend/language/Ast.h"

namespace tegula::lang {

/// All jit functions in source order. A parameter is a constant if it is annotated `tl.constexpr`, or if it is used,
/// directly or through local names and calls, where a constant is required (the bounds of `tl.arange`, a shape, ...).
std::vector<KernelInfo> inspect(const Module &module);

} // namespace tegula::lang
