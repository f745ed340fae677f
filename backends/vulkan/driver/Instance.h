// The Vulkan library of this process: opened at run time, never linked.
#pragma once

#include "backends/vulkan/driver/Functions.h"

#include <memory>
#include <string>
#include <vector>

namespace tegula::vulkan {

/// An encoded version as text, such as `1.3`.
std::string versionText(uint32_t version);

/// An instance of one library. It lives as long as the process, because drivers may run threads of their own.
class Instance {
public:
  /// The instance of the library that $TEGULA_VULKAN_LIBRARY names, or else of libvulkan.so.1; opened at the first
  /// call. `validated`: a separate instance with the validation layer. Throws tegula::Error that says why the library
  /// cannot be used: it is missing, is not a Vulkan library, is too old, or does not have the layer.
  static const Instance &get(bool validated = false);

  /// Wraps an instance that the caller has created, with the library that get() uses, for Vulkan version `version`.
  static std::unique_ptr<const Instance> of(VkInstance instance, uint32_t version);

  const InstanceFunctions &api() const { return api_; }
  /// The smaller of the instance's version and the newest that the driver uses: VK_API_VERSION_1_2 or 1_3.
  uint32_t version() const { return version_; }
  std::vector<VkPhysicalDevice> physicalDevices() const;

private:
  Instance() = default;
  Instance(const std::string &library, bool validated);
  void fill(PFN_vkGetInstanceProcAddr getAddress, const std::string &library);
  VkInstance handle_ = VK_NULL_HANDLE;
  uint32_t version_ = 0;
  InstanceFunctions api_;
};

} // namespace tegula::vulkan
