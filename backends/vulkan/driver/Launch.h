// Launches a kernel: writes the argument block and dispatches the grid in pieces within the device's limits.
#pragma once

#include "backends/vulkan/driver/Kernel.h"

namespace tegula::vulkan {

/// Addresses of memory that the runtime owns, passed as hidden arguments.
struct HiddenAddresses {
  uint64_t scratch = 0, safe = 0, print = 0;
};

/// Records and submits the launch. Throws tegula::Error if the grid exceeds the device's limits and the kernel has no
/// GridBase.
void launch(Context &context, Stream &stream, const Kernel &kernel, const LaunchRequest &request,
            const HiddenAddresses &addresses);

} // namespace tegula::vulkan
