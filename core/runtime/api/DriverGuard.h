// What the runtime adds to the drivers of GPUs, for two failures that a driver does not explain.
//
// In a child after fork() a driver has threads, locks and connections to the device that are not there, so that a call
// may wait for ever: each use of it throws instead.
//
// A kernel that accesses memory out of bounds fails long after its launch, in a call that waits: the message gets the
// names of the kernels that were launched last. Where the device is a driver's threads in this process,
// the process ends instead, and the report of the crash gets them (core/support/process/CrashReport.h).
#pragma once

#include "core/contracts/Backend.h"

namespace tegula {

/// The driver, for DriverFactory::survivesFork() false: each use in a child of the process that opened the device
/// throws tegula::Error at once, and what the child destroys is only forgotten.
std::unique_ptr<Driver> guardedDriver(std::unique_ptr<Driver> driver);

/// The factory's devices. None in a child whose parent has enumerated them: they share the vendor's library, which the
/// parent has initialized.
std::vector<DeviceInfo> enumerateUnlessForked(DriverFactory &factory, std::string &whyNone);

} // namespace tegula
