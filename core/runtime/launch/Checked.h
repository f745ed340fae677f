// Checked mode (docs/debugging.md): decides whether a launch runs in it, and adds assertions to its code.
#pragma once

#include "core/contracts/Compiler.h"

#include "tegula/tegula.hpp"

namespace tegula {

/// True if a launch tests every access: as its options say, or by default as TRITON_INTERPRET says at the moment.
bool isChecked(const LaunchOptions &options);

/// The options of a checked launch, whose code always has assertions: `debug=True` is added to the constants. nullopt
/// if `options` need no change: the launch is not checked; or it has the constant; or the kernel does not have this
/// option, because a parameter has its name or because the kernel is IR, whose assertions are fixed.
std::optional<LaunchOptions> withAssertions(const KernelInfo &kernel, const LaunchOptions &options);

} // namespace tegula
