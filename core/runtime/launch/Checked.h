// Checked mode (docs/debugging.md): whether a launch runs in it, and the assertions of its code.
#pragma once

#include "core/contracts/Compiler.h"

#include "tegula/tegula.hpp"

namespace tegula {

/// Whether a launch tests every access: as its options say, else as TRITON_INTERPRET says now.
bool isChecked(const LaunchOptions &options);

/// A checked launch has assertions in any case. Returns its options with `debug=True` among the constants; nullopt
/// where `options` need no change: the launch is not checked, or has the constant already, or the kernel takes no such
/// option, as it has a parameter of this name or is IR, whose assertions are there or not.
std::optional<LaunchOptions> withAssertions(const KernelInfo &kernel, const LaunchOptions &options);

} // namespace tegula
