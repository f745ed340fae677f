// A kernel in memory: its parameters, and its compiled variants.
//
//   Kernel -> Specialization (device, types, constants, options) -> Variant (an artifact with guards, loaded on the
//   device)
//
// Both lists only grow, at their head, under the kernel's mutex; launches walk them without a lock. They are short: a
// program launches a kernel with few combinations of types and constants.
#pragma once

#include "core/runtime/Binding.h"
#include "core/runtime/Compilation.h"
#include "core/runtime/Configuration.h"
#include "core/runtime/bundle/BundleChoice.h"

#include <atomic>
#include <mutex>

namespace tegula {

struct Variant {
  CompiledKernel compiled;
  std::unique_ptr<DriverKernel> kernel;
  std::vector<ParamType> signature; // that it was compiled for
  std::vector<uint32_t> sources;    // parameter of the artifact -> index in Binding::arguments
  Variant *next = nullptr;

  /// Whether the artifact's guards hold for these arguments.
  bool holds(const std::vector<BoundArgument> &arguments) const;
};

struct Specialization {
  // The key that a launch is compared with.
  std::shared_ptr<Device::Impl> device;
  std::optional<int> numWarps, numStages;
  ApiConstants constants;       // as given; where heuristics look at arguments: as resolved
  std::vector<ParamType> types; // without divisibility

  BundleChoice bundled; // of a bundle's kernel
  Configuration configuration;
  ApiConstants resolved; // all of them, for grids
  std::atomic<Variant *> variants = nullptr;
  Specialization *next = nullptr;

  ~Specialization();
  /// Of the variants whose guards all hold, the one with the most guards; null if there is none.
  const Variant *find(const std::vector<BoundArgument> &arguments) const;
  size_t count() const;
};

struct Kernel::Impl {
  Impl(std::string path, std::string source, KernelInfo info, Surroundings surroundings);
  explicit Impl(BundledKernel bundled);
  ~Impl();

  std::string path, source;
  Surroundings surroundings;            // as the file was described
  std::optional<BundledKernel> bundled; // instead of the source
  Prototype prototype;
  std::vector<size_t> lines; // offsets of the source's lines

  mutable std::mutex mutex; // serialises compilation; guards additions
  mutable std::atomic<Specialization *> specializations = nullptr;

  /// Text of line `number`, from 1, without its end; empty beyond the file.
  std::string line(uint32_t number) const;
};

struct Bundle::Impl {
  std::shared_ptr<const BundleFile> file;
};

/// The last launch of the calling thread; see Session.h.
struct LaunchTrace {
  const Specialization *specialization = nullptr;
  const Variant *variant = nullptr;
  bool fromMemory = false;
};
LaunchTrace &launchTrace();

/// Finds the variant for these arguments, or compiles it. Throws ApiError.
struct Selection {
  const Specialization *specialization;
  const Variant *variant;
};
Selection select(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                 const LaunchOptions &options);

/// The same where the specialization is known. A repeated call takes no lock.
const Variant *select(const Kernel::Impl &kernel, const Specialization &specialization, const Binding &binding);

/// For each parameter of the artifact, the index of its argument. Throws InternalError where their numbers differ.
std::vector<uint32_t> matchParams(const Kernel::Impl &kernel, const std::vector<BoundArgument> &arguments,
                                  const Artifact &artifact);
/// Throws tegula::Error where the bundle has no code for the device and there is no compiler for its tile IR.
void requireCode(const Kernel::Impl &kernel, const BundleChoice &choice, const Driver &driver);
/// The variants that a bundle has for the specialization, loaded. Throws ApiError.
std::vector<std::unique_ptr<Variant>> loadBundled(const Kernel::Impl &kernel, const Specialization &specialization,
                                                  const std::vector<BoundArgument> &arguments);

/// What compiles a variant of the specialization.
CompileRequest requestFor(const Kernel::Impl &kernel, const Specialization &specialization,
                          std::vector<ParamType> signature);

/// The artifact that such a launch would load on the device: compiled, or from the cache on disk. Throws ApiError.
Artifact compileFor(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                    const LaunchOptions &options);

} // namespace tegula
