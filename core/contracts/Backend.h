// The room of contracts: interfaces and data that the compiler, the runtime and the backends share. All three include
// it, and it includes none of them, so that none depends on another. It contains no MLIR and no code of a target:
// beside interfaces, only code that encodes and decodes their data (artifacts, device output).
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
  void *handle = nullptr; // the host address if the host can access the memory, else private to the driver
  uint64_t address = 0;   // the address that kernels use
  size_t size = 0;        // bytes
};

/// Resources of one thread of a loaded kernel; negative if the driver does not know them.
struct KernelUsage {
  int registers = -1;
  int spillBytes = -1; // spilled registers, in the thread's private memory
};

/// Memory that the caller owns.
struct NativeMemory {
  uint64_t address = 0; // as kernels use it
  size_t bytes = 0;
  void *handle = nullptr;  // the vendor's object that contains the memory, if copies need it
  size_t handleOffset = 0; // of `address` within that object, in bytes
};

/// A tensor descriptor as an argument; extents and strides in elements, one of each for each axis. The spans refer to
/// memory of the caller, which must stay valid during the call.
struct DescriptorValue {
  uint64_t address = 0;
  std::span<const int64_t> shape, strides;
  bool paddingNaN = false;
};

class DriverKernel {
public:
  virtual ~DriverKernel() = default;
  virtual KernelUsage usage() const { return {}; }
  /// True if a launch can pass the tensor as parameter `param`, a derived descriptor.
  virtual bool canDescribe(size_t param, const DescriptorValue &tensor) const {
    (void)param, (void)tensor;
    return true;
  }
};

/// A kernel argument; the order is that of Artifact::params. A scalar's bits are in the low bytes.
struct LaunchArgument {
  uint64_t bits = 0;
  const DescriptorValue *descriptor = nullptr;
};

/// A buffer that a checked launch may access; an access outside all listed buffers is a fault.
struct CheckedBuffer {
  DeviceMemory memory;
  std::string name;
  ScalarType type = ScalarType::I8;
  uint8_t *written = nullptr; // one byte for each byte: not 0 if it was written; null: all count as written
};

struct LaunchRequest {
  const char *kernel = nullptr; // `NAME (FILE:LINE)`, valid until the process ends; for messages of later failures
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::vector<LaunchArgument> arguments;
  bool checked = false;                            // test every access; drivers without checked mode throw
  std::vector<CheckedBuffer> buffers;              // all live buffers of the device; only for checked launches
  std::function<void(std::string_view)> print;     // device_print text; default: standard output
  std::function<std::string(uint32_t)> sourceLine; // returns the text of line N of the kernel's file, for messages
  /// Called from time to time by the launching thread, if the kernel runs in that thread. If it returns true, the
  /// launch ends and throws Interrupted. Null: the launch cannot be ended.
  bool (*isInterrupted)() = nullptr;
};

struct DeviceInfo {
  std::string name;        // "cpu"; if the backend has several devices, "<backend>:0"
  std::string description; // "x86-64, 2 cores, AVX-512"
  std::string target;      // the target to compile for, one of CodeGenerator::targets(): "cpu"
  uint64_t memoryBytes = 0;
  std::vector<std::pair<std::string, std::string>> properties; // for `tegula devices`
  bool isRealGpu = false;                                      // by default preferred over the CPU
};

/// Names and numbers of counted events, such as {"matrix instructions", 64}.
using Counts = std::vector<std::pair<std::string, uint64_t>>;

/// An open device. Work of one stream runs in order; work of different streams may overlap. All functions throw
/// tegula::Error.
class Driver {
public:
  virtual ~Driver() = default;
  virtual const DeviceInfo &info() const = 0;
  virtual bool supportsChecked() const = 0;
  /// True if threads of the driver execute kernels in this process, so that a fault of a kernel ends the process.
  virtual bool executesOnHost() const { return false; }
  /// A rank of code for `target` on this device: 0 if the code does not run; otherwise, higher is better.
  virtual int suitability(const std::string &target) const { return target == info().target; }
  virtual DeviceMemory allocate(size_t bytes) = 0;
  virtual void free(const DeviceMemory &memory) = 0;
  virtual void *createStream() = 0;
  virtual void destroyStream(void *stream) = 0;
  /// Copies run in stream order. The host memory may be reused when the call returns.
  virtual void copyToDevice(void *stream, const DeviceMemory &to, size_t offset, const void *from, size_t bytes) = 0;
  virtual void copyToHost(void *stream, void *to, const DeviceMemory &from, size_t offset, size_t bytes) = 0;
  /// Copies within this device; the two ranges must not overlap.
  virtual void copyOnDevice(void *stream, const DeviceMemory &to, size_t toOffset, const DeviceMemory &from,
                            size_t fromOffset, size_t bytes) = 0;
  virtual void fill(void *stream, const DeviceMemory &to, size_t offset, uint8_t value, size_t bytes) = 0;
  virtual std::unique_ptr<DriverKernel> load(const Artifact &artifact) = 0;
  virtual void launch(void *stream, const DriverKernel &kernel, const LaunchRequest &request) = 0;
  virtual void synchronize(void *stream) = 0;
  /// An event is a point in a stream. The elapsed time between two events is in seconds, on the device's clock.
  virtual void *recordEvent(void *stream) = 0;
  virtual void destroyEvent(void *event) = 0;
  virtual void waitEvent(void *event) = 0;
  virtual double elapsed(void *start, void *end) = 0;

  // Memory and streams of the caller. These functions throw if the device cannot use them.
  /// Makes the caller's memory usable; `unwrapMemory` ends that.
  virtual DeviceMemory wrapMemory(const NativeMemory &memory);
  virtual void unwrapMemory(const DeviceMemory &) {}
  /// Makes a stream handle for the functions above that stands for the caller's stream; `unwrapStream` does not destroy
  /// the caller's stream.
  virtual void *wrapStream(void *native);
  virtual void unwrapStream(void *stream);
  /// The vendor's handle of a stream.
  virtual void *nativeStream(void *stream);
  /// Makes later work of `stream` start after `event`. By default the host waits.
  virtual void waitInStream(void *, void *event) { waitEvent(event); }

  // Graphs: work that is recorded once and launched often. A capture fails if an operation that a graph cannot hold was
  // done during it.
  virtual bool supportsCapture() const { return false; }
  virtual void beginCapture(void *stream);
  virtual void *endCapture(void *stream);
  virtual void launchGraph(void *graph, void *stream);
  virtual void destroyGraph(void *) {}
  /// True if work that is submitted to the stream now is recorded in a graph, by whatever library.
  virtual bool isCaptured(void *stream) {
    (void)stream;
    return false;
  }
  /// True if the caller's handle stands for a different stream in each thread of the host (a per-thread default
  /// stream).
  virtual bool isOfEachThread(void *stream) const {
    (void)stream;
    return false;
  }

  /// Events that the device has counted, with names and numbers, summed over all launches; an emulated device counts
  /// instructions. Empty if it counts nothing.
  virtual Counts counted() const { return {}; }
};

/// A device that the caller has created through the vendor's interface. The backend's page in docs/ lists the members
/// that it needs.
struct NativeDevice {
  void *instance = nullptr, *physicalDevice = nullptr, *device = nullptr, *queue = nullptr;
  uint32_t queueFamily = 0;
  uint32_t version = 0;                // the interface's version that the instance was created for
  const void *features = nullptr;      // the features that the device was created with
  std::vector<std::string> extensions; // the extensions that the device was created with
  std::function<void()> lock, unlock;  // called around each use of the queue; empty: the caller does not use it
};

/// Finds and opens a backend's devices.
class DriverFactory {
public:
  virtual ~DriverFactory() = default;
  virtual std::string_view backend() const = 0; // "cpu"
  /// The device of the backend with the highest priority is used if no device is named.
  virtual int priority() const = 0;
  /// Never throws: if the vendor's library is missing or broken, there are no devices, and `whyNone` says why.
  virtual std::vector<DeviceInfo> enumerate(std::string &whyNone) = 0;
  /// True if a child after fork() may go on using devices that its parent enumerated and opened. If not, the runtime
  /// refuses every use in the child (core/runtime/api/DriverGuard.h).
  virtual bool survivesFork() const { return false; }
  virtual std::unique_ptr<Driver> open(const std::string &deviceName) = 0;
  /// Uses a device of the caller, which must outlive the driver. Throws if the backend cannot do that, or if the device
  /// lacks a feature that it needs.
  virtual std::unique_ptr<Driver> adopt(const NativeDevice &device);
};

/// All factories that are built into this library, highest priority first. Generated from the registration lines.
const std::vector<DriverFactory *> &driverFactories();

} // namespace tegula
