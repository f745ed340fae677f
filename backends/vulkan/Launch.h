// One launch: the argument block is written, and the grid is dispatched in pieces that the device takes.
#pragma once

#include "backends/vulkan/Kernel.h"

namespace tegula::vulkan {

/// Addresses of the runtime's own memory that hidden arguments give.
struct HiddenAddresses {
  uint64_t scratch = 0, safe = 0, print = 0;
};

/// Records and submits. Throws tegula::Error where the grid exceeds the device's limits and the kernel takes no base.
void launch(Context &context, Stream &stream, const Kernel &kernel, const LaunchRequest &request,
            const HiddenAddresses &addresses);

} // namespace tegula::vulkan
