// The properties of a physical device, which are queried once.
#pragma once

#include "backends/vulkan/FloatControls.h"
#include "backends/vulkan/Profiles.h"
#include "backends/vulkan/driver/Instance.h"
#include "core/contracts/Backend.h"

#include <set>

namespace tegula::vulkan {

/// The API's feature structures, linked in one pNext chain. A query fills it, or the creation of a device reads it.
class FeatureChain {
public:
  /// Links Vulkan's core structures and those of the extensions in `extensions`, the ones that the device has.
  explicit FeatureChain(const std::set<std::string, std::less<>> &extensions);
  FeatureChain(const FeatureChain &) = delete;

  VkPhysicalDeviceFeatures2 *first() { return &core_; }
  /// Takes the features that the structures in the caller's chain enable. Features whose structure is not in the chain
  /// are disabled.
  void take(const VkPhysicalDeviceFeatures2 &given);
  /// The flag of a feature; null for a feature that follows from properties of the device and needs no enabling.
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
  bool validated = false; // the handle belongs to the instance with the validation layer
  bool hasTools = false;  // a validator, debugger or profiler is active, which may show source lines
  std::string name;       // the device's own name
  std::string driver;     // "NVIDIA 580.95.05", "llvmpipe Mesa 22.3.6"
  std::string code;       // ids and versions of device and driver: machine code is valid if this is equal
  uint32_t version = 0;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  VkPhysicalDeviceLimits limits = {};
  uint64_t memoryBytes = 0;          // size of the largest device-local heap
  uint64_t maxAllocation = 0;        // bytes of the largest allocation
  uint32_t subgroupSize = 0;         // the size for kernels that require none
  uint32_t maxRequiredSubgroups = 0; // largest workgroup, in subgroups, if its kernel requires a size
  uint32_t queueFamily = 0, queueCount = 0, timestampBits = 0;
  std::set<std::string, std::less<>> extensions; // extensions that the driver enables
  Capacity capacity;
  Independence rounding = Independence::All, denormals = Independence::All; // independence of float controls
  std::vector<newer::CooperativeMatrixRow> matrices;                        // all that the device reports
  std::vector<newer::FlexibleMatrixRow> flexible;                           // rows of NV_cooperative_matrix2
  std::string unsuitable;                                                   // empty, or why the device cannot be used

  bool isRealGpu() const { return type != VK_PHYSICAL_DEVICE_TYPE_CPU; }
};

/// Queries a device. Never throws for a missing property: `unsuitable` names it.
DeviceFacts askDevice(const Instance &instance, VkPhysicalDevice device);

/// Queries a device that the caller has created; only the features and extensions that were enabled at its creation
/// count. Throws tegula::Error if the device cannot be used.
DeviceFacts askAdopted(const Instance &instance, const NativeDevice &native);

/// All devices of the instance, including unsuitable ones.
std::vector<DeviceFacts> askDevices(const Instance &instance);

/// (name, value) pairs for `tegula devices`.
std::vector<std::pair<std::string, std::string>> describeFacts(const DeviceFacts &facts);

} // namespace tegula::vulkan
