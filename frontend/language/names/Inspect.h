// The interface of a file's jit functions: parameters, constants, configurations. No types, no IR.
#pragma once

#include "core/contracts/Compiler.h"
#include "frontend/language/names/ModuleNames.h"

namespace tegula::lang {

/// The jit functions to which names of the module are bound at its end, in source order. A name with several possible
/// definitions, or one that host code binds again, is listed once, with the problem. A parameter is a constant if it is
/// annotated `tl.constexpr`, or if it is used, directly or through local names and calls, where a constant is required
/// (the bounds of `tl.arange`, a shape, ...).
std::vector<KernelInfo> inspect(const ModuleNames &names);
std::vector<KernelInfo> inspect(const Module &module);

} // namespace tegula::lang
