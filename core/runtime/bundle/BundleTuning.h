// What records and tables know of a kernel that is built ahead of time.
#pragma once

#include "core/runtime/bundle/BundleBuild.h"

namespace tegula {

/// A configuration, and the sizes for which it is known to be fast.
struct TunedConfig {
  KernelConfig config;
  std::vector<BundleFile::TuningRow> rows;
};

/// Configurations that the user's records and the tables have for an item on a target, with arguments of these types.
/// Of several records of one bucket, which other drivers or builds made, the newest counts. Throws tegula::Error where
/// the records cannot be read.
std::vector<TunedConfig> tunedConfigs(const BundleItem &item, const std::vector<ParamType> &types,
                                      const std::string &target);

} // namespace tegula
