// An open device: the state shared by its memory, streams and kernels. Destroyed after all of them.
#pragma once

#include "backends/vulkan/driver/Facts.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace tegula::vulkan {

/// A stream's progress: each submission sets the semaphore to its number.
struct Timeline {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::atomic<uint64_t> submitted = 0;
  std::atomic<uint64_t> completed = 0; // the highest value seen on the semaphore
};

/// Vulkan requires external synchronisation of submissions: a Queue is locked like a mutex.
struct Queue {
  VkQueue handle = VK_NULL_HANDLE;
  std::mutex mutex;
  std::function<void()> onLock, onUnlock; // of the caller whose queue it is

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
  /// On a device of the caller's.
  Context(DeviceFacts facts, std::unique_ptr<const Instance> instance, const NativeDevice &native);
  ~Context();
  Context(const Context &) = delete;

  const DeviceFacts &facts() const { return facts_; }
  VkDevice device() const { return device_; }
  const DeviceFunctions &api() const { return api_; }
  /// Whether the device is the caller's: the queue also has work that Tegula knows nothing of.
  bool isAdopted() const { return adoptedFrom_ != nullptr; }
  /// Whether the host can access device memory: then the host does all copies.
  bool unified() const { return unified_; }
  uint32_t deviceMemoryType() const { return deviceType_; }
  uint32_t hostMemoryType() const { return hostType_; }

  /// Returns the queues in turn; more streams than queues share them.
  Queue &nextQueue();

  /// Throws the error that ended the device's use, if any: the loss of the device, or work that did not end in time.
  /// Every function that starts work calls it first; functions that release resources do not.
  void expectWorking() const {
    if (state_.load(std::memory_order_acquire) != State::Working) [[unlikely]]
      throwFailure();
  }
  /// Like vulkan::check; VK_ERROR_DEVICE_LOST also ends the device's use.
  void check(VkResult result, std::string_view function, std::string_view doing);
  /// Whether work that exceeded the time limit may still run: resources that it uses are neither waited for nor
  /// released.
  bool isStuck();
  /// Keeps a resource of stuck work until the process ends.
  static void keepForever(std::shared_ptr<void> used);

  std::shared_ptr<Timeline> addTimeline();
  /// All of the timeline's work must be done.
  void removeTimeline(const std::shared_ptr<Timeline> &timeline);
  /// Waits until the timeline has reached the value. Ends the device's use and throws if none of the device's work ends
  /// within TEGULA_TIMEOUT seconds.
  void wait(Timeline &timeline, uint64_t value);
  /// Whether the timeline has reached the value. True for every value on a lost device, which runs nothing any more.
  bool reached(Timeline &timeline, uint64_t value);

  /// Runs `destroy` once all work submitted before this call is done: in a later call of `collect`, or at the end.
  void retire(std::function<void()> destroy);
  /// Runs the `destroy` functions whose work is done; with `waiting`, waits for all of them.
  void collect(bool waiting = false);
  /// Waits for the device and runs all `destroy` functions, also on a lost device; does nothing while work is stuck.
  void collectAll() noexcept;

  /// Bytes of device memory in all blocks, for messages.
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
  /// The number of submissions of all streams that have ended.
  uint64_t endedWork();
  void createDevice(const InstanceFunctions &instance);
  void fillFunctions(const InstanceFunctions &instance);
  void chooseMemory(const InstanceFunctions &instance);

  DeviceFacts facts_;
  std::unique_ptr<const Instance> adoptedFrom_; // null: the device is our own
  VkDevice device_ = VK_NULL_HANDLE;
  DeviceFunctions api_;
  bool unified_ = false;
  uint32_t deviceType_ = 0, hostType_ = 0;
  std::atomic<State> state_ = State::Working;
  mutable std::mutex failureMutex_;
  std::string failure_; // the error that ended the device's use
  std::optional<uint64_t> limitNanoseconds_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::atomic<uint32_t> nextQueue_ = 0;
  /// Guards the members below. `collect` holds it while it waits, so that no stream is removed meanwhile, and a wait
  /// with a time limit asks for the ended work: therefore recursive.
  std::recursive_mutex mutex_;
  std::vector<std::shared_ptr<Timeline>> timelines_;
  uint64_t endedOfRemoved_ = 0; // submissions of streams that are gone
  std::vector<Retired> retired_;
};

} // namespace tegula::vulkan
