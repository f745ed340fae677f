// The option depth_splits of a kernel's configuration: how many programs share the loop over the depth of one block of
// the result (docs/tuning.md, "Splitting the depth"). Callers give it among the values of constexpr parameters.
#pragma once

#include "core/contracts/Compiler.h"

#include <algorithm>

namespace tegula {

inline constexpr std::string_view kDepthSplits = "depth_splits";
inline constexpr int64_t kMostDepthSplits = 64;

/// Whether the name stands for the option: the kernel has no parameter of that name.
inline bool isDepthSplits(const KernelInfo &kernel, std::string_view name) {
  return name == kDepthSplits &&
         std::ranges::none_of(kernel.params, [](const KernelInfo::Param &param) { return param.name == kDepthSplits; });
}

/// The option's value; 1 where it is not given. Throws tegula::Error where it is no integer from 1 to kMostDepthSplits.
int64_t depthSplitsOf(const Constants &constants);

} // namespace tegula
