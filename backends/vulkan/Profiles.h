// Vulkan targets are named profiles: what a compilation for `spirv:NAME` may rely on. Data only; a device's target is
// the first profile of the table that it satisfies, so the table is ordered from the most to the least particular.
//
// A profile's features are those that a code generator may choose to use. A kernel's own types can need more (f64,
// 8-bit storage, ...): that is written into its artifact and checked where it is loaded.
#pragma once

#include "backends/vulkan/Features.h"
#include "core/support/ScalarType.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::vulkan {

/// A matrix product that one instruction of a subgroup does: C (m×n) = A (m×k) · B (k×n) + C.
struct MatrixRow {
  uint32_t m = 0, n = 0, k = 0;
  ScalarType operand = ScalarType::F16;     // of A and B
  ScalarType accumulator = ScalarType::F32; // of C and the result
  bool operator==(const MatrixRow &) const = default;
};
/// `16x16x16 f16 -> f32`
std::string describe(const MatrixRow &row);

struct Profile {
  std::string_view name;     // after `spirv:`
  uint32_t subgroupSize = 0; // 0: kernels do not depend on it and use no subgroup operation
  uint32_t sharedBytes = 0;
  uint32_t pushBytes = 128; // arguments that take more go through a buffer
  FeatureSet features;
  std::vector<MatrixRow> matrices;
};

/// What of a device decides which profiles it satisfies.
struct Capacity {
  uint32_t minSubgroupSize = 0, maxSubgroupSize = 0; // that a kernel can ask for; equal where it cannot
  uint32_t sharedBytes = 0;
  uint32_t pushBytes = 0;
  FeatureSet features;
  std::vector<MatrixRow> matrices;
};

std::span<const Profile> profiles();
/// `spirv:NAME`, or `spirv` for generic; null where there is no such profile.
const Profile *findProfile(std::string_view target);
std::string targetName(const Profile &profile);
/// Empty where a device of this capacity can run what is compiled for the profile; else what it lacks.
std::string whyNot(const Profile &profile, const Capacity &device);
/// The first that is satisfied; generic is by every device that can be opened.
const Profile &bestProfile(const Capacity &device);

} // namespace tegula::vulkan
