// The room of contracts: what the compiler, the runtime and the backends agree on. All three include it and it includes
// none of them, so that none depends on another. No MLIR and no code of a target here: beside interfaces only what
// encodes and decodes their data (artifacts, device output).
//
// A backend is a CodeGenerator (compiler library; never needs a device) and a Driver (runtime library; never needs a
// compiler). A backend lives in one folder, `backends/<name>`, and is named in one line of backends/CMakeLists.txt;
// `backends/null` shows how to write one. Nothing outside its folder may name a backend.
#pragma once

#include "core/contracts/Artifact.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

struct CompileRequest;

/// A block of device memory, opaque to the runtime: its driver creates it and interprets `handle`.
struct DeviceMemory {
  void *handle = nullptr; // the host address where the host can access the memory, else private to the driver
  uint64_t address = 0;   // the address that kernels use
  size_t size = 0;        // bytes
};

/// What a thread of a loaded kernel uses; negative where the driver does not know.
struct KernelUsage {
  int registers = -1;
  int spillBytes = -1; // of memory of the thread's own
};

/// Memory of the caller.
struct NativeMemory {
  uint64_t address = 0; // as kernels use addresses
  size_t bytes = 0;
  void *handle = nullptr;  // of the vendor's object that contains it, where copies need one
  size_t handleOffset = 0; // of `address` in that object
};

/// A tensor descriptor as an argument; extents and strides in elements, both of length rank. The spans refer to memory
/// of the caller, which must stay valid during the call.
struct DescriptorValue {
  uint64_t address = 0;
  std::span<const int64_t> shape, strides;
  bool paddingNaN = false;
};

class DriverKernel {
public:
  virtual ~DriverKernel() = default;
  virtual KernelUsage usage() const { return {}; }
  /// Whether a launch can pass the tensor as this parameter, a derived descriptor.
  virtual bool canDescribe(size_t param, const DescriptorValue &tensor) const {
    (void)param, (void)tensor;
    return true;
  }
};

/// One kernel argument in the order of Artifact::params; scalars hold their bits in the low bytes.
struct LaunchArgument {
  uint64_t bits = 0;
  const DescriptorValue *descriptor = nullptr;
};

/// A buffer that a checked launch may access; an access outside all listed buffers is a fault.
struct CheckedBuffer {
  DeviceMemory memory;
  std::string name;
  ScalarType type = ScalarType::I8;
  uint8_t *written = nullptr; // non-zero at i: byte i has been written; null: every byte counts as written
};

struct LaunchRequest {
  const char *kernel = nullptr; // `NAME (FILE:LINE)`, for the life of the process: for messages of later failures
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::vector<LaunchArgument> arguments;
  bool checked = false;                            // test every access; drivers without checked mode refuse it
  std::vector<CheckedBuffer> buffers;              // all live buffers of the device; used by checked launches only
  std::function<void(std::string_view)> print;     // device_print text; default: standard output
  std::function<std::string(uint32_t)> sourceLine; // text of line N of the kernel's file, for messages
  /// Asked now and then by the thread that launches, where that thread is busy until the kernel has ended. Where it is
  /// true the launch ends, and throws Interrupted. Null: nobody can end it.
  bool (*isInterrupted)() = nullptr;
};

struct DeviceInfo {
  std::string name;        // "cpu"; of a backend with several devices "<backend>:0"
  std::string description; // "x86-64, 2 cores, AVX-512"
  std::string target;      // the target to compile for, as CodeGenerator::targets() lists it: "cpu"
  uint64_t memoryBytes = 0;
  std::vector<std::pair<std::string, std::string>> properties; // for `tegula devices`
  bool isRealGpu = false;                                      // preferred by default over the CPU
};

/// Names and numbers, such as {"matrix instructions", 64}.
using Counts = std::vector<std::pair<std::string, uint64_t>>;

/// An open device. Streams are in order; work of different streams may overlap. All functions throw tegula::Error.
class Driver {
public:
  virtual ~Driver() = default;
  virtual const DeviceInfo &info() const = 0;
  virtual bool supportsChecked() const = 0;
  /// Whether threads of the driver execute kernels in this process, so that a kernel's fault ends it.
  virtual bool executesOnHost() const { return false; }
  /// How well code for `target` suits the device: 0, it does not run; else the higher the better.
  virtual int suitability(const std::string &target) const { return target == info().target; }
  virtual DeviceMemory allocate(size_t bytes) = 0;
  virtual void free(const DeviceMemory &memory) = 0;
  virtual void *createStream() = 0;
  virtual void destroyStream(void *stream) = 0;
  /// Copies are ordered in the stream; host memory may be reused when the call returns.
  virtual void copyToDevice(void *stream, const DeviceMemory &to, size_t offset, const void *from, size_t bytes) = 0;
  virtual void copyToHost(void *stream, void *to, const DeviceMemory &from, size_t offset, size_t bytes) = 0;
  /// Within this device; the two do not overlap.
  virtual void copyOnDevice(void *stream, const DeviceMemory &to, size_t toOffset, const DeviceMemory &from,
                            size_t fromOffset, size_t bytes) = 0;
  virtual void fill(void *stream, const DeviceMemory &to, size_t offset, uint8_t value, size_t bytes) = 0;
  virtual std::unique_ptr<DriverKernel> load(const Artifact &artifact) = 0;
  virtual void launch(void *stream, const DriverKernel &kernel, const LaunchRequest &request) = 0;
  virtual void synchronize(void *stream) = 0;
  /// An event is a point in a stream; elapsed time between two is in seconds, on the device's clock.
  virtual void *recordEvent(void *stream) = 0;
  virtual void destroyEvent(void *event) = 0;
  virtual void waitEvent(void *event) = 0;
  virtual double elapsed(void *start, void *end) = 0;

  // Memory and streams of the caller. Where the device cannot use them, these throw.
  /// The caller's memory. `unwrapMemory` ends the use.
  virtual DeviceMemory wrapMemory(const NativeMemory &memory);
  virtual void unwrapMemory(const DeviceMemory &) {}
  /// A stream for the functions above that stands for the caller's; `unwrapStream` leaves the caller's as it is.
  virtual void *wrapStream(void *native);
  virtual void unwrapStream(void *stream);
  /// The vendor's handle of a stream.
  virtual void *nativeStream(void *stream);
  /// Later work of `stream` starts after `event`. The host waits where the driver cannot do better.
  virtual void waitInStream(void *, void *event) { waitEvent(event); }

  // Graphs: work that is recorded once and launched often. A capture ends with an error where something was done
  // meanwhile that a graph cannot hold.
  virtual bool supportsCapture() const { return false; }
  virtual void beginCapture(void *stream);
  virtual void *endCapture(void *stream);
  virtual void launchGraph(void *graph, void *stream);
  virtual void destroyGraph(void *) {}
  /// Whether work that is given to the stream now is recorded for a graph, whoever captures.
  virtual bool isCaptured(void *stream) {
    (void)stream;
    return false;
  }
  /// Whether the handle that the caller wrapped means another stream in each thread of the host: a per-thread default
  /// stream.
  virtual bool isOfEachThread(void *stream) const {
    (void)stream;
    return false;
  }

  /// What the device has counted, names and numbers, summed over all launches; an emulated device counts instructions.
  /// Empty: it counts nothing.
  virtual Counts counted() const { return {}; }
};

/// A device that the caller opened with the vendor's interface. The backend's page in docs/ says what it needs.
struct NativeDevice {
  void *instance = nullptr, *physicalDevice = nullptr, *device = nullptr, *queue = nullptr;
  uint32_t queueFamily = 0;
  uint32_t version = 0;                // of the interface, as the instance was made for it
  const void *features = nullptr;      // what the device was opened with
  std::vector<std::string> extensions; // that it was opened with
  std::function<void()> lock, unlock;  // around each use of the queue; empty: nobody else uses it meanwhile
};

/// Finds and opens a backend's devices.
class DriverFactory {
public:
  virtual ~DriverFactory() = default;
  virtual std::string_view backend() const = 0; // "cpu"
  /// Higher is preferred when no device is named.
  virtual int priority() const = 0;
  /// Never throws: where the vendor's library is missing or broken there are no devices, and `whyNone` says why.
  virtual std::vector<DeviceInfo> enumerate(std::string &whyNone) = 0;
  /// Whether a child after fork() may go on with what its parent enumerated and opened. Where not, the runtime refuses
  /// every use there (core/runtime/api/DriverGuard.h).
  virtual bool survivesFork() const { return false; }
  virtual std::unique_ptr<Driver> open(const std::string &deviceName) = 0;
  /// Uses a device of the caller's, which must outlive the driver. Throws where the backend cannot, or the device lacks
  /// what it needs.
  virtual std::unique_ptr<Driver> adopt(const NativeDevice &device);
};

/// All factories built into this library, highest priority first. Generated from the registration lines.
const std::vector<DriverFactory *> &driverFactories();

} // namespace tegula
