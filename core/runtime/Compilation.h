// Compilation through the disk cache, and the output of the compiler's messages.
#pragma once

#include "core/contracts/Artifact.h"
#include "core/contracts/Compiler.h"
#include "core/runtime/include/tegula/tegula.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tegula {

struct CompiledKernel {
  Artifact artifact;
  bool fromDisk = false;
  double seconds = 0; // of the look-up or of the compilation
};

/// Throws ApiError: BadKernel with the compiler's message, Internal for a defect, BadUse where there is no compiler.
/// Warnings go to standard error, static_print text to standard output, all levels to a directory if TEGULA_DUMP or
/// TRITON_KERNEL_DUMP is set. A damaged entry of the cache is rebuilt.
CompiledKernel compileCached(CompileRequest request);

/// The jit functions of a file that could be kernels, and what they use of other files.
struct FileDescription {
  std::vector<KernelInfo> kernels;
  Surroundings surroundings;
};

/// The compiler is not opened where the cache knows the file and the files that it imports have not changed.
/// Of `start`, the module path, which the folders of TEGULA_MODULE_PATH follow, and the given names count.
FileDescription inspectCached(const std::string &path, const std::string &source, Surroundings start = {});

/// Passes text to the receiver of setDiagnostics; without one, warnings go to standard error, the rest to standard
/// output.
void report(Severity severity, const std::string &text);

/// Runs the compiler and throws as compileCached does; warnings are shown, and compilations that take long
/// (session::showLongCompiles). No cache. `onRemarks` gets the remarks before a failure is thrown.
CompileResult compileNow(CompileRequest request,
                         const std::function<void(const std::vector<Diagnostic> &)> &onRemarks = {});

} // namespace tegula
