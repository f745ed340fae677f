// The CPU as a device: its memory is host memory, every stream operation finishes before its call returns, its kernels
// are bytecode that the executor spreads over all cores. Always present, and the only device with checked launches.
#pragma once

#include "core/contracts/Backend.h"

namespace tegula {

/// The registration point: backends/CMakeLists.txt finds it by the folder's name. Opens libtegula-cpu with the device.
DriverFactory *cpuDriverFactory();

namespace cpu {

/// What libtegula-cpu gives: the factory with the executor behind it.
DriverFactory *devices();

} // namespace cpu

} // namespace tegula
