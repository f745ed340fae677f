// Vulkan targets are named profiles: the features and limits that code for `spirv:NAME` may rely on. This file is data
// only. A device's target is the first profile of the table that it satisfies, so the table is ordered from the most to
// the least demanding.
//
// A profile lists the features that a code generator may choose to use. A kernel's own types can need more, such as f64
// or 8-bit storage: the artifact lists these features, and the driver checks them when it loads the kernel.
#pragma once

#include "backends/vulkan/Features.h"
#include "core/target/MatrixInstruction.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::vulkan {

struct Profile {
  std::string_view name;     // the part of the target's name after `spirv:`
  uint32_t subgroupSize = 0; // 0: kernels run with any size and use no subgroup operations
  uint32_t sharedBytes = 0;
  uint32_t pushBytes = 128; // an argument block that is larger is passed in a buffer
  FeatureSet features;
  std::vector<MatrixInstruction> matrices; // cooperative matrices of a subgroup
};

/// The properties of a device that decide which profiles it satisfies.
struct Capacity {
  uint32_t minSubgroupSize = 0, maxSubgroupSize = 0; // the sizes that a kernel can require; equal: only one
  uint32_t sharedBytes = 0;
  uint32_t pushBytes = 0;
  FeatureSet features;
  std::vector<MatrixInstruction> matrices; // cooperative matrices of a subgroup
};

/// On a device without Feature::UnboundedLoops: the number of loop iterations of one invocation, summed over all loops,
/// after which the device ends loops.
inline constexpr uint32_t kLoopRounds = 65535;

std::span<const Profile> profiles();
/// Finds the profile of `spirv:NAME`, or generic for `spirv`; null if it does not exist.
const Profile *findProfile(std::string_view target);
std::string targetName(const Profile &profile);
/// Empty if a device of this capacity runs code for the profile; otherwise a description of the missing property.
std::string whyNot(const Profile &profile, const Capacity &device);
/// The first profile that the device satisfies. Every device that can be opened satisfies the last one,
/// generic-bounded.
const Profile &bestProfile(const Capacity &device);

} // namespace tegula::vulkan
