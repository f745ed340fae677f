// Devices, memory and queues that the caller has created.
#include "backends/vulkan/driver/Driver.h"
#include "core/support/Diagnostic.h"

namespace tegula::vulkan {
namespace {

/// An allocation and its block that describe the caller's memory without owning it.
struct ForeignAllocation : Allocation {
  ForeignAllocation(Context &context, const NativeMemory &memory)
      : owned(context, static_cast<VkBuffer>(memory.handle), memory.address - memory.handleOffset,
              memory.handleOffset + memory.bytes) {
    block = &owned;
    offset = memory.handleOffset;
    size = memory.bytes;
  }
  Block owned;
};

} // namespace

VulkanDriver::VulkanDriver(DeviceFacts facts, std::unique_ptr<const Instance> instance, const NativeDevice &native)
    : info_(vulkan::describe("vulkan:adopted", facts)),
      context_(std::make_shared<Context>(std::move(facts), std::move(instance), native)),
      heap_(std::make_unique<Heap>(*context_)) {}

DeviceMemory VulkanDriver::wrapMemory(const NativeMemory &memory) {
  if (!context_->isAdopted())
    throw Error("device " + info_.name +
                " cannot use memory that it did not allocate: only memory of a device that was adopted can be wrapped");
  if (!memory.handle)
    throw Error("device " + info_.name + " needs the handle of the VkBuffer that holds the memory");
  Allocation *made = new ForeignAllocation(*context_, memory);
  return {made, memory.address, memory.bytes};
}

void VulkanDriver::unwrapMemory(const DeviceMemory &memory) {
  delete static_cast<ForeignAllocation *>(static_cast<Allocation *>(memory.handle));
}

void *VulkanDriver::wrapStream(void *native) {
  if (!context_->isAdopted() || native != context_->nextQueue().handle)
    throw Error("device " + info_.name + " can use no queue of the caller's, but the one of a device that was adopted");
  return createStream();
}

} // namespace tegula::vulkan
