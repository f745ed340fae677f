// Builds a bundle: every kernel for each of its sets of types and constants and for every target.
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

/// One kernel of a bundle to build, with its signatures and options.
struct BundleItem {
  std::string path, source;
  KernelInfo info;
  Surroundings surroundings;
  std::vector<std::vector<ParamType>> signatures; // with facts
  Constants constants;                            // given ones
  std::optional<int> numWarps, numStages;
  BundleConfigs configs = BundleConfigs::First;
};

/// Compiles every item for every target. `progress` is called at each step with text such as `add for cpu`, and for
/// each target without a tuned configuration; several threads call it, but one at a time. Throws ApiError for the first
/// kernel that does not compile.
BundleFile buildBundle(const std::vector<BundleItem> &items, const std::vector<std::string> &targets,
                       const std::function<void(const std::string &)> &progress);

} // namespace tegula
