// A stream: it submits command buffers in order to one queue, counts them by a timeline semaphore, and owns staging
// memory.
#pragma once

#include "backends/vulkan/driver/Memory.h"

#include <deque>

namespace tegula::vulkan {

/// A timestamp query: a pool and an index in it.
struct TimestampSlot {
  VkQueryPool pool = VK_NULL_HANDLE;
  uint32_t index = 0;
};
/// Shared by the commands that write the timestamp and the events that refer to it.
using Timestamp = std::shared_ptr<const TimestampSlot>;

/// Timestamp queries of a stream, each used once between two resets of its pool. The host resets a pool while none of
/// its queries is in use: a reset by the device would cost each launch microseconds.
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

/// The device's clock at the timestamp, in ticks of the device.
uint64_t readTimestamp(Context &context, const TimestampSlot &slot);

/// A command buffer and the resources that its commands use.
struct Commands {
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  uint64_t value = 0;               // the timeline's value when the commands are done
  bool isOpen = false;              // between begin and submit, or if recording failed between them
  std::unique_ptr<Block> arguments; // argument blocks of kernels that read them from a buffer
  Timestamp end;                    // written when all commands are done; null if no event was recorded recently
};

class Stream {
public:
  explicit Stream(Context &context);
  /// Waits for the stream's work, unless the work is stuck.
  ~Stream();
  Stream(const Stream &) = delete;

  /// Several threads may use a stream: each holds this mutex around the calls below.
  std::mutex &mutex() { return mutex_; }

  /// Opens a command buffer; its commands run after all earlier work of this stream.
  Commands &begin();
  /// Closes and submits the commands of begin(). Returns the value that the stream's timeline reaches when the commands
  /// are done. `writesForHost`: the commands write staging memory that the host reads.
  uint64_t submit(bool writesForHost = false);
  /// Marks the end of the work submitted so far, or the present if no work is running. Returns the timeline's value at
  /// that point and a timestamp. Throws tegula::Error if the device has no timestamps.
  std::pair<uint64_t, Timestamp> mark();
  void wait(uint64_t value) { context_.wait(*timeline_, value); }
  void waitIdle() { wait(timeline_->submitted); }
  const std::shared_ptr<Timeline> &timeline() const { return timeline_; }

  void copyToDevice(const Allocation &to, size_t offset, const void *from, size_t bytes);
  void copyToHost(void *to, const Allocation &from, size_t offset, size_t bytes);
  void copyOnDevice(const Allocation &to, size_t toOffset, const Allocation &from, size_t fromOffset, size_t bytes);
  void fill(const Allocation &to, size_t offset, uint8_t value, size_t bytes);
  /// Host-visible memory for the commands' arguments, of at least `bytes`.
  Block &arguments(Commands &commands, VkDeviceSize bytes);

private:
  struct Staging {
    std::unique_ptr<Block> block;
    uint64_t value = 0; // the timeline's value when the last copy through this piece is done
  };
  static constexpr VkDeviceSize kStagingBytes = VkDeviceSize(4) << 20;
  static constexpr size_t kStagingCount = 4;
  /// Returns the piece of staging memory that was used longest ago, after waiting until the last copy through it is
  /// done.
  Staging &nextStaging();
  uint64_t copy(VkBuffer from, VkDeviceSize fromOffset, VkBuffer to, VkDeviceSize toOffset, VkDeviceSize bytes,
                bool isForHost = false);
  Commands makeCommands();
  void order(Commands &commands, VkPipelineStageFlags stages, VkAccessFlags writes, VkAccessFlags accesses);
  void orderAll(Commands &commands);
  /// Keeps resources of stuck work until the process ends.
  void leave();

  Context &context_;
  Queue &queue_;
  std::shared_ptr<Timeline> timeline_;
  std::shared_ptr<Timestamps> timestamps_;
  uint32_t stamped_ = 0; // the number of further submissions that end with a timestamp
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::deque<Commands> commands_; // in submission order; the last one is open between begin and submit
  std::array<Staging, kStagingCount> staging_;
  size_t nextStaging_ = 0;
  std::mutex mutex_;
};

} // namespace tegula::vulkan
