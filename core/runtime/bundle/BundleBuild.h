// Building a bundle: each kernel, each set of types and constants, each target.
#pragma once

#include "core/runtime/bundle/BundleFile.h"

#include <functional>
#include <optional>

namespace tegula {

/// The configurations that become instances of a bundle.
enum class BundleConfigs : uint8_t {
  First, // of @triton.autotune
  All,   // of @triton.autotune
  Tuned, // those that records and tables have for each target, with their tuning rows
};

/// What to build of one kernel.
struct BundleItem {
  std::string path, source;
  KernelInfo info;
  Surroundings surroundings;
  std::vector<std::vector<ParamType>> signatures; // with facts
  Constants constants;                            // given ones
  std::optional<int> numWarps, numStages;
  BundleConfigs configs = BundleConfigs::First;
};

/// `progress` is told each step, `add for cpu`, from several threads but one at a time, and which targets have no tuned
/// configuration. Throws ApiError for the first kernel that does not compile.
BundleFile buildBundle(const std::vector<BundleItem> &items, const std::vector<std::string> &targets,
                       const std::function<void(const std::string &)> &progress);

} // namespace tegula
