// Opens the compiler library only when a kernel must be inspected or compiled: a program whose kernels are all cached
// never loads it.
#pragma once

#include "core/contracts/Compiler.h"

#include <string>

namespace tegula {

/// Throws tegula::Error if the program (allowCompiler) or the environment forbids this process to compile.
void expectCompiler();

/// Opens libtegula-compiler from the directory of the runtime library (or `../lib` of it) at the first call. Throws
/// tegula::Error if the library is missing, cannot be loaded or comes from another build. Thread-safe.
Compiler &compiler();

/// Does what the first call of `compiler()` does, with the library in `directory` or `directory/../lib`.
Compiler &openCompiler(const std::string &directory);

/// Replaces the library's compiler, for tests; null restores it. Not thread-safe.
void setCompiler(Compiler *replacement);

} // namespace tegula
