// Completes a configuration from a decorator, a record or a table: gives each constexpr parameter a value.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

/// Determines the values of all constexpr parameters for a launch: `given`, the constants of the call, take precedence
/// over those of `config`, which may be null; heuristics and defaults supply the rest. Throws tegula::Error in the
/// cases in which configure() does.
std::unique_ptr<Configured> configureWith(const Kernel::Impl &kernel, const Binding &binding, const Constants &given,
                                          const LaunchOptions &options, const KernelConfig *config);

/// Determines the values of all constexpr parameters for a launch of a bundle's kernel: chooses the instance that the
/// launch runs, and takes its constants. Throws tegula::Error if no instance fits, or if the instance has no code for
/// the device and there is no compiler for its tile IR.
std::unique_ptr<Configured> configureBundled(const Kernel::Impl &kernel, const Driver &driver,
                                             const BundleQuery &query);

ApiConstants toApi(const Constants &constants);

bool isSame(const Configuration &a, const Configuration &b);

} // namespace tegula
