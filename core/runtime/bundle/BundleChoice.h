// Which instance and code of a bundle a launch takes.
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
  const BundleFile::Code *code = nullptr; // null: the bundle has none that the device runs
};

/// What a launch asks for.
struct BundleQuery {
  const std::vector<BoundArgument> &arguments;
  const Constants &given;
  std::optional<int> numWarps, numStages;
  HostExpression::Lookup values; // of arguments, for heuristics
  bool isChecked = false;        // takes code with assertions where there is some, whatever `given` says of `debug`
};
/// The arguments, by index, whose buckets the tuning rows of a bundle's kernel look at.
std::vector<uint32_t> keyArguments(const BundledKernel &bundled, const std::vector<BoundArgument> &arguments);

/// Throws tegula::Error that lists the kernel's instances where none fits.
BundleChoice choose(const BundledKernel &bundled, const Driver &driver, const BundleQuery &query);

/// Why there is no code for the device: its target, and those of the bundle.
std::string lacks(const BundledKernel &bundled, const BundleFile::Instance &instance, const Driver &driver);

/// `add(*f32, *f32, i32) with BLOCK=128, num_warps=4, num_stages=3`
std::string describe(const BundleFile &file, const BundleFile::Instance &instance);

} // namespace tegula
