// The driver of the null device: memory of the host, streams that do work synchronously, and kernels that are checked
// and recorded but not executed. It is the smallest possible driver; README.md shows how to develop a backend from it.
#pragma once

#include "core/contracts/Backend.h"

#include <mutex>

namespace tegula::null {

/// The prefix of a null artifact's binary; the kernel's name follows it.
inline constexpr std::string_view kMagic = "null:";

/// A recorded launch, for tests.
struct RecordedLaunch {
  std::string kernel;
  std::array<uint32_t, 3> grid = {};
  std::vector<LaunchArgument> arguments;
  bool checked = false;
};

class NullDriver : public Driver {
public:
  NullDriver();

  const DeviceInfo &info() const override { return info_; }
  bool supportsChecked() const override { return false; }

  DeviceMemory allocate(size_t bytes) override;
  void free(const DeviceMemory &memory) override;

  void *createStream() override;
  void destroyStream(void *stream) override;
  void copyToDevice(void *stream, const DeviceMemory &to, size_t offset, const void *from, size_t bytes) override;
  void copyToHost(void *stream, void *to, const DeviceMemory &from, size_t offset, size_t bytes) override;
  void copyOnDevice(void *stream, const DeviceMemory &to, size_t toOffset, const DeviceMemory &from, size_t fromOffset,
                    size_t bytes) override;
  void fill(void *stream, const DeviceMemory &to, size_t offset, uint8_t value, size_t bytes) override;
  void synchronize(void *stream) override;

  std::unique_ptr<DriverKernel> load(const Artifact &artifact) override;
  void launch(void *stream, const DriverKernel &kernel, const LaunchRequest &request) override;

  void *recordEvent(void *stream) override;
  void destroyEvent(void *event) override;
  void waitEvent(void *event) override;
  double elapsed(void *start, void *end) override;

  /// All launches so far, in order.
  std::vector<RecordedLaunch> launches() const;

private:
  DeviceInfo info_;
  mutable std::mutex mutex_; // guards launches_: several threads may use streams
  std::vector<RecordedLaunch> launches_;
};

} // namespace tegula::null

namespace tegula {

/// Registers the backend: backends/CMakeLists.txt derives this function's name from the folder's name.
DriverFactory *nullDriverFactory();

} // namespace tegula
