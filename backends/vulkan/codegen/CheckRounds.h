// For devices that end loops early: Feature::UnboundedLoops.
#pragma once

#include "backends/vulkan/Profiles.h"

#include <memory>

namespace mlir {
class Pass;
}

namespace tegula::vulkan {

/// Makes the launch fail, at the loop's place in the source, where the device has ended loops of a kernel before their
/// conditions did. The kernel is at the simt level, its prints and assertions are ops. A kernel whose loops surely go
/// round less often than the device allows stays as it is.
std::unique_ptr<mlir::Pass> createCheckRounds(const Profile &profile);

} // namespace tegula::vulkan
