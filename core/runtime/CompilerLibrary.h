// The compiler, opened when a kernel must be inspected or compiled and not before: programs whose kernels are all
// cached never load it.
#pragma once

#include "core/contracts/Compiler.h"

#include <string>

namespace tegula {

/// Throws tegula::Error where the program (allowCompiler) or the environment forbids the process to compile.
void expectCompiler();

/// Opens libtegula-compiler from the directory of the runtime library (or `../lib` of it) at the first call. Throws
/// tegula::Error if the library is missing, cannot be loaded or comes from another build. Thread-safe.
Compiler &compiler();

/// The first call of `compiler()`, with the library in `directory` or `directory/../lib`.
Compiler &openCompiler(const std::string &directory);

/// Takes the place of the library's compiler, for tests; null restores it. Not thread-safe.
void setCompiler(Compiler *replacement);

} // namespace tegula
