// Checked mode (docs/debugging.md): decides whether a launch runs in it, and adds assertions to its code.
#pragma once

#include "core/contracts/Compiler.h"

#include "tegula/tegula.hpp"

namespace tegula {

/// True if a launch runs in checked mode: if its options say so; or, if they do not say anything, if the environment
/// variable TRITON_INTERPRET is set at this moment.
bool isChecked(const LaunchOptions &options);

/// Returns `options` with the constant `debug=True` added, which compiles the kernel's assertions into the code of a
/// checked launch. Returns nullopt if `options` need no change: the launch is not checked; or `options` have the
/// constant; or the kernel does not have the option `debug`, because one of its parameters has this name or because the
/// kernel is IR, whose assertions are fixed.
std::optional<LaunchOptions> withAssertions(const KernelInfo &kernel, const LaunchOptions &options);

} // namespace tegula
