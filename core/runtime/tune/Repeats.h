// Detects kernels that must not simply be repeated in a measurement, because each launch adds to the previous one's
// results.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// Warns of parameters whose memory accumulates: the code adds to it by atomics, and `restored` does not contain the
/// parameter. `restored`: the parameters whose memory the measurement clears or restores before each launch. Empty if
/// there are none.
std::string warningOfRepeats(const Kernel::Impl &kernel, const Artifact &artifact,
                             const std::vector<std::string> &restored);
/// Warns of parameters whose memory accumulates in any code that launches of the kernel have compiled so far. Empty if
/// there are none.
std::string warningOfRepeats(const Kernel::Impl &kernel, const std::vector<std::string> &restored);

} // namespace tegula
