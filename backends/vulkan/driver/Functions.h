// Tables of the Vulkan functions that the driver calls. They are filled when an instance or a device is created.
#pragma once

#include "backends/vulkan/driver/Api.h"

#define TEGULA_VULKAN_INSTANCE_FUNCTIONS(X)                                                                            \
  X(DestroyInstance)                                                                                                   \
  X(EnumeratePhysicalDevices)                                                                                          \
  X(EnumerateDeviceExtensionProperties)                                                                                \
  X(GetPhysicalDeviceProperties)                                                                                       \
  X(GetPhysicalDeviceProperties2)                                                                                      \
  X(GetPhysicalDeviceFeatures2)                                                                                        \
  X(GetPhysicalDeviceMemoryProperties)                                                                                 \
  X(GetPhysicalDeviceQueueFamilyProperties)                                                                            \
  X(CreateDevice)                                                                                                      \
  X(GetDeviceProcAddr)

#define TEGULA_VULKAN_DEVICE_FUNCTIONS(X)                                                                              \
  X(DestroyDevice)                                                                                                     \
  X(GetDeviceQueue)                                                                                                    \
  X(DeviceWaitIdle)                                                                                                    \
  X(QueueSubmit)                                                                                                       \
  X(AllocateMemory)                                                                                                    \
  X(FreeMemory)                                                                                                        \
  X(MapMemory)                                                                                                         \
  X(CreateBuffer)                                                                                                      \
  X(DestroyBuffer)                                                                                                     \
  X(GetBufferMemoryRequirements)                                                                                       \
  X(BindBufferMemory)                                                                                                  \
  X(GetBufferDeviceAddress)                                                                                            \
  X(CreateCommandPool)                                                                                                 \
  X(DestroyCommandPool)                                                                                                \
  X(AllocateCommandBuffers)                                                                                            \
  X(BeginCommandBuffer)                                                                                                \
  X(EndCommandBuffer)                                                                                                  \
  X(CmdPipelineBarrier)                                                                                                \
  X(CmdCopyBuffer)                                                                                                     \
  X(CmdFillBuffer)                                                                                                     \
  X(CmdBindPipeline)                                                                                                   \
  X(CmdPushConstants)                                                                                                  \
  X(CmdDispatch)                                                                                                       \
  X(CmdWriteTimestamp)                                                                                                 \
  X(CreateSemaphore)                                                                                                   \
  X(DestroySemaphore)                                                                                                  \
  X(WaitSemaphores)                                                                                                    \
  X(GetSemaphoreCounterValue)                                                                                          \
  X(CreateQueryPool)                                                                                                   \
  X(DestroyQueryPool)                                                                                                  \
  X(ResetQueryPool)                                                                                                    \
  X(GetQueryPoolResults)                                                                                               \
  X(CreateShaderModule)                                                                                                \
  X(DestroyShaderModule)                                                                                               \
  X(CreatePipelineLayout)                                                                                              \
  X(DestroyPipelineLayout)                                                                                             \
  X(CreatePipelineCache)                                                                                               \
  X(DestroyPipelineCache)                                                                                              \
  X(GetPipelineCacheData)                                                                                              \
  X(CreateComputePipelines)                                                                                            \
  X(DestroyPipeline)

namespace tegula::vulkan {

/// Members have the specification's names without `vk`.
struct InstanceFunctions {
#define TEGULA_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;
  TEGULA_VULKAN_INSTANCE_FUNCTIONS(TEGULA_VULKAN_MEMBER)
  // Each of these functions belongs to an extension, and is null if the extension is missing.
  newer::GetCooperativeMatrixRows GetCooperativeMatrixRows = nullptr;
  newer::GetFlexibleMatrixRows GetFlexibleMatrixRows = nullptr;
  PFN_vkGetPhysicalDeviceToolPropertiesEXT GetPhysicalDeviceToolProperties = nullptr;
};

struct DeviceFunctions {
  TEGULA_VULKAN_DEVICE_FUNCTIONS(TEGULA_VULKAN_MEMBER)
#undef TEGULA_VULKAN_MEMBER
};

} // namespace tegula::vulkan
