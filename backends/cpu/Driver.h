// The CPU as a device. Its memory is host memory; every stream operation finishes before its call returns; its kernels
// are bytecode, which the executor runs on all cores. It always exists, and it is the only device with checked
// launches.
#pragma once

#include "core/contracts/Backend.h"

namespace tegula {

/// Registers the backend: backends/CMakeLists.txt derives this function's name from the folder's name. The library
/// libtegula-cpu is opened together with the device.
DriverFactory *cpuDriverFactory();

namespace cpu {

/// The factory that libtegula-cpu exports, whose devices run kernels by the executor.
DriverFactory *devices();

} // namespace cpu

} // namespace tegula
