// Kernels that a measurement must not simply repeat: each launch adds to what the one before left.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// A sentence on the parameters to whose memory the code adds by atomics and which are not among `restored`: those that
/// the measurement clears or puts back before each launch. Empty where there are none.
std::string warningOfRepeats(const Kernel::Impl &kernel, const Artifact &artifact,
                             const std::vector<std::string> &restored);
/// The same for all code that launches of the kernel have compiled so far.
std::string warningOfRepeats(const Kernel::Impl &kernel, const std::vector<std::string> &restored);

} // namespace tegula
