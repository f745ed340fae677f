// A vendor's folder implements this: the filled function table, and hooks for the real differences between the APIs.
#pragma once

#include "backends/gpu/Api.h"
#include "core/contracts/Backend.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::gpu {

/// Names for Artifact::requiredFeatures and DeviceTraits::features. A cluster size, a launch flag or a descriptor
/// recipe implies its feature, which the artifact then need not list.
inline constexpr std::string_view kFeatureClusters = "clusters";
inline constexpr std::string_view kFeatureDescriptors = "descriptors"; // encoded descriptors, see DescriptorRecipe
inline constexpr std::string_view kFeatureLaunchTogether = "launch together";
inline constexpr std::string_view kFeatureLaunchEarly = "launch early";

/// A device and its limits for launches.
struct DeviceTraits {
  DeviceInfo info;
  DeviceId id = 0;
  uint32_t version = 0;                 // major * 10 + minor, as the vendor counts its architectures
  std::array<uint32_t, 3> maxGrid = {}; // programs of one launch, along each axis
  uint32_t maxThreads = 0;              // threads of one program
  uint32_t sharedBytes = 0;             // bytes of shared memory of one program, at most
  uint32_t maxCluster = 1;              // programs of one cluster
  uint32_t multiprocessors = 1;         // programs that take a whole one run at a time
  std::vector<std::string_view> features;
};

/// A descriptor in the hardware's form. Code needs it aligned to 64 bytes; encoding functions may need 128.
struct alignas(128) EncodedDescriptor {
  std::array<uint64_t, 16> words = {};
};

/// The shape of a launch; only `grid` differs between launches of one kernel.
struct LaunchShape {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  uint32_t threads = 1;
  uint32_t sharedBytes = 0;
  uint32_t clusterSize = 1;
  uint32_t flags = 0; // a set of LaunchFlag
};

/// One opened library of a vendor. Thread-safe; never closed, because the library may run threads of its own.
class Platform {
public:
  virtual ~Platform() = default;
  Api api;

  /// Which entry point returned a status: one that launches a kernel, or another.
  enum class Call : uint8_t { Launch, Other };
  /// Whether the status reports a fault of a kernel that ran earlier, not of the failing call.
  virtual bool isKernelFault(Status status, Call call) const = 0;
  /// Throws where the device does not answer.
  virtual DeviceTraits describe(int ordinal) const = 0;
  /// Throws where code for the artifact's target does not run on the device.
  virtual void checkTarget(const Artifact &artifact, const DeviceTraits &device) const = 0;
  /// As Driver::suitability.
  virtual int suitability(const std::string &target, const DeviceTraits &device) const {
    return target == device.info.target;
  }
  /// Throws with the vendor's log where loading fails.
  virtual ModuleHandle loadModule(const Artifact &artifact, const DeviceTraits &device) const = 0;
  /// Sets function attributes that are required before the first launch, such as a large shared memory.
  virtual void prepare(FunctionHandle function, const Artifact &artifact, const DeviceTraits &device) const = 0;
  /// How many parameters the kernel's code declares; nothing where the code does not tell.
  virtual std::optional<size_t> parameterCount(const Artifact &artifact) const = 0;
  /// The largest number of threads that a program can have with this function's registers.
  virtual uint32_t maxThreads(FunctionHandle function) const = 0;
  /// Launches with a cluster or with flags; other launches use the table. Returns the status; `entry`: the called
  /// function's name.
  virtual Status launchShaped(const LaunchShape &shape, FunctionHandle function, StreamHandle stream, void **params,
                              const char *&entry) const = 0;
  /// As Driver::counted.
  virtual Counts counted(DeviceId) const { return {}; }
  /// Throws where `value` or the recipe breaks a rule of the hardware; messages name `param`.
  virtual void encodeDescriptor(const DescriptorRecipe &recipe, const ArtifactParam &param,
                                const DescriptorValue &value, EncodedDescriptor &out) const = 0;

  /// Throws where a program's shared memory, the launch's and what the code declares itself, exceeds the device's.
  /// Returns its bytes. `attribute`: the vendor's number for the bytes that the code declares.
  uint64_t checkSharedBytes(FunctionHandle function, int attribute, const Artifact &artifact,
                            const DeviceTraits &device) const;

  /// Calls an entry point. On failure throws `cannot DOING: ENTRY failed with NAME (text)`; `doing()`, called only
  /// then, makes the text DOING.
  template <class... Params, class Doing, class... Args>
  void call(const EntryPoint<Status(Params...)> &entry, const Doing &doing, Args... args) const {
    if (Status status = entry(args...); status != kSuccess) [[unlikely]]
      fail(entry.name, status, doing());
  }
  /// Throws KernelFault where isKernelFault(status, call), else Error, with a shortage where the launch says so.
  [[noreturn]] void fail(const char *entry, Status status, const std::string &doing, Call call = Call::Other) const;
  /// `ENTRY failed with NAME (text)`.
  std::string statusText(const char *entry, Status status) const;
};

/// A device with its retained context, shared by the driver and by the kernels loaded on it.
struct OpenDevice {
  /// `target`: what to compile for instead of the device's own target; it becomes part of the device's name. Empty:
  /// none.
  OpenDevice(std::shared_ptr<const Platform> platform, int ordinal, const std::string &target);
  ~OpenDevice();
  OpenDevice(const OpenDevice &) = delete;

  std::shared_ptr<const Platform> platform;
  DeviceTraits traits;
  Context context = nullptr; // the device's primary context, which other libraries in the process use, too
};

/// Makes a device's context the calling thread's for one call, and restores the previous one, which other code in this
/// thread may rely on. The lookup of the current context costs nanoseconds.
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

/// The Driver over a platform. `target` as OpenDevice takes it.
std::unique_ptr<Driver> openDriver(std::shared_ptr<const Platform> platform, int ordinal,
                                   const std::string &target = "");

} // namespace tegula::gpu
