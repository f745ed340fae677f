// Detects kernels that must not simply be repeated in a measurement, because each launch adds to the previous one's
// results.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// The text of a warning that names the parameters whose memory accumulates: the code of `artifact` adds to it by
/// atomics, and `restored` does not contain the parameter. `restored`: the parameters whose memory the measurement
/// clears or restores before each launch. The text is empty if there are no such parameters.
std::string warningOfRepeats(const Kernel::Impl &kernel, const Artifact &artifact,
                             const std::vector<std::string> &restored);
/// Calls the function above for the artifacts that launches of the kernel have compiled so far, and returns the first
/// text that is not empty. Empty if there is none.
std::string warningOfRepeats(const Kernel::Impl &kernel, const std::vector<std::string> &restored);

} // namespace tegula
