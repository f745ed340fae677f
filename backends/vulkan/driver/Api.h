// The parts of the Vulkan API that this backend uses. The declarations are Debian 12's (1.3.239), without prototypes,
// because the library is opened at run time; one table adds newer structures. Names and numbers are facts of the
// Khronos Vulkan registry.
#pragma once

#define VK_NO_PROTOTYPES 1
#include <vulkan/vulkan_core.h>

namespace tegula::vulkan {

/// Structures newer than the header. Like every extensible structure of Vulkan, each begins with sType and pNext.
namespace newer {

inline constexpr auto kCooperativeMatrixFeatures = VkStructureType(1000506000);
inline constexpr auto kCooperativeMatrixRow = VkStructureType(1000506001);
inline constexpr auto kShaderBFloat16Features = VkStructureType(1000141000);
inline constexpr auto kShaderFloat8Features = VkStructureType(1000567000);
inline constexpr auto kCooperativeMatrix2Features = VkStructureType(1000593000);
inline constexpr auto kFlexibleMatrixRow = VkStructureType(1000593001);
inline constexpr auto kCooperativeMatrix2Properties = VkStructureType(1000593002);

/// VkPhysicalDeviceCooperativeMatrixFeaturesKHR
struct CooperativeMatrixFeatures {
  VkStructureType sType = kCooperativeMatrixFeatures;
  void *pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE;
  VkBool32 cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

/// VkComponentTypeKHR
enum ComponentType : uint32_t {
  kFloat16 = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kSint8 = 3,
  kSint16 = 4,
  kSint32 = 5,
  kSint64 = 6,
  kUint8 = 7,
  kUint16 = 8,
  kUint32 = 9,
  kUint64 = 10,
  kBFloat16 = 1000141000,
  kFloat8E4M3 = 1000491002,
  kFloat8E5M2 = 1000491003,
};

/// VkScopeKHR
enum MatrixScope : uint32_t { kDeviceScope = 1, kWorkgroupScope = 2, kSubgroupScope = 3 };

/// VkCooperativeMatrixPropertiesKHR
struct CooperativeMatrixRow {
  VkStructureType sType = kCooperativeMatrixRow;
  void *pNext = nullptr;
  uint32_t m = 0, n = 0, k = 0;
  ComponentType a = kFloat16, b = kFloat16, c = kFloat16, result = kFloat16;
  VkBool32 saturating = VK_FALSE;
  MatrixScope scope = kSubgroupScope;
};

/// VkPhysicalDeviceShaderBfloat16FeaturesKHR
struct ShaderBFloat16Features {
  VkStructureType sType = kShaderBFloat16Features;
  void *pNext = nullptr;
  VkBool32 type = VK_FALSE, dotProduct = VK_FALSE, cooperativeMatrix = VK_FALSE;
};

/// VkPhysicalDeviceShaderFloat8FeaturesEXT
struct ShaderFloat8Features {
  VkStructureType sType = kShaderFloat8Features;
  void *pNext = nullptr;
  VkBool32 type = VK_FALSE, cooperativeMatrix = VK_FALSE;
};

/// VkPhysicalDeviceCooperativeMatrix2FeaturesNV
struct CooperativeMatrix2Features {
  VkStructureType sType = kCooperativeMatrix2Features;
  void *pNext = nullptr;
  VkBool32 workgroupScope = VK_FALSE, flexibleDimensions = VK_FALSE, reductions = VK_FALSE, conversions = VK_FALSE,
           perElementOperations = VK_FALSE, tensorAddressing = VK_FALSE, blockLoads = VK_FALSE;
};

/// VkPhysicalDeviceCooperativeMatrix2PropertiesNV
struct CooperativeMatrix2Properties {
  VkStructureType sType = kCooperativeMatrix2Properties;
  void *pNext = nullptr;
  uint32_t workgroupScopeMaxWorkgroupSize = 0, flexibleDimensionsMaxDimension = 0,
           workgroupScopeReservedSharedMemory = 0;
};

/// VkCooperativeMatrixFlexibleDimensionsPropertiesNV
struct FlexibleMatrixRow {
  VkStructureType sType = kFlexibleMatrixRow;
  void *pNext = nullptr;
  uint32_t m = 0, n = 0, k = 0; // extents of matrices are multiples of these
  ComponentType a = kFloat16, b = kFloat16, c = kFloat16, result = kFloat16;
  VkBool32 saturating = VK_FALSE;
  MatrixScope scope = kSubgroupScope;
  uint32_t workgroupInvocations = 0;
};

using GetCooperativeMatrixRows = VkResult(VKAPI_PTR *)(VkPhysicalDevice, uint32_t *, CooperativeMatrixRow *);
using GetFlexibleMatrixRows = VkResult(VKAPI_PTR *)(VkPhysicalDevice, uint32_t *, FlexibleMatrixRow *);

} // namespace newer
} // namespace tegula::vulkan
