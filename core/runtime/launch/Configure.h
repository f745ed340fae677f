// From a configuration as a decorator, a record or a table gives it to a value for each constexpr parameter.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// Constants of the call hold over those of `config`; heuristics and defaults supply the rest. `config` null: none.
/// Throws tegula::Error, as configure does.
std::unique_ptr<Configured> configureWith(const Kernel::Impl &kernel, const Binding &binding, const Constants &given,
                                          const LaunchOptions &options, const KernelConfig *config);

/// Of a bundle's kernel: the instance that such a launch takes. Throws tegula::Error where no instance fits, or the
/// instance has no code for the device and there is no compiler for its tile IR.
std::unique_ptr<Configured> configureBundled(const Kernel::Impl &kernel, const Driver &driver,
                                             const BundleQuery &query);

ApiConstants toApi(const Constants &constants);

bool isSame(const Configuration &a, const Configuration &b);

} // namespace tegula
