#include "backends/vulkan/driver/Result.h"
#include "core/support/Diagnostic.h"

namespace tegula::vulkan {

std::string resultName(VkResult result) {
  switch (result) {
#define TEGULA_VULKAN_NAME(name)                                                                                       \
  case name: return #name;
    TEGULA_VULKAN_NAME(VK_SUCCESS)
    TEGULA_VULKAN_NAME(VK_NOT_READY)
    TEGULA_VULKAN_NAME(VK_TIMEOUT)
    TEGULA_VULKAN_NAME(VK_INCOMPLETE)
    TEGULA_VULKAN_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    TEGULA_VULKAN_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    TEGULA_VULKAN_NAME(VK_ERROR_INITIALIZATION_FAILED)
    TEGULA_VULKAN_NAME(VK_ERROR_DEVICE_LOST)
    TEGULA_VULKAN_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    TEGULA_VULKAN_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    TEGULA_VULKAN_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    TEGULA_VULKAN_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    TEGULA_VULKAN_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    TEGULA_VULKAN_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    TEGULA_VULKAN_NAME(VK_ERROR_FRAGMENTED_POOL)
    TEGULA_VULKAN_NAME(VK_ERROR_UNKNOWN)
    TEGULA_VULKAN_NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
    TEGULA_VULKAN_NAME(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
    TEGULA_VULKAN_NAME(VK_ERROR_INVALID_SHADER_NV)
#undef TEGULA_VULKAN_NAME
  default: return "VkResult " + std::to_string(static_cast<int>(result));
  }
}

std::string failureText(VkResult result, std::string_view function, std::string_view doing) {
  std::string message =
      std::string(function) + " failed with " + resultName(result) + ": it was to " + std::string(doing);
  if (result == VK_ERROR_DEVICE_LOST)
    message += "; the device stopped working, which a kernel that accesses memory out of bounds or runs for seconds "
               "can cause: open it again in a new process; a checked launch on the device cpu (--check, or "
               "TRITON_INTERPRET=1) shows an access out of bounds";
  return message;
}

void fail(VkResult result, std::string_view function, std::string_view doing) {
  Diagnostic failure;
  failure.message = failureText(result, function, doing);
  failure.isDeviceFailure = result == VK_ERROR_DEVICE_LOST;
  throw Error(std::move(failure));
}

} // namespace tegula::vulkan
