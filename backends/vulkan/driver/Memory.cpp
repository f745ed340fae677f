#include "backends/vulkan/driver/Memory.h"
#include "backends/vulkan/driver/Result.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::vulkan {
namespace {

constexpr VkDeviceSize kSharedBlockBytes = VkDeviceSize(8) << 20;
constexpr VkDeviceSize kLargestShared = kSharedBlockBytes / 8; // a larger allocation gets a block of its own

class OutOfMemory : public Error {
public:
  OutOfMemory(const Context &context, uint64_t bytes, const std::string &why)
      : Error("out of memory: " + std::to_string(bytes) + " bytes cannot be allocated on " + context.facts().name +
              ", which has " + std::to_string(context.facts().memoryBytes) + " bytes; this process holds " +
              std::to_string(context.heldBytes) + " of them (" + why + ")") {}
};

} // namespace

Block::Block(Context &context, Where where, VkDeviceSize bytes) : context_(context), size_(bytes) {
  const DeviceFunctions &api = context.api();
  std::string doing = "allocate " + std::to_string(bytes) + " bytes on " + context.facts().name;
  auto check = [&](VkResult result, const char *function, const std::string &what) {
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
        result == VK_ERROR_TOO_MANY_OBJECTS || result == VK_ERROR_MEMORY_MAP_FAILED)
      throw OutOfMemory(context, bytes, function + (" failed with " + resultName(result)));
    vulkan::check(result, function, what);
  };
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  check(api.CreateBuffer(context.device(), &info, nullptr, &buffer_), "vkCreateBuffer", doing);
  try {
    VkMemoryRequirements needs;
    api.GetBufferMemoryRequirements(context.device(), buffer_, &needs);
    uint32_t type = where == Where::Host ? context.hostMemoryType() : context.deviceMemoryType();
    if (!(needs.memoryTypeBits >> type & 1))
      throw Error("memory type " + std::to_string(type) + " of " + context.facts().name + " cannot hold buffers");
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.pNext = &flags;
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = type;
    check(api.AllocateMemory(context.device(), &allocate, nullptr, &memory_), "vkAllocateMemory", doing);
    check(api.BindBufferMemory(context.device(), buffer_, memory_, 0), "vkBindBufferMemory", doing);
    if (where == Where::Host || context.unified()) {
      void *mapped = nullptr;
      check(api.MapMemory(context.device(), memory_, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory", doing);
      mapped_ = static_cast<std::byte *>(mapped);
    }
    VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    address.buffer = buffer_;
    address_ = api.GetBufferDeviceAddress(context.device(), &address);
    if (where == Where::Device || context.unified())
      held_ = size_;
    context.heldBytes += held_;
  } catch (...) {
    api.DestroyBuffer(context.device(), buffer_, nullptr);
    api.FreeMemory(context.device(), memory_, nullptr);
    throw;
  }
}

Block::Block(Context &context, VkBuffer buffer, VkDeviceAddress address, VkDeviceSize bytes)
    : context_(context), buffer_(buffer), address_(address), size_(bytes), isForeign_(true) {}

Block::~Block() {
  if (isForeign_)
    return;
  context_.heldBytes -= held_;
  context_.api().DestroyBuffer(context_.device(), buffer_, nullptr);
  context_.api().FreeMemory(context_.device(), memory_, nullptr);
}

std::unique_ptr<Allocation> Heap::tryShared(VkDeviceSize size) {
  for (SharedBlock &shared : shared_)
    for (auto [offset, room] : shared.free) {
      if (room < size)
        continue;
      shared.free.erase(offset);
      if (room > size)
        shared.free.emplace(offset + size, room - size);
      return std::make_unique<Allocation>(Allocation{shared.block.get(), offset, size});
    }
  return nullptr;
}

Allocation *Heap::allocate(size_t bytes) {
  uint64_t limit = context_.facts().maxAllocation;
  if (bytes > limit || bytes > limit - std::min<uint64_t>(limit, Allocation::kAlignment))
    throw Error("out of memory: " + std::to_string(bytes) + " bytes in one piece cannot be allocated on " +
                context_.facts().name + ", whose limit is " + std::to_string(limit));
  VkDeviceSize size = std::max<VkDeviceSize>(1, bytes);
  size = (size + Allocation::kAlignment - 1) / Allocation::kAlignment * Allocation::kAlignment;
  context_.collect();
  try {
    return take(size);
  } catch (const OutOfMemory &) {
    context_.collect(/*waiting=*/true); // waits, because work that is still running may use freed memory
    return take(size);
  }
}

Allocation *Heap::take(VkDeviceSize size) {
  std::lock_guard lock(mutex_);
  if (size <= kLargestShared) {
    if (std::unique_ptr<Allocation> found = tryShared(size))
      return found.release();
    try {
      auto block = std::make_unique<Block>(context_, Block::Where::Device, kSharedBlockBytes);
      shared_.push_back({std::move(block), {{0, kSharedBlockBytes}}});
      return tryShared(size).release();
    } catch (const OutOfMemory &) {
      // The device has no memory for another block of kSharedBlockBytes, but a block of exactly `size` bytes may fit.
    }
  }
  auto block = std::make_unique<Block>(context_, Block::Where::Device, size);
  auto allocation = std::make_unique<Allocation>(Allocation{block.get(), 0, size});
  own_.emplace(block.get(), std::move(block));
  return allocation.release();
}

void Heap::free(Allocation *allocation) {
  context_.retire([this, allocation] { release(allocation); });
}

void Heap::release(Allocation *allocation) {
  std::unique_ptr<Allocation> owned(allocation);
  std::lock_guard lock(mutex_);
  if (own_.erase(allocation->block))
    return;
  auto shared = std::find_if(shared_.begin(), shared_.end(),
                             [&](const SharedBlock &item) { return item.block.get() == allocation->block; });
  auto [at, isNew] = shared->free.emplace(allocation->offset, allocation->size);
  if (auto after = std::next(at); after != shared->free.end() && at->first + at->second == after->first) {
    at->second += after->second;
    shared->free.erase(after);
  }
  if (at != shared->free.begin())
    if (auto before = std::prev(at); before->first + before->second == at->first) {
      before->second += at->second;
      shared->free.erase(at);
    }
}

} // namespace tegula::vulkan
