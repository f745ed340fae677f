// What a physical device says about itself, asked once.
#pragma once

#include "backends/vulkan/FloatControls.h"
#include "backends/vulkan/Instance.h"
#include "backends/vulkan/Profiles.h"

#include <set>

namespace tegula::vulkan {

/// The feature structures of the API in one chain: asked of a device, and given to its creation.
class FeatureChain {
public:
  /// Links the structures of the extensions that the device has.
  explicit FeatureChain(const std::set<std::string, std::less<>> &extensions);
  FeatureChain(const FeatureChain &) = delete;

  VkPhysicalDeviceFeatures2 *first() { return &core_; }
  /// The flag of a feature; null for those that properties tell, which need not be enabled.
  VkBool32 *flag(Feature feature);

private:
  VkPhysicalDeviceFeatures2 core_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features v11_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroupSize_{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicitLayout_{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomicFloat_{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomicFloat2_{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT};
  newer::CooperativeMatrixFeatures matrix_;
  newer::CooperativeMatrix2Features matrix2_;
  newer::ShaderBFloat16Features bfloat16_;
  newer::ShaderFloat8Features float8_;
};

struct DeviceFacts {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::string name;   // the device's own
  std::string driver; // "NVIDIA 580.95.05", "llvmpipe Mesa 22.3.6"
  std::string code;   // equal where code that one device's driver made can be another's: ids, versions
  uint32_t version = 0;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  VkPhysicalDeviceLimits limits = {};
  uint64_t memoryBytes = 0;   // of the largest device-local heap
  uint64_t maxAllocation = 0; // bytes in one piece
  uint32_t subgroupSize = 0;  // where a kernel does not ask for another
  uint32_t queueFamily = 0, queueCount = 0, timestampBits = 0;
  std::set<std::string, std::less<>> extensions; // that the driver enables
  Capacity capacity;
  Independence rounding = Independence::All, denormals = Independence::All; // of float controls
  std::vector<newer::CooperativeMatrixRow> matrices;                        // all that it reports
  std::vector<newer::FlexibleMatrixRow> flexible;                           // of cooperative matrix 2
  std::string unsuitable;                                                   // empty, or why the device cannot be used

  bool isRealGpu() const { return type != VK_PHYSICAL_DEVICE_TYPE_CPU; }
};

/// Never throws for what a device lacks: `unsuitable` says it.
DeviceFacts askDevice(const Instance &instance, VkPhysicalDevice device);

/// The devices of the instance, unsuitable ones too.
std::vector<DeviceFacts> askDevices(const Instance &instance);

/// For `tegula devices`.
std::vector<std::pair<std::string, std::string>> describeFacts(const DeviceFacts &facts);

} // namespace tegula::vulkan
