#include "backends/null/Driver.h"
#include "core/support/Diagnostic.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace tegula::null {
namespace {

using Clock = std::chrono::steady_clock;

/// All work is done when it is requested, so a stream has no state. The driver of a real device keeps its queue here.
struct NullStream {};

struct NullKernel final : DriverKernel {
  std::string name;
  size_t params = 0;
};

std::byte *at(const DeviceMemory &memory, size_t offset) { return static_cast<std::byte *>(memory.handle) + offset; }

} // namespace

NullDriver::NullDriver() {
  info_.name = "null";
  info_.description = "a device that runs nothing";
  info_.target = "null";
}

DeviceMemory NullDriver::allocate(size_t bytes) {
  void *memory = std::malloc(bytes);
  if (!memory)
    throw Error("out of memory: " + std::to_string(bytes) + " bytes on device null");
  return {memory, reinterpret_cast<uintptr_t>(memory), bytes};
}

void NullDriver::free(const DeviceMemory &memory) { std::free(memory.handle); }

void *NullDriver::createStream() { return new NullStream; }
void NullDriver::destroyStream(void *stream) { delete static_cast<NullStream *>(stream); }

void NullDriver::copyToDevice(void *, const DeviceMemory &to, size_t offset, const void *from, size_t bytes) {
  std::memcpy(at(to, offset), from, bytes);
}

void NullDriver::copyToHost(void *, void *to, const DeviceMemory &from, size_t offset, size_t bytes) {
  std::memcpy(to, at(from, offset), bytes);
}

void NullDriver::copyOnDevice(void *, const DeviceMemory &to, size_t toOffset, const DeviceMemory &from,
                              size_t fromOffset, size_t bytes) {
  std::memcpy(at(to, toOffset), at(from, fromOffset), bytes);
}

void NullDriver::fill(void *, const DeviceMemory &to, size_t offset, uint8_t value, size_t bytes) {
  std::memset(at(to, offset), value, bytes);
}

void NullDriver::synchronize(void *) {}

std::unique_ptr<DriverKernel> NullDriver::load(const Artifact &artifact) {
  // An artifact may come from a cache or a bundle, so all of it is checked before use.
  std::string_view binary(reinterpret_cast<const char *>(artifact.binary.data()), artifact.binary.size());
  if (artifact.target != info_.target || !binary.starts_with(kMagic))
    throw Error("an artifact for target " + artifact.target + " cannot be loaded on device null");
  auto kernel = std::make_unique<NullKernel>();
  kernel->name = binary.substr(kMagic.size());
  kernel->params = artifact.params.size();
  return kernel;
}

void NullDriver::launch(void *, const DriverKernel &kernel, const LaunchRequest &request) {
  auto &loaded = static_cast<const NullKernel &>(kernel);
  if (request.checked)
    throw Error("device null cannot check launches");
  if (request.arguments.size() != loaded.params)
    throw InternalError("kernel " + loaded.name + " takes " + std::to_string(loaded.params) + " arguments, " +
                        std::to_string(request.arguments.size()) + " arrived");
  std::lock_guard lock(mutex_);
  launches_.push_back({loaded.name, request.grid, request.arguments, request.checked});
}

void *NullDriver::recordEvent(void *) { return new Clock::time_point(Clock::now()); }
void NullDriver::destroyEvent(void *event) { delete static_cast<Clock::time_point *>(event); }
void NullDriver::waitEvent(void *) {}

double NullDriver::elapsed(void *start, void *end) {
  return std::chrono::duration<double>(*static_cast<Clock::time_point *>(end) -
                                       *static_cast<Clock::time_point *>(start))
      .count();
}

std::vector<RecordedLaunch> NullDriver::launches() const {
  std::lock_guard lock(mutex_);
  return launches_;
}

namespace {

class NullFactory final : public DriverFactory {
public:
  std::string_view backend() const override { return "null"; }
  int priority() const override { return -1; } // never the default device
  std::vector<DeviceInfo> enumerate(std::string &) override { return {NullDriver().info()}; }
  bool survivesFork() const override { return true; }
  std::unique_ptr<Driver> open(const std::string &deviceName) override {
    if (deviceName != "null")
      throw Error("unknown device '" + deviceName + "'; the null backend has one, null");
    return std::make_unique<NullDriver>();
  }
};

} // namespace
} // namespace tegula::null

tegula::DriverFactory *tegula::nullDriverFactory() {
  static null::NullFactory factory;
  return &factory;
}
