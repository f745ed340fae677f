// An open device: the state that its memory, streams and kernels share. It is destroyed after all of them.
#pragma once

#include "backends/vulkan/driver/Facts.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace tegula::vulkan {

/// The progress of a stream: each submission sets the semaphore to its own number when it ends.
struct Timeline {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::atomic<uint64_t> submitted = 0;
  std::atomic<uint64_t> completed = 0; // the highest value seen on the semaphore
};

/// A queue, which is locked like a mutex, because Vulkan does not allow concurrent submissions to one queue.
struct Queue {
  VkQueue handle = VK_NULL_HANDLE;
  std::mutex mutex;
  std::function<void()> onLock, onUnlock; // for a queue of the caller: its lock

  void lock() {
    mutex.lock();
    if (onLock)
      onLock();
  }
  void unlock() {
    if (onUnlock)
      onUnlock();
    mutex.unlock();
  }
};

class Context {
public:
  explicit Context(DeviceFacts facts, const InstanceFunctions &instance);
  /// Uses a device that the caller has created.
  Context(DeviceFacts facts, std::unique_ptr<const Instance> instance, const NativeDevice &native);
  ~Context();
  Context(const Context &) = delete;

  const DeviceFacts &facts() const { return facts_; }
  VkDevice device() const { return device_; }
  const DeviceFunctions &api() const { return api_; }
  /// True if the caller has created the device: then the queue also runs work that Tegula does not know of.
  bool isAdopted() const { return adoptedFrom_ != nullptr; }
  /// True if the host can access device memory: then the host does all copies.
  bool unified() const { return unified_; }
  uint32_t deviceMemoryType() const { return deviceType_; }
  uint32_t hostMemoryType() const { return hostType_; }

  /// Returns the queues in rotation; if there are more streams than queues, several streams share a queue.
  Queue &nextQueue();

  /// If the device can no longer be used (it was lost, or work exceeded the time limit), throws the error that caused
  /// this. Every function that starts work calls this first; functions that release resources do not.
  void expectWorking() const {
    if (state_.load(std::memory_order_acquire) != State::Working) [[unlikely]]
      throwFailure();
  }
  /// Throws tegula::Error, as vulkan::check does, if `result` is an error. The error VK_ERROR_DEVICE_LOST also marks
  /// the device as unusable.
  void check(VkResult result, std::string_view function, std::string_view doing);
  /// True if work that exceeded the time limit may still run: then resources that it uses are neither waited for nor
  /// released.
  bool isStuck();
  /// Keeps a resource that stuck work uses until the process ends.
  static void keepForever(std::shared_ptr<void> used);

  std::shared_ptr<Timeline> addTimeline();
  /// Removes a timeline whose work is all done.
  void removeTimeline(const std::shared_ptr<Timeline> &timeline);
  /// Waits until the timeline has reached the value. If no work of the device ends within TEGULA_TIMEOUT seconds, marks
  /// the device as unusable and throws.
  void wait(Timeline &timeline, uint64_t value);
  /// True if the timeline has reached the value. On a lost device always true, because it executes nothing any more.
  bool reached(Timeline &timeline, uint64_t value);

  /// Runs `destroy` after all work submitted before this call is done: in a later call of `collect`, or when the
  /// context is destroyed.
  void retire(std::function<void()> destroy);
  /// Runs the `destroy` functions whose work is done; with `waiting`, waits for all of them.
  void collect(bool waiting = false);
  /// Waits for the device and runs all `destroy` functions, on a lost device, too. Does nothing while work is stuck.
  void collectAll() noexcept;

  /// Bytes of device memory that all blocks hold, for messages.
  std::atomic<uint64_t> heldBytes = 0;

private:
  enum class State : uint8_t { Working, Lost, TimedOut };
  void waitForAll() noexcept;
  void endUse(State state, const std::string &message);
  [[noreturn]] void throwFailure() const;
  struct Retired {
    std::vector<std::pair<std::shared_ptr<Timeline>, uint64_t>> after;
    std::function<void()> destroy;
  };
  /// How many submissions, of all streams together, have ended.
  uint64_t endedWork();
  void createDevice(const InstanceFunctions &instance);
  void fillFunctions(const InstanceFunctions &instance);
  void chooseMemory(const InstanceFunctions &instance);

  DeviceFacts facts_;
  std::unique_ptr<const Instance> adoptedFrom_; // null: Tegula created the device
  VkDevice device_ = VK_NULL_HANDLE;
  DeviceFunctions api_;
  bool unified_ = false;
  uint32_t deviceType_ = 0, hostType_ = 0;
  std::atomic<State> state_ = State::Working;
  mutable std::mutex failureMutex_;
  std::string failure_; // the error that made the device unusable
  std::optional<uint64_t> limitNanoseconds_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::atomic<uint32_t> nextQueue_ = 0;
  /// Guards the members below. Recursive: `collect` holds it while it waits, so that no stream is removed meanwhile,
  /// and a wait with a time limit calls endedWork, which locks it again.
  std::recursive_mutex mutex_;
  std::vector<std::shared_ptr<Timeline>> timelines_;
  uint64_t endedOfRemoved_ = 0; // submissions of streams that were removed
  std::vector<Retired> retired_;
};

} // namespace tegula::vulkan
