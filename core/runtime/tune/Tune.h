// Tuning on request: measures a space of configurations on given arguments, whatever is known already.
#pragma once

#include "core/runtime/tune/Trial.h"

namespace tegula {

/// As Kernel::tune, for bound arguments.
TuneReport tune(const Kernel::Impl &kernel, const Binding &binding, const LaunchOptions &options, Trial &trial,
                const TuneOptions &how);

} // namespace tegula
