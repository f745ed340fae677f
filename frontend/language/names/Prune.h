// `prune_configs_by` of `@triton.autotune`: which configurations are worth a measurement for one launch.
#pragma once

#include "frontend/language/host/HostEvaluator.h"

namespace tegula::lang {

/// Indices of the kernel's configurations, in the order in which the host code returns them: `early_config_prune`
/// first, then the `top_k` that `perf_model` predicts to be fastest. Both see every value of the request by its name,
/// as the call's positional arguments and again as its keywords, because a launch of ours does not tell the two apart.
/// Throws tegula::Error, located, where the host code cannot be evaluated.
std::vector<uint32_t> pruneConfigs(const ModuleNames &names, const PruneRequest &request);

} // namespace tegula::lang
