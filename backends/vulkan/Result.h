// Results of API calls as errors: the function, the result's name, what was being done.
#pragma once

#include "backends/vulkan/Api.h"

#include <string>
#include <string_view>

namespace tegula::vulkan {

/// `VK_ERROR_OUT_OF_DEVICE_MEMORY`; `VkResult 17` where unknown.
std::string resultName(VkResult result);

/// Throws tegula::Error `vkAllocateMemory failed with VK_ERROR_...: it was to DOING` for errors; other results pass.
[[noreturn]] void fail(VkResult result, std::string_view function, std::string_view doing);
inline void check(VkResult result, std::string_view function, std::string_view doing) {
  if (result < 0) [[unlikely]]
    fail(result, function, doing);
}

} // namespace tegula::vulkan
