// The interface that a vendor's folder implements: the filled function table, and hooks for the real differences
// between the APIs.
#pragma once

#include "backends/gpu/Api.h"
#include "core/contracts/Backend.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::gpu {

/// Names in Artifact::requiredFeatures and DeviceTraits::features. An artifact with a cluster size, a launch flag or a
/// descriptor recipe needs the corresponding feature even if it does not list it.
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
  uint32_t sharedBytes = 0;             // the most shared memory that one program can have
  uint32_t maxCluster = 1;              // the most programs of one cluster
  uint32_t multiprocessors = 1;         // also: how many programs run at a time if each fills a multiprocessor
  std::vector<std::string_view> features;
};

/// A descriptor in the hardware's form. Kernel code needs it aligned to 64 bytes; encoding functions may need 128.
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

/// One opened vendor library. Thread-safe; never closed, because the library may run threads of its own.
class Platform {
public:
  virtual ~Platform() = default;
  Api api;

  /// The kind of the entry point that returned a status: one that launches a kernel, or any other.
  enum class Call : uint8_t { Launch, Other };
  /// True if the status reports a fault of a kernel that ran earlier, not of the failing call.
  virtual bool isKernelFault(Status status, Call call) const = 0;
  /// Reads the device's properties. Throws if the device does not answer.
  virtual DeviceTraits describe(int ordinal) const = 0;
  /// Throws if code for the artifact's target does not run on the device.
  virtual void checkTarget(const Artifact &artifact, const DeviceTraits &device) const = 0;
  /// How well code for `target` suits the device: see Driver::suitability.
  virtual int suitability(const std::string &target, const DeviceTraits &device) const {
    return target == device.info.target;
  }
  /// Loads the artifact's code. If loading fails, throws an error with the vendor's log.
  virtual ModuleHandle loadModule(const Artifact &artifact, const DeviceTraits &device) const = 0;
  /// Sets function attributes that the first launch needs, such as a large shared memory.
  virtual void prepare(FunctionHandle function, const Artifact &artifact, const DeviceTraits &device) const = 0;
  /// The number of parameters that the kernel's code declares; nothing if it cannot be read from the code.
  virtual std::optional<size_t> parameterCount(const Artifact &artifact) const = 0;
  /// The largest number of threads that a program can have with this function's registers.
  virtual uint32_t maxThreads(FunctionHandle function) const = 0;
  /// Launches a kernel that needs a cluster or a launch flag (all other launches call Api::launch). Returns the status;
  /// sets `entry` to the name of the vendor's function that was called.
  virtual Status launchShaped(const LaunchShape &shape, FunctionHandle function, StreamHandle stream, void **params,
                              const char *&entry) const = 0;
  /// Events that the device has counted, by name: see Driver::counted.
  virtual Counts counted(DeviceId) const { return {}; }
  /// Encodes a descriptor for the hardware, as `recipe` says. If `value` or the recipe breaks a rule of the hardware,
  /// throws an error that names `param`.
  virtual void encodeDescriptor(const DescriptorRecipe &recipe, const ArtifactParam &param,
                                const DescriptorValue &value, EncodedDescriptor &out) const = 0;

  /// Returns the bytes of shared memory of one program: those that the launch sizes and those that the code declares.
  /// Throws if the sum exceeds the device's limit. `attribute`: the vendor's number of the function attribute for the
  /// declared bytes.
  uint64_t checkSharedBytes(FunctionHandle function, int attribute, const Artifact &artifact,
                            const DeviceTraits &device) const;

  /// Calls an entry point. On failure throws `cannot DOING: ENTRY failed with NAME (text)`; `doing()`, called only on
  /// failure, makes the text DOING.
  template <class... Params, class Doing, class... Args>
  void call(const EntryPoint<Status(Params...)> &entry, const Doing &doing, Args... args) const {
    if (Status status = entry(args...); status != kSuccess) [[unlikely]]
      fail(entry.name, status, doing());
  }
  /// Throws KernelFault if isKernelFault(status, call), else Error; if a launch ran out of a resource, the error says
  /// which.
  [[noreturn]] void fail(const char *entry, Status status, const std::string &doing, Call call = Call::Other) const;
  /// The message of a failed call, `ENTRY failed with NAME (text)`: NAME and the text are the vendor's for the status.
  std::string statusText(const char *entry, Status status) const;
};

/// A device with its retained context, shared by the driver and the kernels that it has loaded.
struct OpenDevice {
  /// `target`: compile for this target instead of the device's own; it becomes part of the device's name. Empty: the
  /// device's own.
  OpenDevice(std::shared_ptr<const Platform> platform, int ordinal, const std::string &target);
  ~OpenDevice();
  OpenDevice(const OpenDevice &) = delete;

  std::shared_ptr<const Platform> platform;
  DeviceTraits traits;
  Context context = nullptr; // the device's primary context, shared with other libraries of the process
};

/// Makes a device's context current in the calling thread for one call. The destructor restores the previous context,
/// which other code in the thread may rely on. Looking up the current context takes nanoseconds.
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

/// Opens a Driver over a platform. `target`: see OpenDevice.
std::unique_ptr<Driver> openDriver(std::shared_ptr<const Platform> platform, int ordinal,
                                   const std::string &target = "");

} // namespace tegula::gpu
