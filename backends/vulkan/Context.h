// An open device: what its memory, streams and kernels share. Destroyed after all of them.
#pragma once

#include "backends/vulkan/Facts.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace tegula::vulkan {

/// A stream's progress: the semaphore counts its submissions.
struct Timeline {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::atomic<uint64_t> submitted = 0;
  std::atomic<uint64_t> completed = 0; // as far as was seen
};

struct Queue {
  VkQueue handle = VK_NULL_HANDLE;
  std::mutex mutex; // submission is externally synchronised
};

class Context {
public:
  explicit Context(DeviceFacts facts, const InstanceFunctions &instance);
  ~Context();
  Context(const Context &) = delete;

  const DeviceFacts &facts() const { return facts_; }
  VkDevice device() const { return device_; }
  const DeviceFunctions &api() const { return api_; }
  /// Device memory is the host's: copies are done by the host.
  bool unified() const { return unified_; }
  uint32_t deviceMemoryType() const { return deviceType_; }
  uint32_t hostMemoryType() const { return hostType_; }

  /// Queues are dealt out in turn; streams share one where there are more of them.
  Queue &nextQueue();

  std::shared_ptr<Timeline> addTimeline();
  /// All its work must be done.
  void removeTimeline(const std::shared_ptr<Timeline> &timeline);
  /// Waits until the timeline has reached the value.
  void wait(Timeline &timeline, uint64_t value);
  bool reached(Timeline &timeline, uint64_t value);

  /// Runs `destroy` once all work submitted so far is done: at a later call of `collect`, or at the end.
  void retire(std::function<void()> destroy);
  /// Runs what is due; `waiting`: waits for all of it.
  void collect(bool waiting = false);
  /// Waits for the device and runs everything, also where the device is lost.
  void collectAll() noexcept;

private:
  struct Retired {
    std::vector<std::pair<std::shared_ptr<Timeline>, uint64_t>> after;
    std::function<void()> destroy;
  };
  void createDevice(const InstanceFunctions &instance);
  void chooseMemory(const InstanceFunctions &instance);

  DeviceFacts facts_;
  VkDevice device_ = VK_NULL_HANDLE;
  DeviceFunctions api_;
  bool unified_ = false;
  uint32_t deviceType_ = 0, hostType_ = 0;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::atomic<uint32_t> nextQueue_ = 0;
  std::mutex mutex_; // guards what follows
  std::vector<std::shared_ptr<Timeline>> timelines_;
  std::vector<Retired> retired_;
};

} // namespace tegula::vulkan
