// Devices in a child after fork(). A driver of a GPU has threads, locks and connections to the device that the child
// does not have, so that a call there may wait for ever.
#pragma once

#include "core/contracts/Backend.h"

namespace tegula {

/// The driver, for DriverFactory::survivesFork() false: each use in a child of the process that opened the device
/// throws tegula::Error at once, and what the child destroys is only forgotten.
std::unique_ptr<Driver> guardedFromFork(std::unique_ptr<Driver> driver);

/// The factory's devices. None in a child whose parent has enumerated them: they share the vendor's library, which the
/// parent has initialized.
std::vector<DeviceInfo> enumerateUnlessForked(DriverFactory &factory, std::string &whyNone);

} // namespace tegula
