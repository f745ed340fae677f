// Copies and fills: by the host if it can access the device's memory, otherwise through staging memory.
#include "backends/vulkan/driver/Result.h"
#include "backends/vulkan/driver/Stream.h"

#include <algorithm>
#include <cstring>

namespace tegula::vulkan {

Stream::Staging &Stream::nextStaging() {
  Staging &staging = staging_[nextStaging_++ % kStagingCount];
  if (!staging.block)
    staging.block = std::make_unique<Block>(context_, Block::Where::Host, kStagingBytes);
  wait(staging.value);
  return staging;
}

uint64_t Stream::copy(VkBuffer from, VkDeviceSize fromOffset, VkBuffer to, VkDeviceSize toOffset, VkDeviceSize bytes,
                      bool isForHost) {
  Commands &commands = begin();
  VkBufferCopy region{fromOffset, toOffset, bytes};
  context_.api().CmdCopyBuffer(commands.buffer, from, to, 1, &region);
  return submit(isForHost);
}

void Stream::copyToDevice(const Allocation &to, size_t offset, const void *from, size_t bytes) {
  if (to.mapped()) {
    waitIdle();
    std::memcpy(to.mapped() + offset, from, bytes);
    return;
  }
  const auto *source = static_cast<const std::byte *>(from);
  for (size_t done = 0; done < bytes;) {
    size_t part = std::min<size_t>(bytes - done, kStagingBytes);
    Staging &staging = nextStaging();
    std::memcpy(staging.block->mapped(), source + done, part);
    staging.value = copy(staging.block->buffer(), 0, to.block->buffer(), to.offset + offset + done, part);
    done += part;
  }
}

void Stream::copyToHost(void *to, const Allocation &from, size_t offset, size_t bytes) {
  if (from.mapped()) {
    waitIdle();
    std::memcpy(to, from.mapped() + offset, bytes);
    return;
  }
  // A part of the copy, on its way through one piece of staging memory: while the host copies from the piece that was
  // filled first, the device fills up to kStagingCount - 1 further pieces.
  struct Part {
    Staging *staging;
    size_t at, bytes;
  };
  std::deque<Part> ahead;
  auto *target = static_cast<std::byte *>(to);
  for (size_t asked = 0; asked < bytes || !ahead.empty();) {
    if (asked < bytes && ahead.size() < kStagingCount) {
      size_t part = std::min<size_t>(bytes - asked, kStagingBytes);
      Staging &staging = nextStaging();
      staging.value = copy(from.block->buffer(), from.offset + offset + asked, staging.block->buffer(), 0, part, true);
      ahead.push_back({&staging, asked, part});
      asked += part;
      continue;
    }
    Part part = ahead.front();
    ahead.pop_front();
    wait(part.staging->value);
    std::memcpy(target + part.at, part.staging->block->mapped(), part.bytes);
  }
}

void Stream::copyOnDevice(const Allocation &to, size_t toOffset, const Allocation &from, size_t fromOffset,
                          size_t bytes) {
  if (bytes > 0)
    copy(from.block->buffer(), from.offset + fromOffset, to.block->buffer(), to.offset + toOffset, bytes);
}

void Stream::fill(const Allocation &to, size_t offset, uint8_t value, size_t bytes) {
  if (to.mapped()) {
    waitIdle();
    std::memset(to.mapped() + offset, value, bytes);
    return;
  }
  // vkCmdFillBuffer writes whole words. The bytes before the first and after the last whole word are copied from
  // staging memory.
  size_t begin = to.offset + offset, end = begin + bytes;
  size_t wordsBegin = std::min((begin + 3) / 4 * 4, end), wordsEnd = std::max(end / 4 * 4, wordsBegin);
  if (wordsEnd > wordsBegin) {
    Commands &commands = this->begin();
    context_.api().CmdFillBuffer(commands.buffer, to.block->buffer(), wordsBegin, wordsEnd - wordsBegin,
                                 value * 0x01010101u);
    submit();
  }
  for (auto [from, until] : {std::pair(begin, wordsBegin), std::pair(wordsEnd, end)}) {
    if (from >= until)
      continue;
    Staging &staging = nextStaging();
    std::memset(staging.block->mapped(), value, until - from);
    staging.value = copy(staging.block->buffer(), 0, to.block->buffer(), from, until - from);
  }
}

} // namespace tegula::vulkan
