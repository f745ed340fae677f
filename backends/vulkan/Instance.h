// The Vulkan library of this process: opened at run time, never linked.
#pragma once

#include "backends/vulkan/Functions.h"

#include <string>
#include <vector>

namespace tegula::vulkan {

/// `1.3` of an encoded version.
std::string versionText(uint32_t version);

/// An instance of one library. It lives as long as the process, because drivers may run threads of their own.
class Instance {
public:
  /// The library is $TEGULA_VULKAN_LIBRARY, else libvulkan.so.1; opened at the first call. Throws tegula::Error with
  /// the reason why it cannot be used: missing, no Vulkan library, too old.
  static const Instance &get();

  const InstanceFunctions &api() const { return api_; }
  /// The smaller of the instance's version and the newest that the driver uses: VK_API_VERSION_1_2 or 1_3.
  uint32_t version() const { return version_; }
  std::vector<VkPhysicalDevice> physicalDevices() const;

private:
  explicit Instance(const std::string &library);
  VkInstance handle_ = VK_NULL_HANDLE;
  uint32_t version_ = 0;
  InstanceFunctions api_;
};

} // namespace tegula::vulkan
