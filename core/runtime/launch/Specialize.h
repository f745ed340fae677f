// Creates specializations: collects the properties (device, types, options, constants) by which launches are compared
// with a specialization, and determines which arguments decide the configuration.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// Creates the specialization that a launch belongs to, without configurations.
std::unique_ptr<Specialization> specialize(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device,
                                           const Binding &binding, const ApiConstants &given,
                                           const LaunchOptions &options);

Constants toConstants(const ApiConstants &given);

} // namespace tegula
