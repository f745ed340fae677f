// Compiles kernels, or takes the result from the disk cache, and reports the compiler's messages to the user.
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
  double seconds = 0; // duration of the look-up or of the compilation
};

/// Returns the compiled kernel from the disk cache, or compiles it. Throws ApiError: BadKernel with the compiler's
/// message, Internal for a defect, BadUse if there is no compiler. Warnings go to standard error and static_print text
/// to standard output; if TEGULA_DUMP or TRITON_KERNEL_DUMP is set, all levels are written to a directory. A damaged
/// cache entry is rebuilt.
CompiledKernel compileCached(CompileRequest request);

/// The jit functions of a file that could be kernels, and the parts of other files that they use.
struct FileDescription {
  std::vector<KernelInfo> kernels;
  Surroundings surroundings;
};

/// Describes the kernels of a file. If the disk cache has a description of the file, and the files that it imports have
/// not changed, the compiler library is not opened. Of `start`, only three members are used: the module path (to which
/// the folders of TEGULA_MODULE_PATH are appended); `given`, values that replace globals of the files; and `texts`,
/// which replace files on the disk.
FileDescription inspectCached(const std::string &path, const std::string &source, Surroundings start = {});

/// Passes text to the receiver of setDiagnostics. Without a receiver, warnings go to standard error and all other text
/// to standard output.
void report(Severity severity, const std::string &text);

/// Runs the compiler, never the cache; throws like compileCached. Shows warnings, and lines about long compilations
/// (session::showLongCompiles). `onRemarks` is called with the remarks before a failure is thrown.
CompileResult compileNow(CompileRequest request,
                         const std::function<void(const std::vector<Diagnostic> &)> &onRemarks = {});

} // namespace tegula
