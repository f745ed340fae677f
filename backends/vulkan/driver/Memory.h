// Device memory: buffers with device addresses. Small allocations share a block, because drivers allow only a few
// thousand memory objects (VkPhysicalDeviceLimits::maxMemoryAllocationCount).
#pragma once

#include "backends/vulkan/driver/Context.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace tegula::vulkan {

/// A VkBuffer with its own memory.
class Block {
public:
  enum class Where : uint8_t { Device, Host };
  /// Throws tegula::Error if memory is exhausted.
  Block(Context &context, Where where, VkDeviceSize bytes);
  /// Wraps a buffer of the caller; `address` is the device address of its first byte.
  Block(Context &context, VkBuffer buffer, VkDeviceAddress address, VkDeviceSize bytes);
  ~Block();
  Block(const Block &) = delete;

  VkBuffer buffer() const { return buffer_; }
  VkDeviceAddress address() const { return address_; }
  std::byte *mapped() const { return mapped_; } // null if the host cannot access the block
  VkDeviceSize size() const { return size_; }

private:
  Context &context_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceAddress address_ = 0;
  std::byte *mapped_ = nullptr;
  VkDeviceSize size_, held_ = 0; // held_: bytes of device memory
  bool isForeign_ = false;
};

/// A range of a block. Its size is rounded up to kAlignment, so that an access of up to 16 bytes that contains a narrow
/// element stays inside.
struct Allocation {
  static constexpr VkDeviceSize kAlignment = 256;
  Block *block = nullptr;
  VkDeviceSize offset = 0, size = 0;

  VkDeviceAddress address() const { return block->address() + offset; }
  std::byte *mapped() const { return block->mapped() ? block->mapped() + offset : nullptr; }
};

class Heap {
public:
  explicit Heap(Context &context) : context_(context) {}

  /// Allocates device memory. If that fails, throws tegula::Error with the requested size and the device's limit.
  Allocation *allocate(size_t bytes);
  /// Releases the memory after all work submitted so far is done.
  void free(Allocation *allocation);

private:
  struct SharedBlock {
    std::unique_ptr<Block> block;
    std::map<VkDeviceSize, VkDeviceSize> free; // offset -> size; adjacent ranges are merged
  };
  Allocation *take(VkDeviceSize size);
  std::unique_ptr<Allocation> tryShared(VkDeviceSize size);
  void release(Allocation *allocation);

  Context &context_;
  std::mutex mutex_;
  std::vector<SharedBlock> shared_;
  std::map<Block *, std::unique_ptr<Block>> own_;
};

} // namespace tegula::vulkan
