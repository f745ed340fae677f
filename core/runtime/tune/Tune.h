// Tuning on request: measures a space of configurations on given arguments, even if a record exists.
#pragma once

#include "core/runtime/tune/Trial.h"

namespace tegula {

/// Implements Kernel::tune for bound arguments.
TuneReport tune(const Kernel::Impl &kernel, const Binding &binding, const LaunchOptions &options, Trial &trial,
                const TuneOptions &how);

} // namespace tegula
