// Finds tuned configurations for a kernel that is built ahead of time, in records and tables.
#pragma once

#include "core/runtime/bundle/BundleBuild.h"

namespace tegula {

/// A configuration, and the sizes for which it is known to be fast.
struct TunedConfig {
  KernelConfig config;
  std::vector<BundleFile::TuningRow> rows;
};

/// The configurations for an item on a target, with arguments of these types, in the user's records and in tables. If
/// the user has several records for one bucket, measured with different drivers or builds of the library, the newest is
/// used. Throws tegula::Error if the records cannot be read.
std::vector<TunedConfig> tunedConfigs(const BundleItem &item, const std::vector<ParamType> &types,
                                      const std::string &target);

} // namespace tegula
