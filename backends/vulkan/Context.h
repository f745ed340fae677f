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

  /// Throws the error that ended the device's use, where one did: its loss, or work that did not end in time. Every
  /// call for work begins with it; what only gives back goes on.
  void expectWorking() const {
    if (state_.load(std::memory_order_acquire) != State::Working) [[unlikely]]
      throwFailure();
  }
  /// As vulkan::check; VK_ERROR_DEVICE_LOST ends the device's use.
  void check(VkResult result, std::string_view function, std::string_view doing);
  /// Work that never ended may still run: what it uses is neither waited for nor given back.
  bool isStuck();
  /// For what stuck work uses: it is never destroyed.
  static void keepForever(std::shared_ptr<void> used);

  std::shared_ptr<Timeline> addTimeline();
  /// All its work must be done.
  void removeTimeline(const std::shared_ptr<Timeline> &timeline);
  /// Waits until the timeline has reached the value. Ends the device's use where none of its work ends within
  /// TEGULA_TIMEOUT seconds.
  void wait(Timeline &timeline, uint64_t value);
  /// A lost device runs nothing any more: there, everything is reached.
  bool reached(Timeline &timeline, uint64_t value);

  /// Runs `destroy` once all work submitted so far is done: at a later call of `collect`, or at the end.
  void retire(std::function<void()> destroy);
  /// Runs what is due; `waiting`: waits for all of it.
  void collect(bool waiting = false);
  /// Waits for the device and runs everything, also where the device is lost; nothing where it is stuck.
  void collectAll() noexcept;

  /// Device memory that blocks hold, for messages.
  std::atomic<uint64_t> heldBytes = 0;

private:
  enum class State : uint8_t { Working, Lost, TimedOut };
  void endUse(State state, const std::string &message);
  [[noreturn]] void throwFailure() const;
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
  std::atomic<State> state_ = State::Working;
  mutable std::mutex failureMutex_;
  std::string failure_; // why it is not working
  std::optional<uint64_t> limitNanoseconds_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::atomic<uint32_t> nextQueue_ = 0;
  std::mutex mutex_; // guards what follows
  std::vector<std::shared_ptr<Timeline>> timelines_;
  std::vector<Retired> retired_;
};

} // namespace tegula::vulkan
