// Describes the CPU device.
#pragma once

#include "core/contracts/Backend.h"

namespace tegula::cpu {

/// Describes the processor: its model, the cores that this process may use, its instruction sets and memory. Properties
/// that the system does not report are omitted.
DeviceInfo describeHost();

} // namespace tegula::cpu
