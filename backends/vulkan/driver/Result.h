// Turns results of API calls into errors that name the function, the result and the purpose of the call.
#pragma once

#include "backends/vulkan/driver/Api.h"

#include <string>
#include <string_view>

namespace tegula::vulkan {

/// The name of a result, `VK_ERROR_OUT_OF_DEVICE_MEMORY`, or `VkResult 17` if it is unknown.
std::string resultName(VkResult result);

/// The message of a failed call, such as `vkAllocateMemory failed with VK_ERROR_...: it was to DOING`; `doing` is the
/// text DOING.
std::string failureText(VkResult result, std::string_view function, std::string_view doing);

/// Throws tegula::Error with failureText if the result is an error. A call that can return VK_ERROR_DEVICE_LOST uses
/// Context::check instead.
[[noreturn]] void fail(VkResult result, std::string_view function, std::string_view doing);
inline void check(VkResult result, std::string_view function, std::string_view doing) {
  if (result < 0) [[unlikely]]
    fail(result, function, doing);
}

} // namespace tegula::vulkan
