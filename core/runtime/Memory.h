// The implementations behind the API's handles: devices with their live allocations, buffers as views of allocations,
// streams and events.
#pragma once

#include "core/contracts/Backend.h"
#include "core/runtime/Workspace.h"
#include "core/runtime/include/tegula/tegula.hpp"
#include "core/support/process/Fork.h"

#include <atomic>
#include <unordered_map>

namespace tegula {

inline ScalarType toScalarType(DType type) { return static_cast<ScalarType>(type); }
inline DType toDType(ScalarType type) { return static_cast<DType>(type); }

/// One allocation of device memory, and which of its bytes were written. Checked launches report reads of bytes that
/// were never written; the map of written bytes is made when a checked launch first finds the allocation partly
/// written.
class Allocation {
public:
  Allocation(std::shared_ptr<Device::Impl> device, size_t bytes);
  /// Of the caller's memory, which `release` gives back.
  Allocation(std::shared_ptr<Device::Impl> device, const NativeMemory &memory, std::function<void()> release);
  ~Allocation();
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;

  const std::shared_ptr<Device::Impl> &device() const { return device_; }
  bool isForeign() const { return isForeign_; }
  const DeviceMemory &memory() const { return memory_; } // its size is at least 1 byte
  size_t bytes() const { return bytes_; }

  void markWritten(size_t offset, size_t bytes);
  /// After an unchecked launch: any byte may have been written. Lock-free.
  void markWholeWritten() {
    if (!whole_.load(std::memory_order_relaxed)) // a store would take the line from other threads that launch
      whole_.store(true, std::memory_order_release);
  }
  /// The map: one byte for each byte of memory; null if all bytes count as written. Lives as long as the allocation.
  uint8_t *writtenMap();

private:
  std::shared_ptr<Device::Impl> device_;
  DeviceMemory memory_;
  size_t bytes_;
  bool isForeign_ = false;
  std::atomic<bool> whole_{false};
  std::function<void()> release_; // of the caller's memory
  uint64_t writesBefore_ = 0;     // Device::Impl::unknownWrites when this was allocated
  ForkSafeMutex mutex_;           // guards the making of map_
  std::unique_ptr<uint8_t[]> map_;
};

struct Device::Impl {
  std::unique_ptr<Driver> driver;
  Device::Info info;

  /// Enters an allocation among the live ones.
  void add(const std::shared_ptr<Allocation> &allocation);
  /// Counts unchecked launches that got an address instead of a buffer: they may have written any memory.
  std::atomic<uint64_t> unknownWrites = 0;
  /// All allocations that live now; for checked launches.
  std::vector<std::shared_ptr<Allocation>> live();

  /// Allocates memory that is freed when the device is closed. Throws tegula::Error.
  DeviceMemory keep(size_t bytes);
  ~Impl();

  ForkSafeMutex mutex; // guards the members below
  std::unordered_map<const Allocation *, std::weak_ptr<Allocation>> allocations;
  std::vector<DeviceMemory> kept;
};

/// Strides and offset in elements; the offset from the allocation's first byte.
struct Buffer::Impl {
  std::shared_ptr<Allocation> allocation;
  int64_t offset = 0;
  DType type = DType::F32;
  std::vector<int64_t> shape, strides;
  int64_t elements = 0;
  size_t bytes = 0; // from the lowest to the highest element in memory
  int64_t low = 0;  // the place of the lowest element, from the first one: negative where a stride is
  bool dense = true;
  bool isReadOnly = false; // Buffer::readOnly

  const Device::Impl &device() const { return *allocation->device(); }
  size_t byteOffset() const { return static_cast<size_t>(offset) * byteSize(toScalarType(type)); }
  size_t lowestByte() const { return static_cast<size_t>(offset + low) * byteSize(toScalarType(type)); }
  /// Of the first element.
  uint64_t address() const { return allocation->memory().address + byteOffset(); }
};

struct Stream::Impl {
  explicit Impl(Device device) : device(std::move(device)) {}
  ~Impl();
  Device device;
  void *handle = nullptr;
  bool isForeign = false;
  std::atomic<bool> captures = false;                // between beginCapture and endCapture
  ForkSafeMutex mutex;                               // guards `captured`
  std::vector<std::shared_ptr<const void>> captured; // what launches meanwhile use: kernels and workspaces
  Workspace workspace;                               // of launches that no graph captures
};

struct Graph::Impl {
  explicit Impl(Device device) : device(std::move(device)) {}
  ~Impl();
  Device device;
  void *handle = nullptr;
  std::vector<std::shared_ptr<const void>> used; // Stream::Impl::captured
};

struct Event::Impl {
  ~Impl();
  std::shared_ptr<Stream::Impl> stream;
  void *handle = nullptr;
};

/// `2x3x4`, or `()` for a scalar.
std::string describeShape(const std::vector<int64_t> &shape);

} // namespace tegula
