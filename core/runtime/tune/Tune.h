// Tuning on request: measures a space of configurations on given arguments, whatever is known already.
#pragma once

#include "core/runtime/Session.h"
#include "core/runtime/tune/Trial.h"

namespace tegula {

/// As session::tune, for bound arguments.
session::TuneReport tune(const Kernel::Impl &kernel, const Binding &binding, const LaunchOptions &options, Trial &trial,
                         const session::TuneRequest &request);

} // namespace tegula
