// A stream: command buffers submitted to one queue in order, a timeline semaphore that counts them, staging memory.
#pragma once

#include "backends/vulkan/Memory.h"

#include <deque>

namespace tegula::vulkan {

/// A timestamp query's place.
struct TimestampSlot {
  VkQueryPool pool = VK_NULL_HANDLE;
  uint32_t index = 0;
};
/// Shared by the commands that write it and the events that stand for them.
using Timestamp = std::shared_ptr<const TimestampSlot>;

/// Timestamp queries of a stream, each used once between two resets of its pool. The host resets, when none of a pool's
/// is under way: reset by the device, each would cost a launch microseconds.
class Timestamps : public std::enable_shared_from_this<Timestamps> {
public:
  explicit Timestamps(Context &context) : context_(context) {}
  ~Timestamps();
  Timestamp take();

private:
  static constexpr uint32_t kPoolSize = 256;
  struct Pool {
    VkQueryPool handle = VK_NULL_HANDLE;
    uint32_t taken = 0, held = 0;
  };
  Pool &poolWithRoom();
  Context &context_;
  std::mutex mutex_;
  std::deque<Pool> pools_;
};

/// The device's clock where the slot was written, in its ticks.
uint64_t readTimestamp(Context &context, const TimestampSlot &slot);

/// One command buffer and what its commands use.
struct Commands {
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  uint64_t value = 0;               // of the timeline once it is done
  bool isOpen = false;              // between begin and submit, or left so by an error in between
  std::unique_ptr<Block> arguments; // argument blocks of kernels that take them through a buffer
  Timestamp end;                    // written when all is done; null where no event was near
};

class Stream {
public:
  explicit Stream(Context &context);
  /// Waits for its work, as far as it ends.
  ~Stream();
  Stream(const Stream &) = delete;

  /// Streams may be used from several threads; hold this around a call of what follows.
  std::mutex &mutex() { return mutex_; }

  /// A command buffer that is open and ordered after everything before in this stream.
  Commands &begin();
  /// Closes and submits what begin() gave; returns the value that the timeline reaches once it is done.
  /// `writesForHost`: to memory that the host reads although it does not see the device's.
  uint64_t submit(bool writesForHost = false);
  /// The end of what was submitted before, which is now where nothing is under way: the timeline's value there, and the
  /// time. Throws tegula::Error where the device has no timestamps.
  std::pair<uint64_t, Timestamp> mark();
  void wait(uint64_t value) { context_.wait(*timeline_, value); }
  void waitIdle() { wait(timeline_->submitted); }
  const std::shared_ptr<Timeline> &timeline() const { return timeline_; }

  void copyToDevice(const Allocation &to, size_t offset, const void *from, size_t bytes);
  void copyToHost(void *to, const Allocation &from, size_t offset, size_t bytes);
  void copyOnDevice(const Allocation &to, size_t toOffset, const Allocation &from, size_t fromOffset, size_t bytes);
  void fill(const Allocation &to, size_t offset, uint8_t value, size_t bytes);
  /// Memory for the commands' arguments that the host sees, at least so large.
  Block &arguments(Commands &commands, VkDeviceSize bytes);

private:
  struct Staging {
    std::unique_ptr<Block> block;
    uint64_t value = 0; // of the timeline once its last copy is done
  };
  static constexpr VkDeviceSize kStagingBytes = VkDeviceSize(4) << 20;
  static constexpr size_t kStagingCount = 4;
  /// The least recently used piece, free to write to.
  Staging &nextStaging();
  uint64_t copy(VkBuffer from, VkDeviceSize fromOffset, VkBuffer to, VkDeviceSize toOffset, VkDeviceSize bytes,
                bool isForHost = false);
  Commands makeCommands();
  /// Gives up what running work uses, for as long as the process lives.
  void leave();

  Context &context_;
  Queue &queue_;
  std::shared_ptr<Timeline> timeline_;
  std::shared_ptr<Timestamps> timestamps_;
  uint32_t stamped_ = 0; // further submissions that end with a timestamp
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::deque<Commands> commands_; // in the order of submission; the back one is open between begin and submit
  std::array<Staging, kStagingCount> staging_;
  size_t nextStaging_ = 0;
  std::mutex mutex_;
};

} // namespace tegula::vulkan
