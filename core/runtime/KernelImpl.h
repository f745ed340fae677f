// A kernel in memory: its parameters and its compiled variants (docs/tuning.md).
//
//   Kernel -> Specialization   device, types, options, constants given
//          -> Configured       a value for each constexpr parameter, warps, stages
//          -> Variant          an artifact with guards and conditions, loaded on the device
//
// All lists only grow, at their head, under the kernel's mutex; launches traverse them without a lock. The list of
// specializations is short, because a program launches a kernel with few combinations of types and constants. Within a
// specialization, a launch finds its variant through PickTable.
//
// A thread that compiles holds its configuration's mutex `turn`, but not the kernel's mutex: several configurations are
// compiled concurrently, and each variant is compiled once. Lock order: `turn` before the kernel's mutex.
#pragma once

#include "core/runtime/Binding.h"
#include "core/runtime/Compilation.h"
#include "core/runtime/Configuration.h"
#include "core/runtime/bundle/BundleChoice.h"
#include "core/runtime/launch/GivenConstants.h"
#include "core/runtime/launch/PickKey.h"
#include "core/runtime/launch/PickTable.h"
#include "core/support/process/Fork.h"

#include <atomic>
#include <mutex>

namespace tegula {

struct Variant {
  CompiledKernel compiled;
  std::unique_ptr<DriverKernel> kernel;
  std::vector<ArgumentFacts> facts; // for each argument, the facts that the variant was compiled for
  std::vector<uint32_t> sources;    // for each passed parameter of the artifact, its index in Binding::arguments
  bool conditional = true;          // CompileRequest::conditional
  /// The artifact, without its binary, of conditional code for the same facts. That code is better, but was not used
  /// because the arguments broke one of its conditions. Each launch that would run this variant checks the conditions
  /// for its own arguments, and uses the conditional code if they hold.
  std::optional<Artifact> declined;
  /// A variant without conditions that replaces a conditional variant in some launches.
  struct Substitute {
    CompileRequest request; // compiled when first needed; not used by a bundle's kernel
    std::vector<ArgumentFacts> facts;
    ForkSafeMutex mutex; // of `made`
    std::unique_ptr<Variant> made;
    std::atomic<const Variant *> variant = nullptr; // null until known; `made`, or another variant of the bundle
  };
  /// Only for a conditional variant: the variants that a launch runs instead if its grid breaks a condition
  /// (LaunchConditions::positive) or if the driver refuses its descriptors. The launch takes the first one whose guards
  /// hold. The order is: code for the same facts, then code for any arguments; for a bundle, the order in the bundle.
  std::vector<std::unique_ptr<Substitute>> substitutes;
  Variant *next = nullptr;

  /// True if the code is correct for these arguments: the artifact's guards hold, and so do its conditions, except for
  /// those that depend on the grid.
  bool holds(const std::vector<BoundArgument> &arguments) const;
  /// True if holds() is true and the better code that this variant replaces (`declined`) does not hold.
  bool suits(const std::vector<BoundArgument> &arguments) const;
  /// True if the code takes tensor descriptors that the launch derives from its other arguments.
  bool derivesAny() const { return !compiled.artifact.derived().empty(); }
  /// The number of requirements that the code has for a launch: its guards, its derived descriptors, and one more if it
  /// is conditional.
  size_t demands() const {
    const Artifact &artifact = compiled.artifact;
    return artifact.guards.size() + artifact.derived().size() + artifact.conditions.has_value();
  }
  /// True if a compilation for the facts of these arguments would produce this artifact: the artifact relies only on
  /// facts that these arguments have, and all facts that these arguments have were known when it was compiled.
  bool serves(const std::vector<BoundArgument> &arguments) const;
};

struct Configured {
  Configuration configuration;
  ApiConstants resolved; // the value of every constexpr parameter, for grid functions
  BundleChoice bundled;  // of a bundle's kernel: the chosen instance and code
  bool isSettled = true; // false: the grid was empty, so a later launch with the same key measures
  ForkSafeMutex turn;    // held by the thread that chooses or compiles a variant
  std::atomic<Variant *> variants = nullptr;
  PickTable prepared; // for prepared launches, whose keys are facts only
  Configured *next = nullptr;

  ~Configured();
  /// The variant with the most demands() among those for which holds() is true; null if there is none.
  const Variant *find(const std::vector<BoundArgument> &arguments) const;
  const Variant *findServing(const std::vector<BoundArgument> &arguments) const;
  size_t count() const;
};

struct Specialization {
  // The properties that decide whether a launch belongs to the specialization.
  std::shared_ptr<Device::Impl> device;
  std::optional<int> numWarps, numStages;
  GivenConstants given;
  std::vector<ParamType> types; // without divisibility
  std::vector<uint16_t> codes;  // BoundArgument::typeCode of each argument; compact, so compared first
  bool codesTellAll = true;     // equal codes mean equal types: no argument is a descriptor or a constant

  Deciding deciding;
  bool isTunable = false; // the call leaves a constant open, and records or @triton.autotune can set it
  /// Set when tuning has stored a new result for the kernel: later launches create a new specialization.
  std::atomic<bool> isRetired = false;
  std::atomic<Configured *> configured = nullptr;
  PickTable picks;
  Specialization *next = nullptr;

  ~Specialization();
  /// True if launches on this device with these options belong to the specialization; the arguments' types are not
  /// compared. `binding` has the constants that were given by position.
  bool takes(const Device::Impl &device, const Binding &binding, const LaunchOptions &options) const;
  /// True if takes() is true and the arguments have the specialization's types.
  bool matches(const Device::Impl &device, const Binding &binding, const LaunchOptions &options) const;
};

struct Kernel::Impl : std::enable_shared_from_this<Kernel::Impl> {
  Impl(std::string path, std::string source, KernelInfo info, Surroundings surroundings);
  explicit Impl(BundledKernel bundled);
  ~Impl();

  const uint64_t serial; // above 0; no other kernel of the process has it, not even a destroyed one
  std::string path, source;
  Surroundings surroundings;            // module path and imported files at the time of the description
  std::optional<BundledKernel> bundled; // set for a kernel of a bundle, which has no source
  Prototype prototype;
  const char *label;         // `NAME (FILE:LINE)`; valid until the process ends
  std::vector<size_t> lines; // byte offset of each line of the source

  mutable ForkSafeMutex mutex; // guards additions to the lists, `unready` and `measuring`; not held while compiling
  /// Not 0 while a thread measures configurations of this kernel. That thread does not hold `mutex` meanwhile, because
  /// grid functions and print callbacks are the caller's code, which may launch this kernel. Other launches that would
  /// measure wait until the value is 0, except for launches made inside a measurement.
  mutable std::atomic<uint64_t> measuring = 0; // forkGeneration() + 1 of the measuring process; 0: none measures
  mutable std::atomic<Specialization *> specializations = nullptr;
  /// Specializations without a compiled variant. They are kept out of `specializations`, so that those that never
  /// compile do not lengthen the search of each launch.
  mutable std::vector<std::unique_ptr<Specialization>> unready;

  mutable std::atomic<bool> saidHooks = false;   // the warning that hooks are not run has been given
  mutable std::atomic<bool> saidRepeats = false; // the warning of tune/Repeats.h has been given

  /// The text of line `number` (from 1) without its line end; empty beyond the end of the file.
  std::string line(uint32_t number) const;
};

struct Bundle::Impl {
  std::shared_ptr<const BundleFile> file;
};

/// The specialization, configuration and variant that a launch runs.
struct Selection {
  const Specialization *specialization = nullptr;
  Configured *configured = nullptr;
  const Variant *variant = nullptr;
  bool fromMemory = false;
  const Pick *pick = nullptr; // the entry of the pick key; null if there is none
};
/// The selection of the calling thread's last launch, from which session::lastLaunch makes its report.
Selection &launchTrace();

/// While an object exists, launches of its thread do not measure configurations. A measurement creates one, because the
/// grid functions and print callbacks that it calls may launch kernels.
class InsideMeasurement {
public:
  InsideMeasurement();
  ~InsideMeasurement();
  InsideMeasurement(const InsideMeasurement &) = delete;
};

/// If another thread measures configurations of the kernel, waits until that measurement ends. Returns at once if the
/// calling thread is inside a measurement. `lock` must hold the kernel's mutex, which is unlocked during the wait.
void awaitMeasured(const Kernel::Impl &kernel, std::unique_lock<ForkSafeMutex> &lock);

class Trial;
/// Finds or compiles the variant for these arguments. If `trial` is not null, may measure configurations by launching
/// them through it, unless the calling thread is already inside a measurement. Throws ApiError.
Selection select(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                 const LaunchOptions &options, Trial *trial);

/// Finds or compiles the variant for these arguments within the specialization and configuration of `known`, for
/// prepared launches. If `mayWait` is false and an existing variant fits, returns it, and leaves the compilation of a
/// better one to the background thread. A repeated call takes no lock.
const Variant *selectVariant(const Kernel::Impl &kernel, const Selection &known, const Binding &binding, bool mayWait);

/// The artifact that a launch with these arguments would load on the device: compiled, or from the disk cache. Throws
/// ApiError.
Artifact compileFor(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                    const LaunchOptions &options);

} // namespace tegula
