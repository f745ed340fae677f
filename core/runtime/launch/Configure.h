// From a configuration as a decorator, a record or a table gives it to a value for each constexpr parameter.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// Constants of the call hold over those of `config`; heuristics and defaults supply the rest. `config` null: none.
/// Throws tegula::Error, as configure does.
std::unique_ptr<Configured> configureWith(const Kernel::Impl &kernel, const Binding &binding, const Constants &given,
                                          const LaunchOptions &options, const KernelConfig *config);

bool isSame(const Configuration &a, const Configuration &b);

} // namespace tegula
