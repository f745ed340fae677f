// What a file's jit functions look like from outside: parameters, constants, configurations. No types, no IR.
#pragma once

#include "core/runtime/Compiler.h"
#include "frontend/language/Ast.h"

namespace tegula::lang {

/// All jit functions in order. A parameter counts as a constant where it is annotated `tl.constexpr`, or where it is
/// used, directly or through local names and calls, where only a constant can stand (the bounds of `tl.arange`, a
/// shape, ...).
std::vector<KernelInfo> inspect(const Module &module);

} // namespace tegula::lang
