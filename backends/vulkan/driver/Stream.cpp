#include "backends/vulkan/driver/Stream.h"
#include "backends/vulkan/driver/Result.h"
#include "core/support/Diagnostic.h"

namespace tegula::vulkan {
namespace {

/// The largest number of submissions in flight. The limit bounds the memory that they hold; a far smaller one would
/// also be enough to hide the host's latency.
constexpr size_t kMaxInFlight = 128;

/// How many submissions after an event end with a timestamp; all others end without one. A second event that follows
/// soon, as when a launch is timed, can use the timestamp of the last submission.
constexpr uint32_t kStampedBehindEvent = 8;

constexpr VkPipelineStageFlags kWork = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kWrites = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags kReads = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

} // namespace

Stream::Stream(Context &context)
    : context_(context), queue_(context.nextQueue()), timeline_(context.addTimeline()),
      timestamps_(std::make_shared<Timestamps>(context)) {
  VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT | VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  info.queueFamilyIndex = context.facts().queueFamily;
  VkResult result = context.api().CreateCommandPool(context.device(), &info, nullptr, &pool_);
  if (result < 0) {
    context.removeTimeline(timeline_);
    fail(result, "vkCreateCommandPool", "make a stream");
  }
}

Stream::~Stream() {
  try {
    waitIdle();
  } catch (const std::exception &) {
    // A lost device executes nothing any more, but stuck work may still run.
    if (context_.isStuck()) {
      leave();
      return;
    }
  }
  context_.api().DestroyCommandPool(context_.device(), pool_, nullptr);
  context_.removeTimeline(timeline_);
}

void Stream::leave() {
  for (Commands &commands : commands_)
    Context::keepForever(std::move(commands.arguments));
  Context::keepForever(timestamps_);
  for (Staging &staging : staging_)
    Context::keepForever(std::move(staging.block));
}

Commands Stream::makeCommands() {
  Commands made;
  VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  check(context_.api().AllocateCommandBuffers(context_.device(), &info, &made.buffer), "vkAllocateCommandBuffers",
        "record work");
  return made;
}

Commands &Stream::begin() {
  bool recycle = !commands_.empty() && context_.reached(*timeline_, commands_.front().value);
  if (!recycle && commands_.size() >= kMaxInFlight) {
    wait(commands_.front().value);
    recycle = true;
  }
  if (recycle) {
    commands_.push_back(std::move(commands_.front()));
    commands_.pop_front();
  } else {
    commands_.push_back(makeCommands());
  }
  Commands &commands = commands_.back();
  // Value 0 means done: if recording fails below, the buffer is reused.
  commands.value = 0;
  if (commands.isOpen)
    context_.api().EndCommandBuffer(commands.buffer); // if recording failed before: begin resets the buffer
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(context_.api().BeginCommandBuffer(commands.buffer, &info), "vkBeginCommandBuffer", "record work");
  commands.isOpen = true;
  commands.end = stamped_ ? timestamps_->take() : nullptr;
  stamped_ -= stamped_ ? 1 : 0;
  // Submission order orders only the starts of commands: this barrier waits for all earlier work and its writes.
  if (context_.isAdopted())
    orderAll(commands);
  else
    order(commands, kWork, kWrites, kReads | kWrites);
  return commands;
}

/// Memory barrier: earlier commands of the queue and their writes complete before later commands.
void Stream::order(Commands &commands, VkPipelineStageFlags stages, VkAccessFlags writes, VkAccessFlags accesses) {
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = writes;
  barrier.dstAccessMask = accesses;
  context_.api().CmdPipelineBarrier(commands.buffer, stages, stages, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

/// Memory barrier on the caller's queue: it orders Tegula's commands and the caller's, of any kind.
void Stream::orderAll(Commands &commands) {
  order(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
        VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

uint64_t Stream::submit(bool writesForHost) {
  Commands &commands = commands_.back();
  const DeviceFunctions &api = context_.api();
  if (context_.isAdopted())
    orderAll(commands);
  if (writesForHost || context_.unified()) {
    VkMemoryBarrier toHost{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    toHost.srcAccessMask = kWrites;
    toHost.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    api.CmdPipelineBarrier(commands.buffer, kWork, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &toHost, 0, nullptr, 0, nullptr);
  }
  if (commands.end)
    api.CmdWriteTimestamp(commands.buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, commands.end->pool,
                          commands.end->index);
  commands.isOpen = false;
  check(api.EndCommandBuffer(commands.buffer), "vkEndCommandBuffer", "record work");
  uint64_t value = timeline_->submitted + 1;
  VkTimelineSemaphoreSubmitInfo counted{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  counted.signalSemaphoreValueCount = 1;
  counted.pSignalSemaphoreValues = &value;
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.pNext = &counted;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands.buffer;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &timeline_->semaphore;
  {
    std::lock_guard lock(queue_);
    context_.check(api.QueueSubmit(queue_.handle, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit", "start work");
  }
  commands.value = value;
  timeline_->submitted = value;
  return value;
}

std::pair<uint64_t, Timestamp> Stream::mark() {
  if (context_.facts().timestampBits == 0)
    throw Error("the device " + context_.facts().name + " has no timestamps");
  // If the last submission is still running and ends with a timestamp, the event uses that timestamp. Otherwise an
  // empty submission writes one; while work is running, it would also measure the empty submission's own start.
  bool isBusy = !commands_.empty() && commands_.back().value && commands_.back().end &&
                !context_.reached(*timeline_, commands_.back().value);
  stamped_ = kStampedBehindEvent;
  if (!isBusy) {
    begin();
    submit();
  }
  return {commands_.back().value, commands_.back().end};
}

Block &Stream::arguments(Commands &commands, VkDeviceSize bytes) {
  if (!commands.arguments || commands.arguments->size() < bytes)
    commands.arguments = std::make_unique<Block>(context_, Block::Where::Host, (bytes + 4095) / 4096 * 4096);
  return *commands.arguments;
}

} // namespace tegula::vulkan
