// The CPU device's description of itself.
#pragma once

#include "core/contracts/Backend.h"

namespace tegula::cpu {

/// Model, cores that this process may use, instruction sets, memory. Properties that the system does not tell are
/// omitted.
DeviceInfo describeHost();

} // namespace tegula::cpu
