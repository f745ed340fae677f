// A kernel in memory: its parameters, and its compiled variants (docs/tuning.md).
//
//   Kernel -> Specialization   device, types, options, constants given
//          -> Configured       a value for each constexpr parameter, warps, stages
//          -> Variant          an artifact with guards and conditions, loaded on the device
//
// All lists only grow, at their head, under the kernel's mutex; launches walk them without a lock. The first is short,
// because a program launches a kernel with few combinations of types and constants. From a specialization, a launch
// goes to its variant through PickTable.
//
// A thread that compiles holds the turn of its configuration and not the kernel's mutex: configurations are compiled at
// the same time, each variant once. A turn is taken before the mutex.
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
  std::vector<ArgumentFacts> facts; // that it was compiled for, one an argument
  std::vector<uint32_t> sources;    // parameter of the artifact that is passed -> index in Binding::arguments
  bool conditional = true;          // CompileRequest::conditional
  /// Set if there is better, conditional code for the same facts, which was not taken because the arguments broke one
  /// of its conditions: the artifact of that code, without its binary. Later arguments may meet the conditions; so each
  /// launch that would run this variant checks them, and takes the better code if they hold.
  std::optional<Artifact> declined;
  /// A variant without conditions, which launches of a conditional variant may need.
  struct Substitute {
    CompileRequest request; // compiled when it is first needed; of a bundle: not used
    std::vector<ArgumentFacts> facts;
    ForkSafeMutex mutex; // of `made`
    std::unique_ptr<Variant> made;
    std::atomic<const Variant *> variant = nullptr; // what is known, `made` or another of the bundle's
  };
  /// Of a conditional variant: what a launch runs instead if its grid breaks a condition (LaunchConditions::positive)
  /// or the driver refuses its descriptors. It takes the first one whose guards hold. First comes code for the same
  /// facts, then code for any arguments; from a bundle, whatever it has, in its order.
  std::vector<std::unique_ptr<Substitute>> substitutes;
  Variant *next = nullptr;

  /// Whether the code is right for these arguments: the artifact's guards hold, and its conditions, but for those that
  /// depend on the grid.
  bool holds(const std::vector<BoundArgument> &arguments) const;
  /// Whether, besides, the better code does not hold that this variant stands in for.
  bool suits(const std::vector<BoundArgument> &arguments) const;
  /// Whether launches derive descriptors for this code.
  bool derivesAny() const { return !compiled.artifact.derived().empty(); }
  /// How much the code asks of a launch: the number of its guards and derived descriptors, and one more if it is
  /// conditional.
  size_t demands() const {
    const Artifact &artifact = compiled.artifact;
    return artifact.guards.size() + artifact.derived().size() + artifact.conditions.has_value();
  }
  /// Whether a compilation for these arguments' facts would give this artifact: it used no fact that they lack, and
  /// was told of all that they have.
  bool serves(const std::vector<BoundArgument> &arguments) const;
};

struct Configured {
  Configuration configuration;
  ApiConstants resolved; // all of them, for grids
  BundleChoice bundled;  // of a bundle's kernel
  bool isSettled = true; // false: the grid was empty, and later launches with the same key measure
  ForkSafeMutex turn;    // held by the thread that chooses a variant or compiles it
  std::atomic<Variant *> variants = nullptr;
  PickTable prepared; // of prepared launches: keys of facts alone
  Configured *next = nullptr;

  ~Configured();
  /// Of the variants whose code is right for these arguments, the one with the most demands(); null if there is none.
  const Variant *find(const std::vector<BoundArgument> &arguments) const;
  const Variant *findServing(const std::vector<BoundArgument> &arguments) const;
  size_t count() const;
};

struct Specialization {
  // What a launch is compared with.
  std::shared_ptr<Device::Impl> device;
  std::optional<int> numWarps, numStages;
  GivenConstants given;
  std::vector<ParamType> types; // without divisibility
  std::vector<uint16_t> codes;  // BoundArgument::typeCode of each: compared first, since they lie close together
  bool codesTellAll = true;     // no argument is a descriptor or a constant

  Deciding deciding;
  bool isTunable = false; // some source of configurations knows the kernel, and the call leaves it something
  /// Tuning found something new for the kernel: later launches make a specialization of their own.
  std::atomic<bool> isRetired = false;
  std::atomic<Configured *> configured = nullptr;
  PickTable picks;
  Specialization *next = nullptr;

  ~Specialization();
  /// Whether it is for launches on this device with these options, apart from the arguments' types. `binding` has the
  /// constants that were given by position.
  bool takes(const Device::Impl &device, const Binding &binding, const LaunchOptions &options) const;
  /// Whether, besides, it is for arguments of these types.
  bool matches(const Device::Impl &device, const Binding &binding, const LaunchOptions &options) const;
};

struct Kernel::Impl : std::enable_shared_from_this<Kernel::Impl> {
  Impl(std::string path, std::string source, KernelInfo info, Surroundings surroundings);
  explicit Impl(BundledKernel bundled);
  ~Impl();

  const uint64_t serial; // above 0, of no other kernel of the process, also of none that is gone
  std::string path, source;
  Surroundings surroundings;            // as the file was described
  std::optional<BundledKernel> bundled; // instead of the source
  Prototype prototype;
  const char *label;         // `NAME (FILE:LINE)`, for the life of the process
  std::vector<size_t> lines; // offsets of the source's lines

  mutable ForkSafeMutex mutex; // guards additions, `unready` and `measuring`; free while a thread compiles
  /// A thread measures configurations, without the mutex: grids and print callbacks are the caller's code, which may
  /// launch this kernel. Launches that would measure wait for it, except inside of a measurement.
  mutable std::atomic<uint64_t> measuring = 0; // forkGeneration() + 1 of the process that measures; 0: none does
  mutable std::atomic<Specialization *> specializations = nullptr;
  /// Specializations of which no variant has been compiled yet: those that fail to compile lengthen no launch's search.
  mutable std::vector<std::unique_ptr<Specialization>> unready;

  mutable std::atomic<bool> saidHooks = false;   // the warning that hooks do not run was given
  mutable std::atomic<bool> saidRepeats = false; // the warning of tune/Repeats.h was given

  /// Text of line `number`, from 1, without its end; empty beyond the file.
  std::string line(uint32_t number) const;
};

struct Bundle::Impl {
  std::shared_ptr<const BundleFile> file;
};

/// What a launch runs.
struct Selection {
  const Specialization *specialization = nullptr;
  Configured *configured = nullptr;
  const Variant *variant = nullptr;
  bool fromMemory = false;
  const Pick *pick = nullptr; // the key's entry in the table that was asked; null where there is none
};
/// The last one of the calling thread; see Session.h.
Selection &launchTrace();

/// While it lives, launches of its thread measure nothing: those that grids and print callbacks make.
class InsideMeasurement {
public:
  InsideMeasurement();
  ~InsideMeasurement();
  InsideMeasurement(const InsideMeasurement &) = delete;
};

/// Waits, where the kernel is being measured, for the end; returns at once inside of a measurement. `lock` holds the
/// kernel's mutex.
void awaitMeasured(const Kernel::Impl &kernel, std::unique_lock<ForkSafeMutex> &lock);

class Trial;
/// Finds the variant for these arguments, or compiles it; may measure configurations where a trial is given, but not
/// inside of another measurement. Throws ApiError.
Selection select(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                 const LaunchOptions &options, Trial *trial);

/// The variant for these arguments where the rest is known, as in a prepared launch. A repeated call takes no lock.
const Variant *selectVariant(const Kernel::Impl &kernel, const Selection &known, const Binding &binding, bool mayWait);

/// The artifact that such a launch would load on the device: compiled, or from the cache on disk. Throws ApiError.
Artifact compileFor(const Kernel::Impl &kernel, const std::shared_ptr<Device::Impl> &device, const Binding &binding,
                    const LaunchOptions &options);

} // namespace tegula
