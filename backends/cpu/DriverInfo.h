// What the CPU device says about itself.
#pragma once

#include "backends/Backend.h"

namespace tegula::cpu {

/// Model, cores that this process may use, instruction sets, memory. What cannot be found out is left out.
DeviceInfo describeHost();

} // namespace tegula::cpu
