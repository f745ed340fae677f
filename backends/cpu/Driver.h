// The CPU as a device: its memory is the host's, its streams do everything when it is asked for, its kernels are
// bytecode that the executor spreads over all cores. Always there, and the only device that checks launches.
#pragma once

#include "backends/Backend.h"

namespace tegula {

/// The registration point: backends/CMakeLists.txt finds it by the folder's name.
DriverFactory *cpuDriverFactory();

} // namespace tegula
