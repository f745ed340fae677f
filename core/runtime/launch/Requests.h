// Requests to compile a kernel from a signature: without arguments, and without a device.
#pragma once

#include "core/contracts/Compiler.h"

#include <optional>

namespace tegula {

/// Completes a request whose kernel's description is `kernel`: on entry `signature` has a type for each parameter that
/// is not constexpr, `constants` what was given; on return the constants are complete, and warps and stages are those
/// of the configuration, or the given ones. Literals of the signature are what heuristics look at. Throws
/// tegula::Error.
void configureRequest(CompileRequest &request, const KernelInfo &kernel, std::optional<int> numWarps,
                      std::optional<int> numStages);

} // namespace tegula
