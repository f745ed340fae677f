// Wraps the drivers of GPUs, to explain two failures that a driver does not explain.
//
// In a child after fork(), the threads and device connections that a driver relies on do not exist, so that a call may
// wait for ever. Each use of the driver throws instead.
//
// A kernel that accesses memory out of bounds fails long after its launch, in a call that waits; the names of the
// kernels launched last are added to the error. If the driver executes kernels by threads of this process, the process
// crashes instead, and the names are added to the crash report (core/support/process/CrashReport.h).
#pragma once

#include "core/contracts/Backend.h"

namespace tegula {

/// Wraps a driver whose DriverFactory::survivesFork() is false. In a child of the process that opened the device, each
/// use throws tegula::Error at once, and objects that the child destroys are leaked.
std::unique_ptr<Driver> guardedDriver(std::unique_ptr<Driver> driver);

/// The factory's devices. In a child whose parent has enumerated them, the result is empty and `whyNone` gives the
/// reason: the child shares the vendor's library, which the parent has initialised.
std::vector<DeviceInfo> enumerateUnlessForked(DriverFactory &factory, std::string &whyNone);

} // namespace tegula
