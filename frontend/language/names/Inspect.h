// The interface of a file's jit functions: parameters, constants, configurations. No types, no IR.
#pragma once

#include "core/contracts/Compiler.h"
#include "frontend/language/names/ModuleScope.h"

namespace tegula::lang {

/// The jit functions to which names of the module are bound at its end, in source order. A name with several possible
/// definitions, or one that host code binds again, is listed once, with the problem. A parameter is a constant if it is
/// annotated `tl.constexpr`, or if it is used, directly or through local names and calls, where a constant is required
/// (the bounds of `tl.arange`, a shape, ...).
std::vector<KernelInfo> inspect(const ModuleNames &names);
std::vector<KernelInfo> inspect(const Module &module);

/// Reads all modules that the emission of any jit function of the file may need, so that Modules has recorded them.
/// A module that cannot be read or parsed is left to the emission, which has a use to point at.
void readUsedModules(const ModuleScope &scope);

/// Hash of the normalized text of a file and of the modules that its kernels use: their tokens, so that comments, blank
/// lines and spaces do not count, with the values of names and environment variables that are recorded. Paths do not
/// enter: copies of a kernel have the same text on all machines. A text that is not Python enters as it is.
std::string textHash(const std::string &path, const std::string &source, const Surroundings &surroundings);

} // namespace tegula::lang
