// The implementations behind the API's handles: devices with their live allocations, buffers (views of allocations),
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

/// One allocation of device memory, with a record of which bytes were written. A checked launch reports reads of bytes
/// that were never written. The map of written bytes is created when a checked launch first finds the allocation partly
/// written.
class Allocation {
public:
  Allocation(std::shared_ptr<Device::Impl> device, size_t bytes);
  /// Wraps the caller's memory; `release` returns it to the caller.
  Allocation(std::shared_ptr<Device::Impl> device, const NativeMemory &memory, std::function<void()> release);
  ~Allocation();
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;

  const std::shared_ptr<Device::Impl> &device() const { return device_; }
  bool isForeign() const { return isForeign_; }
  const DeviceMemory &memory() const { return memory_; } // its size is at least 1 byte
  size_t bytes() const { return bytes_; }

  void markWritten(size_t offset, size_t bytes);
  /// Marks every byte as written. Called for an unchecked launch, which may have written any byte. Takes no lock.
  void markWholeWritten() {
    if (!whole_.load(std::memory_order_relaxed)) // avoids a store, which would take the cache line from other threads
      whole_.store(true, std::memory_order_release);
  }
  /// The map of written bytes: one byte for each byte of memory. Null if all bytes count as written. Valid as long as
  /// the allocation.
  uint8_t *writtenMap();

private:
  std::shared_ptr<Device::Impl> device_;
  DeviceMemory memory_;
  size_t bytes_;
  bool isForeign_ = false;
  std::atomic<bool> whole_{false};
  std::function<void()> release_; // returns the caller's memory
  uint64_t writesBefore_ = 0;     // value of Device::Impl::unknownWrites at the allocation
  ForkSafeMutex mutex_;           // guards the creation of map_
  std::unique_ptr<uint8_t[]> map_;
};

struct Device::Impl {
  std::unique_ptr<Driver> driver;
  Device::Info info;

  /// Adds an allocation to the list of live ones.
  void add(const std::shared_ptr<Allocation> &allocation);
  /// Counts unchecked launches with an address in place of a buffer: they may have written any memory.
  std::atomic<uint64_t> unknownWrites = 0;
  /// All live allocations; for checked launches.
  std::vector<std::shared_ptr<Allocation>> live();

  /// Allocates memory that is freed when the device is closed. Throws tegula::Error if there is not enough.
  DeviceMemory keep(size_t bytes);
  ~Impl();

  ForkSafeMutex mutex; // guards the members below
  std::unordered_map<const Allocation *, std::weak_ptr<Allocation>> allocations;
  std::vector<DeviceMemory> kept;
};

/// Strides and offset are in elements; the offset counts from the allocation's first byte.
struct Buffer::Impl {
  std::shared_ptr<Allocation> allocation;
  int64_t offset = 0;
  DType type = DType::F32;
  std::vector<int64_t> shape, strides;
  int64_t elements = 0;
  size_t bytes = 0; // from the lowest to the highest element in memory, inclusive
  int64_t low = 0;  // offset of the lowest element from the first one, in elements; negative if a stride is
  bool dense = true;
  bool isReadOnly = false; // Buffer::readOnly

  const Device::Impl &device() const { return *allocation->device(); }
  size_t byteOffset() const { return static_cast<size_t>(offset) * byteSize(toScalarType(type)); }
  size_t lowestByte() const { return static_cast<size_t>(offset + low) * byteSize(toScalarType(type)); }
  /// The address of the first element.
  uint64_t address() const { return allocation->memory().address + byteOffset(); }
};

struct Stream::Impl {
  explicit Impl(Device device) : device(std::move(device)) {}
  ~Impl();
  Device device;
  void *handle = nullptr;
  bool isForeign = false;
  std::atomic<bool> captures = false;                // true between beginCapture and endCapture
  ForkSafeMutex mutex;                               // guards `captured`
  std::vector<std::shared_ptr<const void>> captured; // kernels and workspaces that captured launches use
  Workspace workspace;                               // for launches that no graph captures
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

/// A shape as text: `2x3x4`, or `()` for a scalar.
std::string describeShape(const std::vector<int64_t> &shape);

} // namespace tegula
