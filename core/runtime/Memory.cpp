#include "core/runtime/Memory.h"
#include "core/runtime/Translate.h"

#include <cstring>

namespace tegula {

Allocation::Allocation(std::shared_ptr<Device::Impl> device, size_t bytes) : device_(std::move(device)), bytes_(bytes) {
  // An empty array gets an address, too, so that checked mode can distinguish it from a null pointer.
  memory_ = device_->driver->allocate(bytes ? bytes : 1);
  writesBefore_ = device_->unknownWrites.load(std::memory_order_relaxed);
}

Allocation::Allocation(std::shared_ptr<Device::Impl> device, const NativeMemory &memory, std::function<void()> release)
    : device_(std::move(device)), memory_(device_->driver->wrapMemory(memory)), bytes_(memory.bytes), isForeign_(true),
      whole_(true), release_(std::move(release)) {}

Allocation::~Allocation() {
  {
    std::lock_guard lock(device_->mutex);
    device_->allocations.erase(this);
  }
  try {
    isForeign_ ? device_->driver->unwrapMemory(memory_) : device_->driver->free(memory_);
  } catch (const std::exception &) {
    // The device is gone or has failed. A destructor cannot report that; the next call to the device does.
  }
  if (release_)
    release_();
}

void Allocation::markWritten(size_t offset, size_t bytes) {
  if (bytes == bytes_)
    return markWholeWritten();
  if (uint8_t *map = writtenMap())
    std::memset(map + offset, 1, bytes);
}

uint8_t *Allocation::writtenMap() {
  if (whole_.load(std::memory_order_acquire) || bytes_ == 0 ||
      device_->unknownWrites.load(std::memory_order_relaxed) != writesBefore_)
    return nullptr;
  std::lock_guard lock(mutex_);
  if (!map_)
    map_ = std::make_unique<uint8_t[]>(bytes_);
  return map_.get();
}

void Device::Impl::add(const std::shared_ptr<Allocation> &allocation) {
  std::lock_guard lock(mutex);
  allocations[allocation.get()] = allocation;
}

std::vector<std::shared_ptr<Allocation>> Device::Impl::live() {
  std::vector<std::shared_ptr<Allocation>> result;
  std::lock_guard lock(mutex);
  for (auto &[key, weak] : allocations)
    if (std::shared_ptr<Allocation> allocation = weak.lock())
      result.push_back(std::move(allocation));
  return result;
}

DeviceMemory Device::Impl::keep(size_t bytes) {
  DeviceMemory memory = driver->allocate(bytes);
  std::lock_guard lock(mutex);
  kept.push_back(memory);
  return memory;
}

Device::Impl::~Impl() {
  for (const DeviceMemory &memory : kept)
    try {
      driver->free(memory);
    } catch (const std::exception &) {
      // See ~Allocation.
    }
}

Stream::Impl::~Impl() {
  try {
    Driver &driver = *device.impl()->driver;
    isForeign ? driver.unwrapStream(handle) : driver.destroyStream(handle);
  } catch (const std::exception &) {
    // See ~Allocation.
  }
}

Graph::Impl::~Impl() {
  try {
    device.impl()->driver->destroyGraph(handle);
  } catch (const std::exception &) {
    // See ~Allocation.
  }
}

Event::Impl::~Impl() {
  try {
    stream->device.impl()->driver->destroyEvent(handle);
  } catch (const std::exception &) {
    // See ~Allocation.
  }
}

std::string describeShape(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return "()";
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

} // namespace tegula
