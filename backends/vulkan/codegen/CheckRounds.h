// A pass for devices that end loops early, which are those without Feature::UnboundedLoops.
#pragma once

#include "backends/vulkan/Profiles.h"

#include <memory>

namespace mlir {
class Pass;
}

namespace tegula::vulkan {

/// Makes a launch fail, at the loop's source location, if the device has ended a loop of the kernel before the loop's
/// condition was false. Input: a kernel at the simt level whose prints and assertions are still ops. A kernel whose
/// loops certainly have fewer iterations than the device allows is left unchanged.
std::unique_ptr<mlir::Pass> createCheckRounds(const Profile &profile);

} // namespace tegula::vulkan
