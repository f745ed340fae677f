// Completes a configuration from a decorator, a record or a table: gives each constexpr parameter a value.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// Makes the launch's values of all constexpr parameters: constants of the call take precedence over those of `config`;
/// heuristics and defaults supply the rest. If `config` is null, there is no configuration. Throws tegula::Error, as
/// configure does.
std::unique_ptr<Configured> configureWith(const Kernel::Impl &kernel, const Binding &binding, const Constants &given,
                                          const LaunchOptions &options, const KernelConfig *config);

/// Makes the values of all constexpr parameters for a launch of a bundle's kernel: those of the instance that the
/// launch runs. Throws tegula::Error if no instance fits, or if the instance has no code for the device and there is no
/// compiler for its tile IR.
std::unique_ptr<Configured> configureBundled(const Kernel::Impl &kernel, const Driver &driver,
                                             const BundleQuery &query);

ApiConstants toApi(const Constants &constants);

bool isSame(const Configuration &a, const Configuration &b);

} // namespace tegula
