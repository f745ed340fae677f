// What a vendor's folder brings: its filled table, and the hooks where the APIs really differ.
#pragma once

#include "backends/Backend.h"
#include "backends/gpu/Api.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::gpu {

/// Names for Artifact::requiredFeatures and DeviceTraits::features. A kernel that asks for one by its cluster size,
/// launch flags or descriptor recipes needs not name it.
inline constexpr std::string_view kFeatureClusters = "clusters";
inline constexpr std::string_view kFeatureDescriptors = "descriptors"; // encoded ones, see DescriptorRecipe
inline constexpr std::string_view kFeatureLaunchTogether = "launch together";
inline constexpr std::string_view kFeatureLaunchEarly = "launch early";

/// A device and what its launches must respect.
struct DeviceTraits {
  DeviceInfo info;
  DeviceId id = 0;
  uint32_t version = 0;                 // major * 10 + minor, as the vendor counts its architectures
  std::array<uint32_t, 3> maxGrid = {}; // programs of one launch, each axis
  uint32_t maxThreads = 0;              // of a program
  uint32_t sharedBytes = 0;             // of a program, at most
  uint32_t maxCluster = 1;              // programs
  std::vector<std::string_view> features;
};

/// A descriptor as the hardware reads it. Code takes it aligned to 64; libraries that encode may want more.
struct alignas(128) EncodedDescriptor {
  std::array<uint64_t, 16> words = {};
};

/// One launch of a kernel; the same for all its launches but for the grid.
struct LaunchShape {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  uint32_t threads = 1;
  uint32_t sharedBytes = 0;
  uint32_t clusterSize = 1;
  uint32_t flags = 0; // of LaunchFlag
};

/// One opened library of a vendor. Thread-safe; never closed, because drivers keep threads of their own.
class Platform {
public:
  virtual ~Platform() = default;
  Api api;

  /// The failure means that a kernel did something wrong, not this call.
  virtual bool isKernelFault(Status status) const = 0;
  /// Throws where the device does not answer.
  virtual DeviceTraits describe(int ordinal) const = 0;
  /// Throws where code of the artifact's target does not run on the device.
  virtual void checkTarget(const Artifact &artifact, const DeviceTraits &device) const = 0;
  /// Throws with the vendor's log.
  virtual ModuleHandle loadModule(const Artifact &artifact, const DeviceTraits &device) const = 0;
  /// Sets what a function must know before its first launch, such as a large shared memory.
  virtual void prepare(FunctionHandle function, const Artifact &artifact, const DeviceTraits &device) const = 0;
  /// Registers and threads: throws where a program of so many threads cannot run.
  virtual uint32_t maxThreads(FunctionHandle function) const = 0;
  /// A launch with a cluster or with flags; others go through the table. Returns the status, `entry` what was called.
  virtual Status launchShaped(const LaunchShape &shape, FunctionHandle function, StreamHandle stream, void **params,
                              const char *&entry) const = 0;
  /// Throws where `value` or the recipe break the hardware's rules; messages name `param`.
  virtual void encodeDescriptor(const DescriptorRecipe &recipe, const ArtifactParam &param,
                                const DescriptorValue &value, EncodedDescriptor &out) const = 0;

  /// Calls an entry point. Where it fails, throws `cannot DOING: ENTRY failed with NAME (text)`; `doing` is called only
  /// then and gives the text.
  template <class... Params, class Doing, class... Args>
  void call(const EntryPoint<Status(Params...)> &entry, const Doing &doing, Args... args) const {
    if (Status status = entry(args...); status != kSuccess) [[unlikely]]
      fail(entry.name, status, doing());
  }
  /// Throws KernelFault where a kernel is to blame, else Error.
  [[noreturn]] void fail(const char *entry, Status status, const std::string &doing) const;
  /// `ENTRY failed with NAME (text)`.
  std::string statusText(const char *entry, Status status) const;
};

/// A device with its context, kept by the driver and by the kernels loaded on it.
struct OpenDevice {
  OpenDevice(std::shared_ptr<const Platform> platform, int ordinal);
  ~OpenDevice();
  OpenDevice(const OpenDevice &) = delete;

  std::shared_ptr<const Platform> platform;
  DeviceTraits traits;
  Context context = nullptr; // the device's primary one, which libraries in the same process use too
};

/// Makes a device's context the calling thread's for one call. The thread may belong to others, who change the context
/// or rely on theirs: it is looked up each time, which costs nanoseconds, and put back.
class CurrentContext {
public:
  explicit CurrentContext(const OpenDevice &device);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;

private:
  const Api &api_;
  Context previous_ = nullptr;
  bool restore_ = false;
};

/// The Driver over a platform.
std::unique_ptr<Driver> openDriver(std::shared_ptr<const Platform> platform, int ordinal);

} // namespace tegula::gpu
