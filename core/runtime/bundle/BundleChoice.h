// Chooses the instance and the code of a bundle that a launch runs.
#pragma once

#include "core/contracts/Backend.h"
#include "core/runtime/Binding.h"
#include "core/runtime/bundle/BundleFile.h"

namespace tegula {

/// A kernel of a bundle.
struct BundledKernel {
  std::shared_ptr<const BundleFile> file;
  uint32_t kernel = 0; // index
};

struct BundleChoice {
  const BundleFile::Instance *instance = nullptr;
  const BundleFile::Code *code = nullptr; // null: the bundle has no code that the device runs
};

/// The properties of a launch that the choice depends on.
struct BundleQuery {
  const std::vector<BoundArgument> &arguments;
  const Constants &given;
  std::optional<int> numWarps, numStages;
  HostExpression::Lookup values; // values of arguments, for heuristics
  bool isChecked = false;        // prefers code with assertions, whatever `debug` in `given` is
};
/// The indices of the arguments whose buckets the tuning rows of a bundle's kernel use.
std::vector<uint32_t> keyArguments(const BundledKernel &bundled, const std::vector<BoundArgument> &arguments);

/// Chooses the instance that a launch runs, and its code for the device. If no instance fits, throws tegula::Error that
/// lists the kernel's instances.
BundleChoice choose(const BundledKernel &bundled, const Driver &driver, const BundleQuery &query);

/// The message which says that the bundle has no code for the device. It names the device's target and the bundle's
/// targets.
std::string lacks(const BundledKernel &bundled, const BundleFile::Instance &instance, const Driver &driver);

/// Describes an instance: `add(*f32, *f32, i32) with BLOCK=128, num_warps=4, num_stages=3`
std::string describe(const BundleFile &file, const BundleFile::Instance &instance);

} // namespace tegula
