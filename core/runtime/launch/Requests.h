// Builds requests to compile a kernel from a signature, without arguments and without a device.
#pragma once

#include "core/contracts/Compiler.h"

#include <optional>

namespace tegula {

/// Completes a request. `kernel` describes its kernel. On entry, `signature` has a type for each parameter that is not
/// constexpr, and `constants` has the given constants. On return, the constants are complete, and warps and stages are
/// the given ones or else those of the configuration. Heuristics see the literals of the signature. Throws
/// tegula::Error.
void configureRequest(CompileRequest &request, const KernelInfo &kernel, std::optional<int> numWarps,
                      std::optional<int> numStages);

} // namespace tegula
