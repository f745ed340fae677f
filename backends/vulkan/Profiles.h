// Vulkan targets are named profiles: the features and limits that a compilation for `spirv:NAME` may rely on. Data
// only. A device's target is the first profile of the table that it satisfies, so the table is ordered from the most to
// the least demanding.
//
// A profile's features are those that a code generator may choose to use. A kernel's own types can need more (f64,
// 8-bit storage, ...): these features are written into its artifact and checked when it is loaded.
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
  uint32_t subgroupSize = 0; // 0: kernels work with any size and use no subgroup operation
  uint32_t sharedBytes = 0;
  uint32_t pushBytes = 128; // larger argument blocks are passed in a buffer
  FeatureSet features;
  std::vector<MatrixInstruction> matrices; // cooperative matrices of a subgroup
};

/// The properties of a device that decide which profiles it satisfies.
struct Capacity {
  uint32_t minSubgroupSize = 0, maxSubgroupSize = 0; // that a kernel can require; equal: no choice
  uint32_t sharedBytes = 0;
  uint32_t pushBytes = 0;
  FeatureSet features;
  std::vector<MatrixInstruction> matrices; // cooperative matrices of a subgroup
};

/// How often all loops of an invocation may go round together where Feature::UnboundedLoops is missing.
inline constexpr uint32_t kLoopRounds = 65535;

std::span<const Profile> profiles();
/// Finds `spirv:NAME`, or generic for `spirv`; null where there is no such profile.
const Profile *findProfile(std::string_view target);
std::string targetName(const Profile &profile);
/// Empty where a device of this capacity runs code for the profile; else the missing property.
std::string whyNot(const Profile &profile, const Capacity &device);
/// The first profile that the device satisfies. Every device that can be opened satisfies the last, generic-bounded.
const Profile &bestProfile(const Capacity &device);

} // namespace tegula::vulkan
